/* SPDX-License-Identifier: MIT */
/* user_events_data as this process has it open. To be called without the engine's lock. */
#ifndef PRELOAD_SERVED_DATA_H
#define PRELOAD_SERVED_DATA_H

#include "tracefs/program.h"
#include "preload/served.h"

#include <sys/uio.h>

/* The program that this library is loaded into. */
extern struct tracefs_program preload_own_program;

/* As the system call: 0, or -1 with errno set to the kernel's code for the same mistake. */
int preload_served_ioctl(struct preload_served *file, int fd, unsigned long request,
                         uint64_t argument);

/* As write and writev: the number of bytes, or -1 with errno set. Any thread, any signal handler.
 */
ssize_t preload_served_write(struct preload_served *file, int fd, const void *from,
                             size_t size_bytes);
ssize_t preload_served_writev(struct preload_served *file, int fd, const struct iovec *parts,
                              int count);

#endif
