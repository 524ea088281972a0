/* SPDX-License-Identifier: MIT */
/*
 * Calls on emulated files. Each returns false if the path or the descriptor is of another
 * file, and the program's call is to be passed on; otherwise the result is the system call's, with
 * errno. Any thread, any signal handler.
 */
#ifndef PRELOAD_CALLS_H
#define PRELOAD_CALLS_H

#include <stdbool.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>

bool preload_open(const char *path, int flags, int *ret_result);
bool preload_stat(const char *path, struct stat *st, int *ret_result);

bool preload_read(int fd, void *to, size_t size_bytes, ssize_t *ret_result);
/* For an event that was not written at once (accelerator/write.h). */
bool preload_write(int fd, const struct iovec *parts, int count, ssize_t *ret_result);
bool preload_ioctl(int fd, unsigned long request, void *argument, int *ret_result);

struct preload_mapping {
    void *address;
    size_t size_bytes;
    int protection;
    int flags;
    off_t offset;
};

bool preload_map(int fd, const struct preload_mapping *mapping, void **ret_result);

/* A descriptor was copied; descriptors are about to be closed. */
void preload_copied(int from, int to);
void preload_closes(unsigned int first, unsigned int last);

/* True if a stream on the descriptor must read and write by our functions: the C library's streams
 * call the kernel themselves. */
bool preload_needs_stream(int fd, bool is_written);

#endif
