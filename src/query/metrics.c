/* SPDX-License-Identifier: MIT */
/* The table `metrics`: each number of each event, one row for each. */
#include "query/derived.h"
#include "query/stream.h"
#include "query/values.h"
#include "timeline/time.h"

#include <errno.h>
#include <stdlib.h>

enum { TIME_NS, PROVIDER, EVENT, FIELD, VALUE, CPU, PID, TID, COLUMN_COUNT };

static const struct query_column columns[COLUMN_COUNT] = {
    [TIME_NS] = {"time_ns", "INTEGER", false, true},
    [PROVIDER] = {"provider", "TEXT", false, false},
    [EVENT] = {"event", "TEXT", false, false},
    [FIELD] = {"field", "TEXT", false, false},
    [VALUE] = {"value", "", false, false},
    [CPU] = {"cpu", "INTEGER", false, false},
    [PID] = {"pid", "INTEGER", false, false},
    [TID] = {"tid", "INTEGER", false, false},
};

/* The columns of a layout, found for its first event. */
struct metric_names {
    uint64_t serial;
    struct query_field *fields;
    unsigned count;
};

struct metrics_scan {
    struct query_stream stream;
    struct query_values values;
    struct cairn_items items;
    struct metric_names *names; /* by the low bits of the serial number */
    const struct metric_names *of_event;
    bool is_in_event;
    const struct query_field *field; /* of the row */
    struct query_cell value;
};

#define NAMES_COUNT 256u

static void end(void *of)
{
    struct metrics_scan *scan = (struct metrics_scan *)of;

    for (unsigned n = 0; scan->names && n < NAMES_COUNT; n++)
        query_fields_free(scan->names[n].fields, scan->names[n].count);
    free(scan->names);
    query_values_close(&scan->values);
    query_stream_close(&scan->stream);
    free(scan);
}

static int begin(const struct query_table *table, const struct query_request *request,
                 void **ret_scan)
{
    struct metrics_scan *scan = (struct metrics_scan *)calloc(1, sizeof(*scan));
    int err;

    (void)request;
    if (!scan)
        return ENOMEM;
    scan->names = (struct metric_names *)calloc(NAMES_COUNT, sizeof(*scan->names));
    err = scan->names ? query_values_open(&scan->values) : ENOMEM;
    if (!err)
        err = query_stream_open(table->query, NULL, 0, &scan->stream);
    if (err) {
        end(scan);
        return err;
    }
    *ret_scan = scan;
    return 0;
}

/* Begins with the values of an event. */
static int begin_event(struct metrics_scan *scan)
{
    const struct decode_layout *layout = decode_layout_of(scan->stream.event->type);
    struct metric_names *names = &scan->names[layout->serial % NAMES_COUNT];

    if (names->serial != layout->serial) {
        query_fields_free(names->fields, names->count);
        *names = (struct metric_names){0};
        if (query_fields_of(layout, &names->fields, &names->count))
            return ENOMEM;
        names->serial = layout->serial;
    }
    scan->of_event = names;
    scan->is_in_event = true;
    cairn_items_begin(&scan->items, scan->stream.event);
    return 0;
}

/* Returns the column of a field, if it is a number. */
static const struct query_field *number_of(const struct metrics_scan *scan, uint32_t index)
{
    for (unsigned n = 0; n < scan->of_event->count; n++) {
        const struct query_field *field = &scan->of_event->fields[n];

        if (field->index == index)
            return !strcmp(field->type, "INTEGER") || !strcmp(field->type, "REAL") ? field : NULL;
    }
    return NULL;
}

/* Finds the next number of the event. False: there is none. */
static bool next_number(struct metrics_scan *scan)
{
    struct cairn_item item;

    while (cairn_items_next(&scan->items, &item)) {
        if (item.kind != CAIRN_ITEM_VALUE || item.is_element)
            continue;
        scan->field = number_of(scan, decode_items_index(&scan->items, &item));
        if (!scan->field)
            continue;
        scan->value = (struct query_cell){.kind = CAIRN_QUERY_NULL};
        query_values_cell(
            &scan->values, decode_layout_field_of(item.field),
            (struct decode_value_data){item.data, item.size_bytes, scan->items.data.swap},
            &scan->value);
        return true;
    }
    return false;
}

static int next(void *of)
{
    struct metrics_scan *scan = (struct metrics_scan *)of;

    for (;;) {
        int err;

        if (scan->is_in_event && next_number(scan))
            return 0;
        err = query_stream_next(&scan->stream);
        if (!err)
            err = begin_event(scan);
        if (err)
            return err;
    }
}

static void cell(void *of, unsigned column, struct query_cell *to)
{
    struct metrics_scan *scan = (struct metrics_scan *)of;
    const struct cairn_event *event = scan->stream.event;
    struct cairn_slice name = column == PROVIDER ? event->type->provider : event->type->name;
    bool has_tid = event->has & CAIRN_EVENT_TID;

    switch (column) {
    case TIME_NS:
        if (timeline_time_of(event))
            query_cell_integer(to, timeline_time_of(event));
        break;
    case PROVIDER:
    case EVENT:
        query_values_bytes(&scan->values, name.text, name.length, to);
        break;
    case FIELD:
        query_cell_string(to, scan->field->name, false);
        break;
    case VALUE:
        *to = scan->value;
        break;
    case CPU:
        if (event->has & CAIRN_EVENT_CPU)
            query_cell_integer(to, event->cpu);
        break;
    default:
        if (has_tid)
            query_cell_task(to, column == PID ? event->pid : event->tid);
        break;
    }
}

static const struct query_kind kind = {
    .begin = begin,
    .next = next,
    .cell = cell,
    .end = end,
};

const struct query_derived query_derived_metrics = {
    .kind = &kind,
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .events_of_row = 1,
};
