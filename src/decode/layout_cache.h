/* SPDX-License-Identifier: MIT */
/*
 * The layouts of EventHeader events, by the bytes that they were compiled from: tracepoint, header
 * and metadata. Names and ids are not unique: two versions of a program use the same.
 */
#ifndef DECODE_LAYOUT_CACHE_H
#define DECODE_LAYOUT_CACHE_H

#include "decode/eventheader.h"
#include "decode/origin.h"

#define DECODE_LAYOUTS_RECENT 64u /* a power of two */

struct decode_layout_cache {
    struct decode_layout
        *recent[DECODE_LAYOUTS_RECENT]; /* by tracepoint and size: no hash is needed */
    struct decode_layout **slots;       /* open addressing; slot_count is a power of two */
    uint32_t slot_count;
    uint32_t layout_count;
    uint64_t layout_bytes; /* identities: a measure of all that layouts hold */
    uint64_t generation;   /* the number of times that it was emptied */
};

/* Returns 0, ENOMEM. */
int decode_layout_cache_open(struct decode_layout_cache *cache);

/* Accepts a cache of zeros. */
void decode_layout_cache_close(struct decode_layout_cache *cache);

/*
 * Finds the layout of an event, or compiles it. A full cache is emptied first, so a recording in
 * which every event has different metadata takes time, but not memory.
 *
 * ret_layout  valid until the next call
 *
 * Returns 0, ENOMEM.
 */
int decode_layout_cache_find(struct decode_layout_cache *cache, uint32_t tracepoint,
                             const struct decode_origin *origin,
                             const struct trace_file_eventheader *parts,
                             const struct decode_layout **ret_layout);

#endif
