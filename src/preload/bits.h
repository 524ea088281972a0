/* SPDX-License-Identifier: MIT */
/*
 * The status page as kernels up to Linux 6.3 had it: a bit for each event, set while anybody
 * listens. It is made of the page of bytes, in memory that a process shares with its children. All
 * under the engine's lock.
 */
#ifndef PRELOAD_BITS_H
#define PRELOAD_BITS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* True if the program sees bits: tracefs_transport_begin_bits was called. A page of bytes that it
 * had mapped before is then one of bits, in the same position. */
bool preload_bits_any(void);

/* Sets and clears the bits of all events. */
void preload_bits_update(void);

/* mmap of user_events_status. Returns 0; EINVAL it is not the one page; EACCES to be written to;
 * ENOMEM. */
int preload_bits_map(void *address, size_t size_bytes, int protection, int flags,
                     void **ret_memory);

#endif
