/* SPDX-License-Identifier: MIT */
/* Finds the layout of an EventHeader event by its metadata. */
#include "decode/plan_cache.h"

#include "decode/hash.h"

#include <errno.h>
#include <stdlib.h>

#define SLOTS_AT_FIRST 64u
#define PLANS_MAX      65536u
#define PLAN_BYTES_MAX (64u << 20)

/* An identity is this, followed by the metadata. */
struct identity_head {
    uint64_t header; /* the EventHeader's bytes */
    uint64_t tracepoint;
};

static void empty(struct cairn_plan_cache *cache)
{
    for (uint32_t n = 0; n < cache->slot_count; n++) {
        cairn_plan_destroy(cache->slots[n]);
        cache->slots[n] = NULL;
    }
    memset(cache->recent, 0, sizeof(cache->recent));
    cache->plan_count = 0;
    cache->plan_bytes = 0;
}

void cairn_plan_cache_close(struct cairn_plan_cache *cache)
{
    empty(cache);
    free(cache->slots);
    *cache = (struct cairn_plan_cache){0};
}

static uint64_t hash_of(const struct identity_head *head,
                        const struct cairn_eventheader_parts *parts)
{
    return cairn_hash(
        parts->metadata, parts->metadata_bytes,
        cairn_hash_mix(head->header ^ CAIRN_HASH_K1, head->tracepoint ^ CAIRN_HASH_K2));
}

static bool is_of(const struct cairn_plan *plan, const struct identity_head *head,
                  const struct cairn_eventheader_parts *parts)
{
    const uint8_t *identity = (const uint8_t *)plan->identity;

    return plan->identity_bytes == sizeof(*head) + parts->metadata_bytes &&
           cairn_load64(identity, false) == head->header &&
           cairn_load64(identity + sizeof(head->header), false) == head->tracepoint &&
           !memcmp(identity + sizeof(*head), parts->metadata, parts->metadata_bytes);
}

/* Returns NULL if there is none. */
static struct cairn_plan *find(const struct cairn_plan_cache *cache, uint64_t hash,
                               const struct identity_head *head,
                               const struct cairn_eventheader_parts *parts)
{
    uint32_t mask = cache->slot_count - 1;
    struct cairn_plan *plan;

    for (uint32_t n = (uint32_t)hash & mask; (plan = cache->slots[n]); n = (n + 1) & mask) {
        if (plan->hash == hash && is_of(plan, head, parts))
            break;
    }
    return plan;
}

static void insert(struct cairn_plan **slots, uint32_t slot_count, struct cairn_plan *plan)
{
    uint32_t mask = slot_count - 1;
    uint32_t slot = (uint32_t)plan->hash & mask;

    while (slots[slot])
        slot = (slot + 1) & mask;
    slots[slot] = plan;
}

static int grow(struct cairn_plan_cache *cache)
{
    uint32_t count = cache->slot_count ? 2 * cache->slot_count : SLOTS_AT_FIRST;
    struct cairn_plan **slots = (struct cairn_plan **)calloc(count, sizeof(struct cairn_plan *));

    if (!slots)
        return ENOMEM;
    for (uint32_t n = 0; n < cache->slot_count; n++) {
        if (cache->slots[n])
            insert(slots, count, cache->slots[n]);
    }
    free(cache->slots);
    cache->slots = slots;
    cache->slot_count = count;
    return 0;
}

int cairn_plan_cache_open(struct cairn_plan_cache *cache)
{
    *cache = (struct cairn_plan_cache){0};
    return grow(cache);
}

/* Makes room for another plan. */
static int make_room(struct cairn_plan_cache *cache, uint32_t identity_bytes)
{
    if (cache->plan_count == PLANS_MAX || cache->plan_bytes + identity_bytes > PLAN_BYTES_MAX)
        empty(cache);
    return cache->plan_count < cache->slot_count / 2 ? 0 : grow(cache);
}

static int create_plan(const struct identity_head *head, const struct cairn_origin *origin,
                       const struct cairn_eventheader_parts *parts, struct cairn_output *scratch,
                       struct cairn_plan **ret_plan)
{
    struct cairn_eventheader_parts own = *parts;
    struct cairn_plan *plan;
    int err = cairn_plan_create((uint32_t)sizeof(*head) + parts->metadata_bytes, &plan);

    if (err)
        return err;
    memcpy(plan->identity, head, sizeof(*head));
    own.metadata = (const uint8_t *)plan->identity + sizeof(*head);
    memcpy(plan->identity + sizeof(*head), parts->metadata, parts->metadata_bytes);
    err = cairn_plan_compile_eventheader(plan, &own, &origin->name);
    if (!err)
        err = cairn_plan_write_texts(plan, scratch);
    if (err) {
        cairn_plan_destroy(plan);
        return err;
    }
    *ret_plan = plan;
    return 0;
}

static int add(struct cairn_plan_cache *cache, struct cairn_plan *plan)
{
    int err = make_room(cache, plan->identity_bytes);

    if (err)
        return err;
    insert(cache->slots, cache->slot_count, plan);
    cache->plan_count++;
    cache->plan_bytes += plan->identity_bytes;
    return 0;
}

/* Returns the plan of the identity, or a new one. */
static int find_or_add(struct cairn_plan_cache *cache, const struct identity_head *head,
                       const struct cairn_origin *origin,
                       const struct cairn_eventheader_parts *parts, struct cairn_output *scratch,
                       struct cairn_plan **ret_plan)
{
    uint64_t hash = hash_of(head, parts);
    struct cairn_plan *plan = find(cache, hash, head, parts);
    int err;

    if (!plan) {
        err = create_plan(head, origin, parts, scratch, &plan);
        if (err)
            return err;
        plan->hash = hash;
        err = add(cache, plan);
        if (err) {
            cairn_plan_destroy(plan);
            return err;
        }
    }
    *ret_plan = plan;
    return 0;
}

int cairn_plan_cache_find(struct cairn_plan_cache *cache, uint32_t tracepoint,
                          const struct cairn_origin *origin,
                          const struct cairn_eventheader_parts *parts, struct cairn_output *scratch,
                          const struct cairn_plan **ret_plan)
{
    struct identity_head head = {cairn_load64(parts->bytes, false), tracepoint};
    uint32_t slot = (tracepoint + parts->metadata_bytes) % CAIRN_PLANS_RECENT;
    struct cairn_plan *plan = cache->recent[slot];

    if (!plan || !is_of(plan, &head, parts)) {
        int err = find_or_add(cache, &head, origin, parts, scratch, &plan);

        if (err)
            return err;
        cache->recent[slot] = plan;
    }
    *ret_plan = plan;
    return 0;
}
