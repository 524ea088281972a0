/* SPDX-License-Identifier: MIT */
/* Pairs the starts and stops of activities. */
#include "timeline/spans.h"

#include "core/load.h"
#include "core/slice.h"
#include "decode/items.h"
#include "timeline/names.h"
#include "timeline/span_table.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define LOOKS_TO_FORGET 3u

struct timeline_spans {
    struct timeline_span_table table;
    struct timeline_names names;
    struct timeline_span stopped; /* last */
    struct timeline_spans_counts counts;
};

int timeline_spans_create(struct timeline_spans **ret_spans)
{
    struct timeline_spans *spans = (struct timeline_spans *)calloc(1, sizeof(*spans));

    if (!spans)
        return ENOMEM;
    *ret_spans = spans;
    return 0;
}

void timeline_spans_destroy(struct timeline_spans *spans)
{
    if (!spans)
        return;
    timeline_span_table_free(&spans->table);
    timeline_names_free(&spans->names);
    free(spans);
}

void timeline_spans_set_forget(struct timeline_spans *spans, timeline_span_fn *forget,
                               void *context)
{
    spans->table.forget = forget;
    spans->table.context = context;
}

static void set_parent(const struct timeline_spans *spans, const struct cairn_event *event,
                       struct timeline_span *span)
{
    const struct timeline_span *parent;

    if (!event->related_id)
        return;
    memcpy(span->parent_id, event->related_id, TIMELINE_ID_BYTES);
    parent = timeline_span_table_find(&spans->table, event->related_id);
    if (parent)
        span->depth = parent->depth + 1;
}

/* ---- spans that were open when the recorder began ---- */

#define NO_FIELD UINT32_MAX

/*
 * The facade writes their start later, as an event whose last fields are thread_id and age_ns;
 * truncated_bytes may follow. Returns the index of age_ns.
 */
static uint32_t find_age(const struct decode_layout *layout)
{
    for (uint32_t n = 1; n <= 2 && n < layout->field_count; n++) {
        uint32_t index = layout->field_count - n;

        if (core_slice_is(layout->fields[index].item.name, "age_ns") &&
            core_slice_is(layout->fields[index - 1].item.name, "thread_id"))
            return index;
    }
    return NO_FIELD;
}

bool timeline_late_start(const struct cairn_event *event, struct timeline_late_start *ret_late)
{
    uint32_t age = find_age(decode_layout_of(event->type));
    struct cairn_items items;
    struct cairn_item item;
    bool has_age = false;

    if (age == NO_FIELD)
        return false;
    ret_late->tid = event->tid;
    cairn_items_begin(&items, event);
    while (cairn_items_next(&items, &item)) {
        uint32_t index = decode_items_index(&items, &item);
        uint64_t value;

        if (item.is_element || item.size_bytes != sizeof(value) || index + 1 < age || index > age)
            continue;
        value = core_load_unsigned(item.data, item.size_bytes, items.data.swap);
        if (index != age) {
            ret_late->tid = (uint32_t)value;
            continue;
        }
        ret_late->age_ns = value;
        has_age = true;
    }
    return has_age;
}

uint64_t timeline_start_of(const struct cairn_event *event, uint64_t now_ns, uint32_t *ret_tid)
{
    struct timeline_late_start late;

    *ret_tid = event->tid;
    if (!timeline_late_start(event, &late))
        return now_ns;
    *ret_tid = late.tid;
    return now_ns - (late.age_ns < now_ns ? late.age_ns : now_ns);
}

/* Sets the time and the thread of a span whose start is of this kind. */
static void correct_late_start(const struct cairn_event *event, struct timeline_span *span)
{
    struct timeline_late_start late;

    if (!timeline_late_start(event, &late))
        return;
    span->is_late = true;
    span->start = timeline_moment_before(span->start, late.age_ns);
    if (event->has & CAIRN_EVENT_TID)
        span->tid = late.tid;
}

/* A recorder that has recorded the start gets the other one, too, when another recorder begins. */
bool timeline_spans_is_repeated(const struct timeline_spans *spans, const struct cairn_event *event)
{
    const struct timeline_span *open =
        event->activity_id ? timeline_span_table_find(&spans->table, event->activity_id) : NULL;

    return open && event->type->opcode == CAIRN_OPCODE_ACTIVITY_START &&
           (open->is_late || find_age(decode_layout_of(event->type)) != NO_FIELD);
}

