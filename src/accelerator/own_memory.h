/* SPDX-License-Identifier: MIT */
/* The memory of the program that a library of ours is loaded into. */
#ifndef ACCELERATOR_OWN_MEMORY_H
#define ACCELERATOR_OWN_MEMORY_H

#include <stdbool.h>
#include <stddef.h>
#include <sys/uio.h>

/* The way of access. With the kernel's copy, unmapped memory causes EFAULT and not a signal. */
enum accelerator_access {
    ACCELERATOR_BY_KERNEL = 0,
    ACCELERATOR_KERNEL_MAY_REFUSE, /* then it is accessed plainly */
    ACCELERATOR_PLAINLY,           /* in a sandbox, which may end the program for a system call */
};

/* Any thread. */
void accelerator_own_memory_set(enum accelerator_access access);

/*
 * Copies what lies in one page, after one cheap system call that checks the page. False: use
 * tracefs_memory_gather. Memory that another thread unmaps in between raises a signal. Any thread,
 * any signal handler; errno stays as it is.
 */
bool accelerator_own_memory_copy(void *to, const void *from, size_t size_bytes);

/* The same for parts, which with their list lie in one page; they are at most `space`. */
bool accelerator_own_memory_copy_parts(void *to, size_t space, const struct iovec *parts, int count,
                                       size_t *ret_size);

#endif
