/* SPDX-License-Identifier: MIT */
/* Writes an event to the buffer. */
#ifndef ACCELERATOR_WRITE_H
#define ACCELERATOR_WRITE_H

#include <stdbool.h>
#include <sys/uio.h>

/* Writes an event. False: it was not, and why is to be found out on another way. errno stays as it
 * is. Any thread, any signal handler. */
bool accelerator_write(int fd, const void *from, size_t size_bytes, ssize_t *ret_size);
bool accelerator_writev(int fd, const struct iovec *parts, int count, ssize_t *ret_size);

#endif
