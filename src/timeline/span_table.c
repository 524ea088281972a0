/* SPDX-License-Identifier: MIT */
/* A hash table in sets of eight slots, which grows up to its limit. In a full set, a new span
 * replaces the one that has been open for longest. */
#include "timeline/span_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WAYS        8u
#define FIRST_SLOTS 1024u

/* Ids of one process are numbers in sequence, at the end of the id: each of its bits must matter.
 */
static uint64_t hash_of(const uint8_t *id)
{
    uint64_t halves[2];

    memcpy(halves, id, sizeof(halves));
    halves[1] = (halves[1] ^ halves[1] >> 32) * 0x9e3779b97f4a7c15u;
    halves[0] ^= halves[1] ^ halves[1] >> 32;
    halves[0] = (halves[0] ^ halves[0] >> 33) * 0xff51afd7ed558ccdu;
    return halves[0] ^ halves[0] >> 33;
}

static struct timeline_span *set_of(const struct timeline_span_table *table, const uint8_t *id)
{
    return table->slots + ((uint32_t)(hash_of(id) >> 8) & (table->slot_count - 1) & ~(WAYS - 1));
}

struct timeline_span *timeline_span_table_find(const struct timeline_span_table *table,
                                               const uint8_t id[TIMELINE_ID_BYTES])
{
    struct timeline_span *set;

    if (!table->slot_count)
        return NULL;
    set = set_of(table, id);
    for (uint32_t n = 0; n < WAYS; n++) {
        if (set[n].name && !memcmp(set[n].id, id, TIMELINE_ID_BYTES))
            return &set[n];
    }
    return NULL;
}

/* Returns a free slot, or that of the span that has been open for longest. */
static struct timeline_span *free_slot(const struct timeline_span_table *table, const uint8_t *id)
{
    struct timeline_span *set = set_of(table, id);
    struct timeline_span *oldest = &set[0];

    for (uint32_t n = 0; n < WAYS; n++) {
        if (!set[n].name)
            return &set[n];
        if (set[n].start.ns < oldest->start.ns)
            oldest = &set[n];
    }
    return oldest;
}

static void forget(struct timeline_span_table *table, const struct timeline_span *span)
{
    table->forgotten++;
    if (table->forget)
        table->forget(table->context, span);
}

static struct timeline_span *put(struct timeline_span_table *table,
                                 const struct timeline_span *span)
{
    struct timeline_span *slot = free_slot(table, span->id);

    if (slot->name)
        forget(table, slot);
    else
        table->open++;
    *slot = *span;
    return slot;
}

static int grow(struct timeline_span_table *table)
{
    struct timeline_span_table bigger = {
        .forgotten = table->forgotten, .forget = table->forget, .context = table->context};

    bigger.slot_count = table->slot_count ? 4 * table->slot_count : FIRST_SLOTS;
    bigger.slots = (struct timeline_span *)calloc(bigger.slot_count, sizeof(*bigger.slots));
    if (!bigger.slots)
        return ENOMEM;
    for (uint32_t n = 0; n < table->slot_count; n++) {
        if (table->slots[n].name)
            (void)put(&bigger, &table->slots[n]);
    }
    free(table->slots);
    *table = bigger;
    return 0;
}

int timeline_span_table_put(struct timeline_span_table *table, const struct timeline_span *span,
                            struct timeline_span **ret_span)
{
    struct timeline_span *open;

    if (2 * table->open >= table->slot_count && table->slot_count < TIMELINE_SPANS_MAX &&
        grow(table))
        return ENOMEM;
    open = timeline_span_table_find(table, span->id);
    if (open) {
        forget(table, open);
        *open = *span;
        *ret_span = open;
    } else {
        *ret_span = put(table, span);
    }
    return 0;
}

void timeline_span_table_remove(struct timeline_span_table *table, struct timeline_span *span)
{
    span->name = NULL;
    table->open--;
}

void timeline_span_table_forget(struct timeline_span_table *table, struct timeline_span *span)
{
    forget(table, span);
    timeline_span_table_remove(table, span);
}

void timeline_span_table_free(struct timeline_span_table *table)
{
    free(table->slots);
    *table = (struct timeline_span_table){0};
}
