/* SPDX-License-Identifier: MIT */
/*
 * A hash map from u64 to u32: sample ids to attrs, thread ids to names, tracepoint ids to formats.
 * Keys come from files, so the hash is seeded: colliding keys cannot be chosen.
 */
#ifndef PERF_DATA_MAP_H
#define PERF_DATA_MAP_H

#include <stdint.h>

#define CAIRN_MAP_NONE UINT32_MAX /* no value */

struct cairn_map_slot {
    uint64_t key;
    uint32_t value;
};

/* All zeros is an empty map. */
struct cairn_map {
    struct cairn_map_slot *slots;
    uint64_t seed;
    uint32_t count;
    uint32_t bits; /* there are 1 << bits slots */
};

/* Adds a key or gives it a new value, which must not be CAIRN_MAP_NONE. Returns 0; ENOMEM. */
int cairn_map_set(struct cairn_map *map, uint64_t key, uint32_t value);

/* The value of a key, or CAIRN_MAP_NONE. */
uint32_t cairn_map_get(const struct cairn_map *map, uint64_t key);

void cairn_map_free(struct cairn_map *map);

#endif
