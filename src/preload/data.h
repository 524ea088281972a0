/* SPDX-License-Identifier: MIT */
/*
 * user_events_data: registering by ioctl in each of its layouts, writing by write.
 *
 * What was registered through an opening stands in its memory file, in the order of write indexes:
 * whoever inherits the descriptor, by fork or through exec, finds it there.
 */
#ifndef PRELOAD_DATA_H
#define PRELOAD_DATA_H

#include "preload/served.h"

#include <sys/uio.h>

struct cairn_data;

/* ---- under the engine's lock ---- */

/* Makes the state of an opening, or makes the one that is there fit for another. Returns 0; ENOMEM.
 */
int cairn_data_take(struct cairn_data **data, int fd);
void cairn_data_release(struct cairn_data *data);

/* ---- without it ---- */

/* As the system call: 0, or -1 with errno set to the kernel's code for the same mistake. */
int cairn_data_ioctl(struct cairn_served *file, int fd, unsigned long request, uint64_t argument);

/* As write and writev: the number of bytes, or -1 with errno set. Any thread, any signal handler.
 */
ssize_t cairn_data_write(struct cairn_served *file, int fd, const void *from, size_t size_bytes);
ssize_t cairn_data_writev(struct cairn_served *file, int fd, const struct iovec *parts, int count);

#endif
