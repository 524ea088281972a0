/* SPDX-License-Identifier: MIT */
/* Writing an event into the ring buffer. */
#ifndef ACCELERATOR_WRITE_H
#define ACCELERATOR_WRITE_H

#include <stdbool.h>
#include <sys/uio.h>

/* Writes an event. False: it was not; the mount is to be called. errno stays as it is. Any thread,
 * any signal handler. */
bool accelerator_write(int fd, const struct iovec *parts, int count, ssize_t *ret_size);

#endif
