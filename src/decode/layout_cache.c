/* SPDX-License-Identifier: MIT */
/* Finds the layout of an EventHeader event by its metadata. */
#include "decode/layout_cache.h"

#include "perf_data/hash.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define SLOTS_AT_FIRST   64u
#define LAYOUTS_MAX      65536u
#define LAYOUT_BYTES_MAX (64u << 20)

/* An identity is this, followed by the metadata. */
struct identity_head {
    uint64_t header; /* the EventHeader's bytes */
    uint64_t tracepoint;
};

static void empty(struct decode_layout_cache *cache)
{
    for (uint32_t n = 0; n < cache->slot_count; n++) {
        decode_layout_destroy(cache->slots[n]);
        cache->slots[n] = NULL;
    }
    memset(cache->recent, 0, sizeof(cache->recent));
    cache->layout_count = 0;
    cache->layout_bytes = 0;
    cache->generation++;
}

void decode_layout_cache_close(struct decode_layout_cache *cache)
{
    empty(cache);
    free(cache->slots);
    *cache = (struct decode_layout_cache){0};
}

static uint64_t hash_of(const struct identity_head *head,
                        const struct trace_file_eventheader *parts)
{
    return perf_data_hash(
        parts->metadata, parts->metadata_bytes,
        perf_data_hash_mix(head->header ^ PERF_DATA_HASH_K1, head->tracepoint ^ PERF_DATA_HASH_K2));
}

static bool is_of(const struct decode_layout *layout, const struct identity_head *head,
                  const struct trace_file_eventheader *parts)
{
    const uint8_t *identity = (const uint8_t *)layout->identity;

    return layout->identity_bytes == sizeof(*head) + parts->metadata_bytes &&
           core_load64(identity, false) == head->header &&
           core_load64(identity + sizeof(head->header), false) == head->tracepoint &&
           !memcmp(identity + sizeof(*head), parts->metadata, parts->metadata_bytes);
}

/* Returns NULL if there is none. */
static struct decode_layout *find(const struct decode_layout_cache *cache, uint64_t hash,
                                  const struct identity_head *head,
                                  const struct trace_file_eventheader *parts)
{
    uint32_t mask = cache->slot_count - 1;
    struct decode_layout *layout;

    for (uint32_t n = (uint32_t)hash & mask; (layout = cache->slots[n]); n = (n + 1) & mask) {
        if (layout->hash == hash && is_of(layout, head, parts))
            break;
    }
    return layout;
}

static void insert(struct decode_layout **slots, uint32_t slot_count, struct decode_layout *layout)
{
    uint32_t mask = slot_count - 1;
    uint32_t slot = (uint32_t)layout->hash & mask;

    while (slots[slot])
        slot = (slot + 1) & mask;
    slots[slot] = layout;
}

static int grow(struct decode_layout_cache *cache)
{
    uint32_t count = cache->slot_count ? 2 * cache->slot_count : SLOTS_AT_FIRST;
    struct decode_layout **slots =
        (struct decode_layout **)calloc(count, sizeof(struct decode_layout *));

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

int decode_layout_cache_open(struct decode_layout_cache *cache)
{
    *cache = (struct decode_layout_cache){0};
    return grow(cache);
}

/* Reserves a slot for another layout. */
static int make_room(struct decode_layout_cache *cache, uint32_t identity_bytes)
{
    if (cache->layout_count == LAYOUTS_MAX ||
        cache->layout_bytes + identity_bytes > LAYOUT_BYTES_MAX)
        empty(cache);
    return cache->layout_count < cache->slot_count / 2 ? 0 : grow(cache);
}

static int create_layout(const struct identity_head *head, const struct decode_origin *origin,
                         const struct trace_file_eventheader *parts,
                         struct decode_layout **ret_layout)
{
    struct trace_file_eventheader own = *parts;
    struct decode_layout *layout;
    int err = decode_layout_create((uint32_t)sizeof(*head) + parts->metadata_bytes, &layout);

    if (err)
        return err;
    memcpy(layout->identity, head, sizeof(*head));
    own.metadata = (const uint8_t *)layout->identity + sizeof(*head);
    memcpy(layout->identity + sizeof(*head), parts->metadata, parts->metadata_bytes);
    layout->eventheader = (const uint8_t *)layout->identity;
    layout->metadata = own.metadata;
    layout->metadata_bytes = (uint32_t)parts->metadata_bytes;
    layout->decoder = origin->layout->decoder;
    err = decode_layout_compile_eventheader(layout, &own, &origin->name);
    if (err) {
        decode_layout_destroy(layout);
        return err;
    }
    decode_layout_complete(layout);
    *ret_layout = layout;
    return 0;
}

static int add(struct decode_layout_cache *cache, struct decode_layout *layout)
{
    int err = make_room(cache, layout->identity_bytes);

    if (err)
        return err;
    insert(cache->slots, cache->slot_count, layout);
    cache->layout_count++;
    cache->layout_bytes += layout->identity_bytes;
    return 0;
}

/* Returns the layout of the identity, or a new one. */
static int find_or_add(struct decode_layout_cache *cache, const struct identity_head *head,
                       const struct decode_origin *origin,
                       const struct trace_file_eventheader *parts,
                       struct decode_layout **ret_layout)
{
    uint64_t hash = hash_of(head, parts);
    struct decode_layout *layout = find(cache, hash, head, parts);
    int err;

    if (!layout) {
        err = create_layout(head, origin, parts, &layout);
        if (err)
            return err;
        layout->hash = hash;
        err = add(cache, layout);
        if (err) {
            decode_layout_destroy(layout);
            return err;
        }
    }
    *ret_layout = layout;
    return 0;
}

int decode_layout_cache_find(struct decode_layout_cache *cache, uint32_t tracepoint,
                             const struct decode_origin *origin,
                             const struct trace_file_eventheader *parts,
                             const struct decode_layout **ret_layout)
{
    struct identity_head head = {core_load64(parts->bytes, false), tracepoint};
    uint32_t slot = (tracepoint + parts->metadata_bytes) % DECODE_LAYOUTS_RECENT;
    struct decode_layout *layout = cache->recent[slot];

    if (!layout || !is_of(layout, &head, parts)) {
        int err = find_or_add(cache, &head, origin, parts, &layout);

        if (err)
            return err;
        cache->recent[slot] = layout;
    }
    *ret_layout = layout;
    return 0;
}
