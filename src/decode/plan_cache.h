/* SPDX-License-Identifier: MIT */
/*
 * The plans of EventHeader events by what they were compiled from: tracepoint, header and metadata,
 * byte for byte. A name or an id would not do: programs of two versions use the same.
 */
#ifndef DECODE_PLAN_CACHE_H
#define DECODE_PLAN_CACHE_H

#include "decode/eventheader.h"
#include "decode/origin.h"

#define CAIRN_PLANS_RECENT 64u /* a power of two */

struct cairn_plan_cache {
    struct cairn_plan *recent[CAIRN_PLANS_RECENT]; /* by tracepoint and size: no hash is needed */
    struct cairn_plan **slots; /* open addressing; slot_count is a power of two */
    uint32_t slot_count;
    uint32_t plan_count;
    uint64_t plan_bytes; /* identities: a measure of all that plans hold */
};

/* Returns 0, ENOMEM. */
int cairn_plan_cache_open(struct cairn_plan_cache *cache);

/* Accepts one that is filled with zeros. */
void cairn_plan_cache_close(struct cairn_plan_cache *cache);

/*
 * The plan of an event, compiled if it is new. A cache that is full is emptied first: a recording
 * in which every event has metadata of its own costs time, not memory.
 *
 * scratch   in memory; what it holds is lost
 * ret_plan  valid until the next call
 *
 * Returns 0, ENOMEM.
 */
int cairn_plan_cache_find(struct cairn_plan_cache *cache, uint32_t tracepoint,
                          const struct cairn_origin *origin,
                          const struct cairn_eventheader_parts *parts, struct cairn_output *scratch,
                          const struct cairn_plan **ret_plan);

#endif
