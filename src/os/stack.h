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
 * Walks the frames of the calling thread. A chain ends where it is broken: where a frame is not on
 * the stack, or not above the one before. Nothing outside of the stack is read, so that a program
 * without frame pointers is safe; on a stack that the C library did not make, such as that of a
 * coroutine, only the caller is found. No system call; may be called in a signal handler.
 *
 * known   of the thread; set when it has been found
 * caller  where the walk begins: an address that a function of this library returns to, or NULL:
 *         at the function that calls this one
 *
 * Returns the number of addresses.
 */
uint32_t os_stack_walk(struct os_stack *known, const void *caller, uint64_t *ret_addresses,
                       uint32_t max);

#endif
