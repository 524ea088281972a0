/* SPDX-License-Identifier: MIT */
/* Writing to a descriptor whose reader may be stuck: whoever waits for it can be told to stop. */
#ifndef PERF_DATA_WRITE_WAIT_H
#define PERF_DATA_WRITE_WAIT_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>
#include <sys/uio.h>

struct cairn_write_wait {
    /* Returns when fd can be written to: 0, or an errno code with which writing fails. NULL: waits
     * for ever. */
    int (*wait)(void *context, int fd);
    void *context;
    bool blocks; /* writing to fd blocks: it is waited for before each write, of few bytes */
};

struct cairn_write_wait cairn_write_wait(int fd, int (*wait)(void *context, int fd), void *context);

/* One successful writev, of a part of the bytes perhaps. Returns how many; -1 with errno. */
ssize_t cairn_write_some(const struct cairn_write_wait *wait, int fd, const struct iovec *parts,
                         int count);

#endif
