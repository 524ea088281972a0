/* SPDX-License-Identifier: MIT */
/* A hash map from u64 to u32. */
#include "perf_data/map.h"

#include <errno.h>
#include <stdlib.h>
#include <sys/random.h>

#define FIRST_LOG2 4u
#define LAST_LOG2  30u

/* Finds the slot of a key, or the empty slot to insert it. A map is never full. */
static struct perf_data_map_slot *slot_of(const struct perf_data_map *map, uint64_t key)
{
    uint32_t mask = (UINT32_C(1) << map->slots_log2) - 1;
    uint64_t hash = (key ^ (key >> 32)) * map->seed;
    uint32_t at;

    /* Keys are consecutive as a rule. By one product alone, some seeds put them side by side. */
    hash = (hash ^ (hash >> 32)) * UINT64_C(0x9e3779b97f4a7c15);
    at = (uint32_t)(hash >> (64 - map->slots_log2));

    while (map->slots[at].value != PERF_DATA_MAP_NONE && map->slots[at].key != key)
        at = (at + 1) & mask;
    return &map->slots[at];
}

static int grow(struct perf_data_map *map)
{
    struct perf_data_map bigger = {.slots_log2 = map->slots_log2 ? map->slots_log2 + 1 : FIRST_LOG2,
                                   .seed = map->seed};
    size_t count = (size_t)1 << bigger.slots_log2;

    if (bigger.slots_log2 > LAST_LOG2)
        return ENOMEM;
    if (!bigger.seed && getrandom(&bigger.seed, sizeof(bigger.seed), GRND_NONBLOCK) < 0)
        bigger.seed = UINT64_C(0x9e3779b97f4a7c15);
    bigger.seed |= 1;
    bigger.slots = calloc(count, sizeof(*bigger.slots));
    if (!bigger.slots)
        return ENOMEM;
    for (size_t i = 0; i < count; i++)
        bigger.slots[i].value = PERF_DATA_MAP_NONE;
    for (size_t i = 0; map->slots && i < (size_t)1 << map->slots_log2; i++) {
        if (map->slots[i].value != PERF_DATA_MAP_NONE)
            *slot_of(&bigger, map->slots[i].key) = map->slots[i];
    }
    bigger.count = map->count;
    free(map->slots);
    *map = bigger;
    return 0;
}

int perf_data_map_set(struct perf_data_map *map, uint64_t key, uint32_t value)
{
    struct perf_data_map_slot *slot;

    if (!map->slots || map->count >= (UINT32_C(1) << map->slots_log2) / 4 * 3) {
        int err = grow(map);

        if (err)
            return err;
    }
    slot = slot_of(map, key);
    map->count += slot->value == PERF_DATA_MAP_NONE;
    *slot = (struct perf_data_map_slot){.key = key, .value = value};
    return 0;
}

uint32_t perf_data_map_get(const struct perf_data_map *map, uint64_t key)
{
    return map->slots ? slot_of(map, key)->value : PERF_DATA_MAP_NONE;
}

void perf_data_map_free(struct perf_data_map *map)
{
    free(map->slots);
    *map = (struct perf_data_map){0};
}
