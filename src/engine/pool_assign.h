/* SPDX-License-Identifier: MIT */
/*
 * Positions of pools in a pool file. Ranges are never moved, and none overlaps another, even when
 * no slot has it any more: a thread that was preempted while it wrote an event may still write
 * there. Such a spare is used again by a pool of the same shape, whose chunks are at the addresses
 * that the thread knows.
 */
#ifndef ENGINE_POOL_ASSIGN_H
#define ENGINE_POOL_ASSIGN_H

#include "engine/process_pool.h"

struct engine_pool_shape {
    uint32_t chunk_bytes;
    uint32_t usable_chunks;
    uint32_t small_chunks; /* of a chunk */
};

/*
 * Makes the slot's range a formatted pool of a shape: the range that it has, a spare, or a new one.
 * If there is no space, shape->usable_chunks is made smaller. Returns 0; ENOMEM the process has
 * mapped too little; or what a system call returned. Under the registry's lock.
 */
int engine_pool_assign(int fd, struct engine_pool_file *file, uint32_t slot,
                       struct engine_pool_shape *shape, uint64_t session);

#endif