/* ---- starts and stops ---- */

static int start(struct timeline_spans *spans, const struct cairn_event *event, uint64_t cookie,
                 const struct timeline_span **ret_span)
{
    struct timeline_span span = {.start = timeline_moment_of(event), .cookie = cookie};
    struct timeline_span *stored;
    int err = timeline_names_find(&spans->names, event->type, &span.name);

    if (err)
        return err;
    memcpy(span.id, event->activity_id, TIMELINE_ID_BYTES);
    if (event->has & CAIRN_EVENT_TID) {
        span.pid = event->pid;
        span.tid = event->tid;
    }
    set_parent(spans, event, &span);
    correct_late_start(event, &span);
    err = timeline_span_table_put(&spans->table, &span, &stored);
    if (!err)
        *ret_span = stored;
    return err;
}

static void add_to_parent(struct timeline_spans *spans, const struct timeline_span *stopped)
{
    struct timeline_span *parent = timeline_span_table_find(&spans->table, stopped->parent_id);

    if (parent)
        parent->child_ns += stopped->stop_ns - stopped->start.ns;
}

/* False: its start is not known. */
static bool stop(struct timeline_spans *spans, const struct cairn_event *event)
{
    struct timeline_span *open = timeline_span_table_find(&spans->table, event->activity_id);
    const struct timeline_moment now = timeline_moment_of(event);
    uint64_t duration_ns;

    if (!open || !timeline_duration(&open->start, &now, &duration_ns)) {
        spans->counts.stops_alone++;
        return false;
    }
    spans->stopped = *open;
    spans->stopped.stop_ns = open->start.ns + duration_ns;
    spans->stopped.stop_tid = event->has & CAIRN_EVENT_TID ? event->tid : 0;
    timeline_span_table_remove(&spans->table, open);
    add_to_parent(spans, &spans->stopped);
    return true;
}

int timeline_spans_event(struct timeline_spans *spans, const struct cairn_event *event,
                         uint64_t cookie, enum timeline_change *ret_change,
                         const struct timeline_span **ret_span)
{
    enum timeline_change change = TIMELINE_SPAN_UNCHANGED;
    const struct timeline_span *span = NULL;
    int err = 0;

    if (event->activity_id && timeline_time_of(event) &&
        !timeline_spans_is_repeated(spans, event)) {
        if (event->type->opcode == CAIRN_OPCODE_ACTIVITY_START) {
            err = start(spans, event, cookie, &span);
            change = TIMELINE_SPAN_STARTED;
        } else if (event->type->opcode == CAIRN_OPCODE_ACTIVITY_STOP) {
            change = stop(spans, event) ? TIMELINE_SPAN_STOPPED : TIMELINE_SPAN_STOP_ALONE;
            span = change == TIMELINE_SPAN_STOPPED ? &spans->stopped : NULL;
        }
    }
    if (err)
        return err;
    *ret_change = change;
    *ret_span = span;
    return 0;
}

const struct timeline_span *timeline_spans_find(const struct timeline_spans *spans,
                                                const uint8_t id[TIMELINE_ID_BYTES])
{
    return timeline_span_table_find(&spans->table, id);
}

const struct timeline_span *timeline_spans_open(const struct timeline_spans *spans, size_t *cursor)
{
    while (*cursor < spans->table.slot_count) {
        const struct timeline_span *span = &spans->table.slots[(*cursor)++];

        if (span->name)
            return span;
    }
    return NULL;
}

void timeline_spans_look_for_ended(struct timeline_spans *spans,
                                   bool (*has_process)(void *context, uint32_t pid), void *context)
{
    for (uint32_t n = 0; n < spans->table.slot_count; n++) {
        struct timeline_span *span = &spans->table.slots[n];

        if (!span->name)
            continue;
        span->missed = has_process(context, span->pid) ? 0 : (uint8_t)(span->missed + 1);
        if (span->missed == LOOKS_TO_FORGET)
            timeline_span_table_forget(&spans->table, span);
    }
}

const struct timeline_spans_counts *timeline_spans_counts(struct timeline_spans *spans)
{
    spans->counts.open = spans->table.open;
    spans->counts.forgotten = spans->table.forgotten;
    return &spans->counts;
}
