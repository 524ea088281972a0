/* SPDX-License-Identifier: MIT */
/* A table of groups by their key. */
#include "stats/groups.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* FNV-1a, finalized: the low bits of short keys differ too little otherwise. */
static uint64_t hash_of(const char *key, size_t length)
{
    uint64_t hash = 0xcbf29ce484222325u;

    for (size_t n = 0; n < length; n++)
        hash = (hash ^ (uint8_t)key[n]) * 0x100000001b3u;
    return hash ^ hash >> 32;
}

static struct stats_group *create(const char *key, size_t length, uint64_t hash)
{
    struct stats_group *group = (struct stats_group *)calloc(1, sizeof(*group));

    if (!group)
        return NULL;
    group->key = (char *)calloc(1, length + 1);
    group->result.key = group->key;
    group->key_length = length;
    group->hash = hash;
    if (!group->key) {
        free(group);
        return NULL;
    }
    memcpy(group->key, key, length);
    return group;
}

static bool is_of(const struct stats_group *group, const char *key, size_t length, uint64_t hash)
{
    return group->hash == hash && group->key_length == length && !memcmp(group->key, key, length);
}

static int grow(struct stats_groups *groups)
{
    uint32_t count = groups->slot_count ? 2 * groups->slot_count : 64;
    struct stats_group **slots = (struct stats_group **)calloc(count, sizeof(struct stats_group *));

    if (!slots)
        return ENOMEM;
    for (uint32_t n = 0; n < groups->slot_count; n++) {
        struct stats_group *group = groups->slots[n];
        uint32_t slot = group ? (uint32_t)group->hash & (count - 1) : 0;

        while (group && slots[slot])
            slot = (slot + 1) & (count - 1);
        if (group)
            slots[slot] = group;
    }
    free((void *)groups->slots);
    groups->slots = slots;
    groups->slot_count = count;
    return 0;
}

/* The group of all keys that have none. */
static int find_others(struct stats_groups *groups, struct stats_group **ret_group)
{
    if (!groups->others)
        groups->others = create(CAIRN_STATS_OTHERS, strlen(CAIRN_STATS_OTHERS), 0);
    if (!groups->others)
        return ENOMEM;
    *ret_group = groups->others;
    return 0;
}

int stats_groups_find(struct stats_groups *groups, const char *key, size_t length,
                      struct stats_group **ret_group)
{
    uint64_t hash = hash_of(key, length);
    uint32_t slot;

    if (4 * (groups->count + 1) > 3 * groups->slot_count && grow(groups))
        return ENOMEM;
    slot = (uint32_t)hash & (groups->slot_count - 1);
    for (; groups->slots[slot]; slot = (slot + 1) & (groups->slot_count - 1)) {
        if (is_of(groups->slots[slot], key, length, hash)) {
            *ret_group = groups->slots[slot];
            return 0;
        }
    }
    if (groups->count >= CAIRN_STATS_GROUPS_MAX)
        return find_others(groups, ret_group);
    groups->slots[slot] = create(key, length, hash);
    if (!groups->slots[slot])
        return ENOMEM;
    groups->count++;
    *ret_group = groups->slots[slot];
    return 0;
}

static int compare(const void *a, const void *b)
{
    const struct stats_group *x = *(struct stats_group *const *)a;
    const struct stats_group *y = *(struct stats_group *const *)b;

    if (x->result.count != y->result.count)
        return x->result.count < y->result.count ? 1 : -1;
    if (x->result.lost != y->result.lost)
        return x->result.lost < y->result.lost ? 1 : -1;
    return strcmp(x->key, y->key);
}

int stats_groups_list(const struct stats_groups *groups, struct stats_group ***ret_list,
                      size_t *ret_count)
{
    struct stats_group **list =
        (struct stats_group **)calloc((size_t)groups->count + 1, sizeof(struct stats_group *));
    size_t count = 0;

    if (!list)
        return ENOMEM;
    for (uint32_t n = 0; n < groups->slot_count; n++) {
        if (groups->slots[n])
            list[count++] = groups->slots[n];
    }
    qsort((void *)list, count, sizeof(struct stats_group *), compare);
    if (groups->others)
        list[count++] = groups->others;
    *ret_list = list;
    *ret_count = count;
    return 0;
}

static void free_group(struct stats_group *group)
{
    if (!group)
        return;
    stats_sketch_free(&group->sketch);
    free(group->key);
    free(group);
}

void stats_groups_free(struct stats_groups *groups)
{
    for (uint32_t n = 0; n < groups->slot_count; n++)
        free_group(groups->slots[n]);
    free_group(groups->others);
    free((void *)groups->slots);
    *groups = (struct stats_groups){0};
}
