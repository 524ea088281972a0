/* SPDX-License-Identifier: MIT */
/* The calling thread's stack: the addresses that its functions return to, by frame pointers. */
#ifndef OS_STACK_H
#define OS_STACK_H

#include <stdint.h>

/* A part of the address space that is a thread's stack. All zeros: not known yet. */
struct os_stack {
    uintptr_t low;
    uintptr_t high;
};

/*
 * Walks the frames of the calling thread, up to the first one that is not on the stack, or not
 * above the previous one. Reads nothing outside of the stack, so it is safe in programs without
 * frame pointers. On a stack that the C library did not allocate, such as that of a coroutine, only
 * the caller is found. Makes no system call; may be called in a signal handler.
 *
 * known   the thread's stack; zeros before the first call
 * caller  the return address at which the walk begins, of a function of this library; NULL: that of
 *         the function that calls this one
 *
 * Returns the number of addresses.
 */
uint32_t os_stack_walk(struct os_stack *known, const void *caller, uint64_t *ret_addresses,
                       uint32_t max);

#endif
