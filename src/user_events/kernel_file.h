/* SPDX-License-Identifier: MIT */
/*
 * The kernel's file user_events_data, which a process opens once and keeps open: the kernel numbers
 * a process's events separately for each opening of the file.
 *
 * Programs close descriptors that they did not open themselves, and the numbers are used again.
 * Nothing may be written to another file, so each use first checks that the descriptor still is
 * this one. No function here takes a lock: a child of fork cannot inherit one that is held, and
 * writers in signal handlers cannot wait for one.
 */
#ifndef USER_EVENTS_KERNEL_FILE_H
#define USER_EVENTS_KERNEL_FILE_H

#include <limits.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>

struct user_events_kernel_file {
    int fd;
    uint16_t epoch; /* number of the opening, from 1; an index is valid for one opening */
};

/*
 * Opens user_events_data in one of the tracing directories of a text of mounts.
 *
 * ret_directory  on failure the one that the error is about, or "" if there is none
 * ret_fd         owned by the caller
 *
 * Returns 0; ENODEV no tracefs is mounted; ENOENT the directory has no such file: the kernel is
 * without user_events; EACCES, EPERM this user is not permitted; or the error of open.
 */
int user_events_kernel_file_find(FILE *mounts, char ret_directory[PATH_MAX], int *ret_fd);

/*
 * The open file, if it was opened and still is this file. Costs one system call, a `write` of zero
 * bytes, which only this file answers with EFAULT; so it works in a sandbox that permits only
 * `write`. If the number is a datagram socket's by then, one empty message is sent; a descriptor
 * that gives another answer is not tried again. Any thread, any signal handler; changes errno.
 */
bool user_events_kernel_file_for_write(struct user_events_kernel_file *ret_file);

/*
 * The file; opened first if it is not open, or no longer.
 *
 * Returns 0, or the errors of user_events_kernel_file_find. A failure to find an accessible file is
 * remembered for a hundredth of a second; calls within that time return it without a search. Any
 * thread. Not in signal handlers.
 */
int user_events_kernel_file_get(struct user_events_kernel_file *ret_file);

#endif
