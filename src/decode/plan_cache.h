/* SPDX-License-Identifier: MIT */
/*
 * The plans of EventHeader events, by the bytes that they were compiled from: tracepoint, header
 * and metadata. Names and ids are not unique: two versions of a program use the same.
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

/* Accepts a cache of zeros. */
void cairn_plan_cache_close(struct cairn_plan_cache *cache);

/*
 * Finds the plan of an event, or compiles it. A full cache is emptied first: a recording in which
 * every event has different metadata costs time, not memory.
 *
 * scratch   in memory; its contents are lost
 * ret_plan  valid until the next call
 *
 * Returns 0, ENOMEM.
 */
int cairn_plan_cache_find(struct cairn_plan_cache *cache, uint32_t tracepoint,
                          const struct cairn_origin *origin,
                          const struct cairn_eventheader_parts *parts, struct cairn_output *scratch,
                          const struct cairn_plan **ret_plan);

#endif
