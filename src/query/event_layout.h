/* SPDX-License-Identifier: MIT */
/* Plans: whether the events of a layout are wanted, and where the columns are in them.
 */
#ifndef QUERY_EVENT_LAYOUT_H
#define QUERY_EVENT_LAYOUT_H

#include "query/event_table.h"
#include "query/filter.h"

#define QUERY_NO_FIELD UINT32_MAX

/* The location of a column in a layout. */
struct query_location {
    uint32_t index;  /* of the field; QUERY_NO_FIELD: the layout has none */
    uint32_t offset; /* of its bytes in the event's data, if */
    bool is_direct;  /* all before it have a fixed size */
};

struct query_event_layout {
    uint64_t serial; /* of the layout; 0: the slot is free */
    bool is_wanted;
    const struct query_event *event; /* its names; NULL if it is not wanted */
    uint32_t trace_id;               /* field; QUERY_NO_FIELD */
    uint32_t span_id;
    struct query_location *locations; /* by column of the event */
};

/* The layouts of a scan: a hash table. Zeros: none. */
struct query_event_layouts {
    const struct query_event_table *table;
    const struct query_filter *filter;
    struct query_event_layout *slots; /* slot_count, a power of two */
    size_t slot_count;
    size_t used;
    const struct query_event_layout *last;
};

/* The slow path of query_event_layout_of. */
int query_event_layout_find(struct query_event_layouts *layouts, const struct decode_layout *layout,
                            const struct query_event_layout **ret_layout);

/* ret_layout  valid until the next call. Returns 0, ENOMEM. */
static inline int query_event_layout_of(struct query_event_layouts *layouts,
                                        const struct decode_layout *layout,
                                        const struct query_event_layout **ret_layout)
{
    if (cairn_likely(layouts->last && layouts->last->serial == layout->serial)) {
        *ret_layout = layouts->last;
        return 0;
    }
    return query_event_layout_find(layouts, layout, ret_layout);
}

/* True if the events of a type are wanted, or if there is no memory to find out. Threads may call
 * it at the same time. */
bool query_event_layout_wants(const struct query_event_layouts *layouts,
                              const struct cairn_event_type *type);

void query_event_layouts_free(struct query_event_layouts *layouts);

#endif
