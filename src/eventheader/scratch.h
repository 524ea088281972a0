/* SPDX-License-Identifier: MIT */
/*
 * Memory for the values of an event that are not written straight into a buffer: taken and given
 * back without a lock or a system call, by any thread and any signal handler. It is reserved before
 * the first event; pages that no event needed take no memory. In a forked child all of it is free.
 */
#ifndef EVENTHEADER_SCRATCH_H
#define EVENTHEADER_SCRATCH_H

#include <stdint.h>

/* More than the largest event, and as much again for what is reserved for values before their size
 * is known; besides a head and a slack. */
#define EVENTHEADER_SCRATCH_BYTES (128u << 10)

/* No other memory is so near before it. */
#define EVENTHEADER_SCRATCH_GAP_BYTES (64u << 10)

/* Reserves the memory, once; under a lock. Returns 0 or ENOMEM. */
int eventheader_scratch_reserve(void);

/* Takes a scratch: aligned, uninitialized. NULL: there is none. */
void *eventheader_scratch_take(void);

/* Returns the scratch memory that contains an address; and frees it. */
void *eventheader_scratch_of(const uint8_t *at);
void eventheader_scratch_give(const uint8_t *at);

#endif
