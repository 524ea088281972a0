/* SPDX-License-Identifier: MIT */
/*
 * A filter compiled for the events of one layout.
 *
 * For EventHeader events it is a condition, as recorders and traced programs have it. The filter
 * engine needs records with fields at fixed offsets. The record of a tracepoint has them, if it has
 * this machine's byte order. For other events a record is made: the fields that the filter names,
 * one after the other; then texts, as dynamic fields.
 */
#ifndef SELECT_COMPILED_FILTER_H
#define SELECT_COMPILED_FILTER_H

#include "condition/condition.h"
#include "decode/items.h"
#include "export/output.h"

#include <cairn/filter.h>

/* Describes where a field's value is written. */
struct select_filter_slot {
    uint32_t field; /* of the layout */
    uint32_t offset;
    uint8_t size_bytes; /* of a number */
    uint8_t value;      /* enum decode_value */
    bool is_text;
    bool may_lack; /* struct filter_number_or_none */
};

struct select_compiled_filter {
    /* One of them, in memory of its own; both NULL: not valid for the layout. */
    struct condition *condition;
    struct cairn_filter *filter;
    bool needs_record; /* a record is made; otherwise the event's own is used */
    bool needs_task;
    struct select_filter_slot *slots; /* in the order of the layout's fields */
    uint32_t slot_count;
    uint32_t record_bytes; /* of the fixed part */
    struct cairn_filter_error error;
};

static inline bool select_compiled_filter_is_valid(const struct select_compiled_filter *compiled)
{
    return compiled->condition || compiled->filter;
}

/*
 * Compiles a filter for a layout.
 *
 * dotted  the filter after condition_mark_names
 * event   one of the layout
 *
 * Returns 0, also if the filter is invalid for the layout; ENOMEM.
 */
int select_compiled_filter_open(struct select_compiled_filter *compiled, const char *dotted,
                                const struct cairn_event *event);

/* Accepts zeros. */
void select_compiled_filter_close(struct select_compiled_filter *compiled);

/*
 * Applies it. `record` and `text` are buffers that are reused.
 *
 * Returns 0; ENOMEM.
 */
int select_compiled_filter_match(const struct select_compiled_filter *compiled,
                                 const struct cairn_event *event,
                                 struct export_print_output *record,
                                 struct export_print_output *text, bool *ret_is_selected);

#endif
