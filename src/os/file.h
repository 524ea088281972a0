/* SPDX-License-Identifier: MIT */
/*
 * Open files: their sizes, their memory, and locks. A lock belongs to an opening of the file, not
 * to the process: it is held until the last copy of the descriptor and the last mapping made of it
 * is closed, so the system releases it however the processes end.
 */
#ifndef OS_FILE_H
#define OS_FILE_H

#include "core/private_api.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/*
 * Allocates the memory of a range of a file, so that touching its mapping cannot kill the program;
 * extends the file if needed. Returns 0; ENOSPC; EFBIG the process may not have files so large
 * (RLIMIT_FSIZE; it is not sent SIGXFSZ); or what the system call returned.
 */
int os_file_back(int fd, size_t offset, size_t size_bytes) CORE_PRIVATE_API(os_file_back);

/* Extends a file to a length, with holes. */
int os_file_extend(int fd, size_t size_bytes);

/* Releases the memory of a range of a file, which then reads as zeros. */
void os_file_release(int fd, uint64_t offset, size_t size_bytes);

/*
 * Moves a descriptor to a number of `least` or more, but never to one of standard input, output and
 * error, where a program would write its text to it. If the limit of descriptors is below `least`,
 * it keeps its number, or gets the lowest number after these three. Returns 0, or the error of
 * moving it: the descriptor is open as before.
 */
int os_file_lift(int *fd, int least);

enum os_file_lock {
    OS_FILE_UNLOCKED,
    OS_FILE_SHARED,    /* shared: any number of openings can have it */
    OS_FILE_EXCLUSIVE, /* one has it */
};

/* Takes a lock, in place of the one that this opening has, or releases it. Does not wait. Returns
 * 0; EAGAIN, EACCES another opening has a lock; or what the system call returned. */
int os_file_lock(int fd, enum os_file_lock lock) CORE_PRIVATE_API(os_file_lock);

/* True if another opening of the file has a lock, or this cannot be found out. */
bool os_file_is_locked(int fd);

#endif
