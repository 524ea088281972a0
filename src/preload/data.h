/* SPDX-License-Identifier: MIT */
/*
 * user_events_data: registering by ioctl in each of its layouts (data_ioctl.c), writing by write
 * (data_write.c). To be called without the engine's lock.
 */
#ifndef PRELOAD_DATA_H
#define PRELOAD_DATA_H

#include "preload/served.h"

#include <sys/uio.h>

/* As the system call: 0, or -1 with errno set to the kernel's code for the same mistake. */
int cairn_data_ioctl(struct cairn_served *file, int fd, unsigned long request, uint64_t argument);

/* As write and writev: the number of bytes, or -1 with errno set. Any thread, any signal handler.
 */
ssize_t cairn_data_write(struct cairn_served *file, int fd, const void *from, size_t size_bytes);
ssize_t cairn_data_writev(struct cairn_served *file, int fd, const struct iovec *parts, int count);

#endif
