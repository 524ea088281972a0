/* SPDX-License-Identifier: MIT */
/*
 * A hash map from u64 to u32: sample ids to attrs, thread ids to names, tracepoint ids to formats.
 * Keys come from files, so the hash is seeded: colliding keys cannot be chosen.
 */
#ifndef PERF_DATA_MAP_H
#define PERF_DATA_MAP_H

#include <stdint.h>

#define PERF_DATA_MAP_NONE UINT32_MAX /* no value */

struct perf_data_map_slot {
    uint64_t key;
    uint32_t value;
};

/* All zeros is an empty map. */
struct perf_data_map {
    struct perf_data_map_slot *slots;
    uint64_t seed;
    uint32_t count;
    uint32_t slots_log2; /* there are 1 << slots_log2 slots */
};

/* Adds a key or gives it a new value, which must not be PERF_DATA_MAP_NONE. Returns 0; ENOMEM. */
int perf_data_map_set(struct perf_data_map *map, uint64_t key, uint32_t value);

/* The value of a key, or PERF_DATA_MAP_NONE. */
uint32_t perf_data_map_get(const struct perf_data_map *map, uint64_t key);

void perf_data_map_free(struct perf_data_map *map);

#endif
