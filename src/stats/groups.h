/* SPDX-License-Identifier: MIT */
/* Groups of events by a key, a text: counts, bytes, and the numbers of a field. Keys beyond
 * CAIRN_STATS_GROUPS_MAX are counted together, so that memory is bounded. */
#ifndef STATS_GROUPS_H
#define STATS_GROUPS_H

#include "stats/sketch.h"

#include <cairn/stats.h>
#include <stddef.h>

struct stats_group {
    struct cairn_stats_group
        result;        /* the first member; sum, min and max are set when it is listed */
    char *key;         /* owned; result.key */
    size_t key_length; /* it may contain a NUL if a file is damaged */
    uint64_t hash;
    struct stats_sketch sketch;
};

struct stats_groups {
    struct stats_group **slots; /* open addressing; slot_count is a power of two */
    uint32_t slot_count;
    uint32_t count;
    struct stats_group *others; /* NULL: all keys have groups */
};

/* Finds a group, or makes it. Returns 0, ENOMEM. */
int stats_groups_find(struct stats_groups *groups, const char *key, size_t length,
                      struct stats_group **ret_group);

/* Lists them, those with the most events first; the others come last. Returns 0, ENOMEM. */
int stats_groups_list(const struct stats_groups *groups, struct stats_group ***ret_list,
                      size_t *ret_count);

/* Accepts zeros. */
void stats_groups_free(struct stats_groups *groups);

#endif
