/* SPDX-License-Identifier: MIT */
/*
 * The kernel's file user_events_data, which a process opens once and keeps open: the kernel numbers
 * a process's events by the file that they were registered with.
 *
 * Programs close descriptors that they know nothing of, and the numbers are used again. Nothing may
 * be written to a file that is not ours, so each use looks first whether it still is. There is no
 * lock in here: a child of fork cannot inherit one that is taken, and writers in signal handlers
 * cannot wait for one.
 */
#ifndef USER_EVENTS_KERNEL_FILE_H
#define USER_EVENTS_KERNEL_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct cairn_kernel_file {
    int fd;
    uint16_t
        epoch; /* which opening of it: 1, 2, ...; an index is good only for the one that gave it */
};

/*
 * Opens user_events_data in one of the tracing folders of a mounts text.
 *
 * ret_folder  the folder; on failure the one that the error is about, or "" when there is none
 * ret_fd      the caller's to close
 *
 * Returns 0; ENODEV no tracefs is mounted; ENOENT it has no such file: the kernel is without
 * user_events; EACCES, EPERM this user may not; or what open said.
 */
int cairn_kernel_file_find(FILE *mounts, char ret_folder[PATH_MAX], int *ret_fd);

/*
 * The open file, if it was opened and is still ours. It takes one system call, `write`, so that it
 * works in a sandbox that permits no other: of no bytes, which this file alone answers with EFAULT.
 * A datagram socket that has the number by now sends one empty message: what answers otherwise is
 * not asked again. Any thread, any signal handler; spoils errno.
 */
bool cairn_kernel_file_for_write(struct cairn_kernel_file *ret_file);

/*
 * The file, opened first when it is not open, or not any more.
 *
 * Returns 0, or as cairn_kernel_file_find, which is not asked again within a hundredth of a second
 * when it found no file that is open to us. Any thread. Not in signal handlers.
 */
int cairn_kernel_file_get(struct cairn_kernel_file *ret_file);

#endif
