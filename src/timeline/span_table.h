/* SPDX-License-Identifier: MIT */
/* The spans that are open, by id: a hash table of bounded size. */
#ifndef TIMELINE_SPAN_TABLE_H
#define TIMELINE_SPAN_TABLE_H

#include "timeline/spans.h"

struct timeline_span_table {
    struct timeline_span *slots; /* slot_count, a power of two; free where `name` is NULL */
    uint32_t slot_count;
    uint64_t open;
    uint64_t forgotten;
    timeline_span_fn *forget; /* is called with each that is forgotten; may be NULL */
    void *context;
};

/* Returns the open span of an id, or NULL. */
struct timeline_span *timeline_span_table_find(const struct timeline_span_table *table,
                                               const uint8_t id[TIMELINE_ID_BYTES]);

/* Adds an open span, in the place of one of the same id. Returns 0, ENOMEM. */
int timeline_span_table_put(struct timeline_span_table *table, const struct timeline_span *span,
                            struct timeline_span **ret_span);

/* Removes one that is open, and counts it as forgotten. */
void timeline_span_table_forget(struct timeline_span_table *table, struct timeline_span *span);

/* Removes one that find returned. */
void timeline_span_table_remove(struct timeline_span_table *table, struct timeline_span *span);

/* Accepts zeros. */
void timeline_span_table_free(struct timeline_span_table *table);

#endif
