/* SPDX-License-Identifier: MIT */
/* Writing to a descriptor whose reader may be stuck: waiting can be interrupted. */
#ifndef PERF_DATA_WRITE_WAIT_H
#define PERF_DATA_WRITE_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

struct perf_data_write_wait {
    /*
     * Waits until fd is writable. Returns 0, or an errno code with which writing fails. NULL: wait
     * without a limit.
     */
    int (*wait)(void *context, int fd);
    void *context;
    bool blocks; /* writing to fd blocks: wait before each write, and write few bytes */
};

struct perf_data_write_wait perf_data_write_wait(int fd, int (*wait)(void *context, int fd),
                                                 void *context);

/*
 * Executes one successful writev, perhaps of a part of the bytes. Returns their number; -1 with
 * errno.
 */
ssize_t perf_data_write_some(const struct perf_data_write_wait *wait, int fd,
                             const struct iovec *parts, int count);

#endif
