/* SPDX-License-Identifier: MIT */
/*
 * Scans of events.
 *
 * An event that the filter does not want is left after a look at its head. A field is decoded when
 * its column is asked for: at its offset if all before it have a fixed size; otherwise all fields
 * of the event are found at once, once. If nothing but names is asked for, the numbers of events by
 * name are enough, and nothing is read.
 */
#include "query/events.h"

#include "core/atomic.h"
#include "decode/reader.h"
#include "export/names.h"
#include "export/number.h"
#include "query/ahead.h"
#include "query/event_layout.h"
#include "query/numbers.h"
#include "query/stream.h"
#include "query/values.h"
#include "timeline/time.h"

#include <errno.h>
#include <stdlib.h>

struct event_scan {
    const struct query_event_table *table;
    struct query_filter filter;
    struct query_stream stream;
    struct query_values values;
    struct query_event_layouts layouts;
    const struct query_event_layout *layout; /* of the event */
    struct cairn_items items;
    struct decode_value_data *found; /* of the event's fields, by their index in the layout */
    uint32_t found_count;            /* space */
    bool has_found;                  /* for this event */
    bool is_damaged;                 /* and it was counted */
    uint64_t *damaged; /* rows whose fields were found to be damaged, by the stream's recordings */
    struct query_ahead *ahead; /* rows that threads make; NULL: none */

    /* In a thread that makes rows ahead: */
    const struct event_scan *whole; /* NULL: it is none */
    size_t source;                  /* of the event */

    /* Without reading: */
    bool is_counted;
    const struct query_event **names; /* the events of the catalog, in the order that is wanted */
    size_t counted;                   /* which of them */
    uint64_t counted_left;            /* of its events */
    bool is_distinct;                 /* one row for each is enough */
    uint32_t order;
    bool is_weighted; /* one row stands for all of a name */
};

/* ---- beginning ---- */

/* True if columns of names alone are used, so that counts by name are enough. */
static bool needs_no_reading(const struct query_table *of, uint64_t used)
{
    const struct query_event_table *table = (const struct query_event_table *)of;

    if (of->query->has_changed || of->query->catalog.is_partial)
        return false;
    for (unsigned n = 0; n < of->column_count; n++) {
        if (query_is_used(used, n) && table->source[n] != QUERY_EVENT_EVENT &&
            table->source[n] != QUERY_EVENT_PROVIDER)
            return false;
    }
    return true;
}

/* The order of two events by the columns of a request, for qsort_r. */
static int compare_names(const void *a, const void *b, void *context)
{
    const struct query_event *x = *(const struct query_event *const *)a;
    const struct query_event *y = *(const struct query_event *const *)b;
    const struct event_scan *scan = (const struct event_scan *)context;

    for (uint32_t order = scan->order; order; order >>= QUERY_ORDER_BITS) {
        unsigned column = (order & (QUERY_ORDER_DESCENDING - 1)) - 1;
        int is_more = scan->table->source[column] == QUERY_EVENT_EVENT
                          ? strcmp(x->event, y->event)
                          : strcmp(x->provider, y->provider);

        if (is_more)
            return order & QUERY_ORDER_DESCENDING ? -is_more : is_more;
    }
    return 0;
}

static int begin_counting(struct event_scan *scan, uint32_t order)
{
    struct cairn_query *query = scan->table->table.query;
    size_t count = query->catalog.count;

    scan->names = (const struct query_event **)calloc(count + 1, sizeof(struct query_event *));
    if (!scan->names)
        return ENOMEM;
    for (size_t n = 0; n < count; n++)
        scan->names[n] = query->catalog.events[n];
    scan->is_distinct = order & QUERY_ORDER_DISTINCT;
    scan->order = order & ~QUERY_ORDER_DISTINCT;
    qsort_r((void *)scan->names, count, sizeof(*scan->names), compare_names, scan);
    scan->counted = SIZE_MAX; /* before the first */
    scan->is_weighted = query->weights.are_allowed;
    return 0;
}

static bool uses(const struct query_event_table *table, uint64_t used, int16_t source)
{
    for (unsigned n = 0; n < table->table.column_count; n++) {
        if (table->source[n] == source && query_is_used(used, n))
            return true;
    }
    return false;
}

static bool wants_type(void *context, const struct cairn_event_type *type)
{
    const struct event_scan *scan = (const struct event_scan *)context;

    return query_event_layout_wants(&scan->layouts, type);
}

static int open_stream(struct event_scan *scan, const struct query_request *request)
{
    bool has_names =
        scan->table->event || scan->filter.events.is_set || scan->filter.providers.is_set;
    int err = query_values_open(&scan->values);

    scan->damaged =
        (uint64_t *)calloc(scan->table->table.query->recordings.count, sizeof(*scan->damaged));
    if (!scan->damaged)
        err = ENOMEM;
    if (!err)
        err = query_stream_open(
            scan->table->table.query, &scan->filter.range,
            uses(scan->table, request->used, QUERY_EVENT_COMM) ? QUERY_STREAM_COMM : 0,
            &scan->stream);
    if (!err && has_names)
        err = query_stream_choose(&scan->stream, wants_type, scan);
    return err;
}

/* Counts are those of what was read so far; another scan may have read more. */
static void note_damage(const struct event_scan *scan)
{
    for (size_t n = 0; n < scan->stream.count; n++)
        query_recording_note_damage(&scan->stream.query->recordings, scan->stream.indexes[n],
                                    scan->damaged[n]);
}

static void end(void *of)
{
    struct event_scan *scan = (struct event_scan *)of;

    query_ahead_end(scan->ahead);
    if (!scan->whole)
        note_damage(scan);
    query_event_layouts_free(&scan->layouts);
    query_filter_free(&scan->filter);
    query_stream_close(&scan->stream);
    query_values_close(&scan->values);
    free(scan->found);
    free(scan->damaged);
    free((void *)scan->names);
    free(scan);
}

/* Decides on the event, and finds its layout. Returns 0, ENOMEM. */
static int choose(struct event_scan *scan, bool *ret_is_row)
{
    int err;

    *ret_is_row = false;
    scan->has_found = scan->is_damaged = false;
    if (!query_filter_passes(scan->layouts.filter, scan->stream.event))
        return 0;
    err = query_event_layout_of(&scan->layouts, decode_layout_of(scan->stream.event->type),
                                &scan->layout);
    *ret_is_row = !err && scan->layout->is_wanted;
    return err;
}

/* ---- threads ---- */

static int begin_thread(void *context, void **ret_worker)
{
    const struct event_scan *whole = (const struct event_scan *)context;
    struct event_scan *scan = (struct event_scan *)calloc(1, sizeof(*scan));

    if (!scan || query_values_open(&scan->values)) {
        free(scan);
        return ENOMEM;
    }
    scan->whole = whole;
    scan->table = whole->table;
    scan->layouts.table = whole->table;
    scan->layouts.filter = whole->layouts.filter;
    *ret_worker = scan;
    return 0;
}

static int take_event(void *worker, const struct cairn_event *event, size_t source,
                      bool *ret_is_row)
{
    struct event_scan *scan = (struct event_scan *)worker;

    scan->stream.event = event;
    scan->source = source;
    return choose(scan, ret_is_row);
}

static void cell(void *of, unsigned column, struct query_cell *to);

/* The positions of call sites are the reader's, which threads do not have. */
static int begin_ahead(struct event_scan *scan, const struct query_request *request)
{
    const struct query_ahead_calls calls = {scan, begin_thread, take_event, cell, end};
    const struct cairn_query *query = scan->table->table.query;
    struct query_request own = *request;

    own.may_have_numbers &= query_numbers_are_all(&scan->table->table, request->used);
    if ((query->threads <= 1 && !own.may_have_numbers) ||
        uses(scan->table, request->used, QUERY_EVENT_FILE) ||
        uses(scan->table, request->used, QUERY_EVENT_LINE) ||
        uses(scan->table, request->used, QUERY_EVENT_FUNCTION))
        return 0;
    return query_ahead_begin(&scan->stream, query->threads, &calls, &own,
                             scan->table->table.column_count, &scan->ahead);
}

static int begin(const struct query_table *table, const struct query_request *request,
                 void **ret_scan)
{
    struct event_scan *scan = (struct event_scan *)calloc(1, sizeof(*scan));
    int err;

    if (!scan)
        return ENOMEM;
    scan->table = (const struct query_event_table *)table;
    scan->layouts.table = scan->table;
    scan->layouts.filter = &scan->filter;
    err = query_filter_make(request, scan->table->source, &scan->filter);
    if (!err) {
        scan->is_counted = needs_no_reading(table, request->used);
        err = scan->is_counted ? begin_counting(scan, request->order) : open_stream(scan, request);
        if (!err && !scan->is_counted)
            err = begin_ahead(scan, request);
    }
    if (err) {
        end(scan);
        return err;
    }
    *ret_scan = scan;
    return 0;
}

/* ---- rows ---- */

static bool is_wanted(const struct event_scan *scan, const struct query_event *event)
{
    return (!scan->table->event || scan->table->event == event) &&
           query_filter_has_name(&scan->filter, event->provider, event->event);
}

static int next_counted(struct event_scan *scan)
{
    struct cairn_query *query = scan->table->table.query;

    if (query->is_interrupted)
        return ECANCELED;
    while (!scan->counted_left) {
        const struct query_event *event;

        query->weights.weight = 1;
        if (++scan->counted >= query->catalog.count)
            return ENODATA;
        event = scan->names[scan->counted];
        if (!event->events || !is_wanted(scan, event))
            continue;
        scan->counted_left = scan->is_distinct || scan->is_weighted ? 1 : event->events;
        if (scan->is_weighted && !scan->is_distinct)
            query->weights.weight = event->events;
    }
    scan->counted_left--;
    return 0;
}

static int next_ahead(struct event_scan *scan)
{
    int err = query_ahead_next(scan->ahead);

    if (!err)
        scan->table->table.query->weights.weight = query_ahead_events(scan->ahead);
    return err;
}

static int next(void *of)
{
    struct event_scan *scan = (struct event_scan *)of;
    bool is_row = false;
    int err;

    if (scan->is_counted)
        return next_counted(scan);
    if (scan->ahead)
        return next_ahead(scan);
    do {
        err = query_stream_next(&scan->stream);
        if (!err)
            err = choose(scan, &is_row);
    } while (!err && !is_row);
    return err;
}

/* ---- fields ---- */

static void count_damage(struct event_scan *scan)
{
    if (scan->is_damaged)
        return;
    scan->is_damaged = true;
    if (scan->whole)
        (void)core_fetch_add_relaxed(&scan->whole->damaged[scan->source], 1);
    else
        scan->damaged[cairn_reader_source(scan->stream.reader)]++;
}

/* Finds all fields of the event that are single values. */
static bool find_all(struct event_scan *scan)
{
    const struct cairn_event *event = scan->stream.event;
    uint32_t count = decode_layout_of(event->type)->field_count;
    struct cairn_item item;

    if (count > scan->found_count) {
        void *bigger = realloc(scan->found, count * sizeof(*scan->found));

        if (!bigger)
            return false;
        scan->found = (struct decode_value_data *)bigger;
        scan->found_count = count;
    }
    memset(scan->found, 0, count * sizeof(*scan->found));
    cairn_items_begin(&scan->items, event);
    while (cairn_items_next(&scan->items, &item)) {
        if (item.kind == CAIRN_ITEM_VALUE && !item.is_element)
            scan->found[decode_items_index(&scan->items, &item)] =
                (struct decode_value_data){item.data, item.size_bytes, scan->items.data.swap};
    }
    if (cairn_items_error(&scan->items))
        count_damage(scan);
    scan->has_found = true;
    return true;
}

static void set_direct(struct event_scan *scan, const struct decode_layout_field *field,
                       uint32_t offset, struct query_cell *cell)
{
    const struct cairn_event *event = scan->stream.event;
    struct core_cursor data = core_cursor(event->data, event->data_bytes, event->swap);
    struct decode_value_data value;

    core_cursor_take(&data, offset);
    value = decode_items_take_value(&data, field);
    if (cairn_likely(!data.error))
        query_values_cell(&scan->values, field, value, cell);
    else
        count_damage(scan);
}

static void set_field(struct event_scan *scan, uint32_t index, struct query_cell *cell)
{
    const struct decode_layout_field *field =
        &decode_layout_of(scan->stream.event->type)->fields[index];

    if (field->array != DECODE_LAYOUT_SINGLE) {
        if (query_values_array(&scan->values, scan->stream.event, index, cell))
            count_damage(scan);
        return;
    }
    if (!scan->has_found && !find_all(scan))
        return;
    if (scan->found[index].data)
        query_values_cell(&scan->values, field, scan->found[index], cell);
}

static void set_location(struct event_scan *scan, const struct query_location *location,
                         struct query_cell *cell)
{
    const struct cairn_event *event = scan->stream.event;

    if (location->index == QUERY_NO_FIELD || !event->data)
        return;
    if (cairn_likely(location->is_direct))
        set_direct(scan, &decode_layout_of(event->type)->fields[location->index], location->offset,
                   cell);
    else
        set_field(scan, location->index, cell);
}

/* ---- the parts of an event ---- */

static void set_named(const char *name, uint8_t number, struct event_scan *scan,
                      struct query_cell *cell)
{
    struct export_print_output *out = &scan->values.printer->out;

    if (name) {
        query_cell_string(cell, name, true);
        return;
    }
    out->at = out->begin;
    out->at = export_put_unsigned(export_output_reserve(out, 20), number);
    query_cell_text(cell, out->begin, (size_t)(out->at - out->begin), false);
}

static void set_eventheader(struct event_scan *scan, int16_t column, struct query_cell *cell)
{
    const struct cairn_event_type *type = scan->stream.event->type;

    if (!type->is_eventheader)
        return;
    switch (column) {
    case QUERY_EVENT_LEVEL:
        set_named(export_level_name(type->level), type->level, scan, cell);
        break;
    case QUERY_EVENT_LEVEL_NUMBER:
        query_cell_integer(cell, type->level);
        break;
    case QUERY_EVENT_KEYWORD: /* all 64 bits, for & */
        cell->kind = CAIRN_QUERY_INTEGER;
        cell->integer = (int64_t)type->keyword;
        break;
    case QUERY_EVENT_OPCODE:
        if (type->opcode)
            set_named(export_opcode_name(type->opcode), type->opcode, scan, cell);
        break;
    default:
        if (type->tag)
            query_cell_integer(cell, type->tag);
        break;
    }
}

/* The position of the call site, which trace files have. */
static void set_site(struct event_scan *scan, int16_t column, struct query_cell *cell)
{
    const struct trace_file_descriptor *descriptor = scan->stream.reader->record.descriptor;
    struct cairn_slice text;

    if (!descriptor)
        return;
    text = column == QUERY_EVENT_FILE ? descriptor->file : descriptor->function;
    if (column == QUERY_EVENT_LINE && descriptor->line)
        query_cell_integer(cell, descriptor->line);
    else if (column != QUERY_EVENT_LINE && text.length)
        query_values_bytes(&scan->values, text.text, text.length, cell);
}

static void set_sample(struct event_scan *scan, int16_t column, struct query_cell *cell)
{
    const struct cairn_event *event = scan->stream.event;

    switch (column) {
    case QUERY_EVENT_TIME_NS:
        if (event->has & (CAIRN_EVENT_TIME | CAIRN_EVENT_WALL))
            query_cell_integer(cell, timeline_time_of(event));
        break;
    case QUERY_EVENT_WALL:
        if (event->has & CAIRN_EVENT_WALL)
            query_values_wall(&scan->values, event->wall_ns, cell);
        break;
    case QUERY_EVENT_CPU:
        if (event->has & CAIRN_EVENT_CPU)
            query_cell_integer(cell, event->cpu);
        break;
    case QUERY_EVENT_PID:
        if (event->has & CAIRN_EVENT_TID)
            query_cell_task(cell, event->pid);
        break;
    case QUERY_EVENT_TID:
        if (event->has & CAIRN_EVENT_TID)
            query_cell_task(cell, event->tid);
        break;
    default:
        if (event->comm)
            query_values_bytes(&scan->values, event->comm, strlen(event->comm), cell);
        break;
    }
}

static const char *path_of(const struct event_scan *scan)
{
    if (!scan->whole)
        return query_stream_path(&scan->stream, cairn_reader_source(scan->stream.reader));
    return query_stream_path(&scan->whole->stream, scan->source);
}

static void set_error(struct event_scan *scan, struct query_cell *cell)
{
    enum cairn_event_error error;

    cairn_items_begin(&scan->items, scan->stream.event);
    error = decode_items_finish(&scan->items);
    if (error) {
        count_damage(scan);
        query_cell_string(cell, cairn_event_error_text(error), true);
    }
}

static void set_by_name(struct event_scan *scan, uint32_t field, struct query_cell *cell)
{
    if (field != QUERY_NO_FIELD && scan->stream.event->data)
        set_field(scan, field, cell);
}

static void set_common(struct event_scan *scan, int16_t column, struct query_cell *cell)
{
    switch ((enum query_event_column)column) {
    case QUERY_EVENT_PROVIDER:
        query_cell_string(cell, scan->layout->event->provider, true);
        break;
    case QUERY_EVENT_EVENT:
        query_cell_string(cell, scan->layout->event->event, true);
        break;
    case QUERY_EVENT_LEVEL:
    case QUERY_EVENT_LEVEL_NUMBER:
    case QUERY_EVENT_KEYWORD:
    case QUERY_EVENT_OPCODE:
    case QUERY_EVENT_TAG:
        set_eventheader(scan, column, cell);
        break;
    case QUERY_EVENT_ACTIVITY:
        query_values_uuid(&scan->values, scan->stream.event->activity_id, cell);
        break;
    case QUERY_EVENT_RELATED:
        query_values_uuid(&scan->values, scan->stream.event->related_id, cell);
        break;
    case QUERY_EVENT_TRACE_ID:
        set_by_name(scan, scan->layout->trace_id, cell);
        break;
    case QUERY_EVENT_SPAN_ID:
        set_by_name(scan, scan->layout->span_id, cell);
        break;
    case QUERY_EVENT_FILE:
    case QUERY_EVENT_LINE:
    case QUERY_EVENT_FUNCTION:
        set_site(scan, column, cell);
        break;
    case QUERY_EVENT_RECORDING:
        query_cell_string(cell, path_of(scan), true);
        break;
    case QUERY_EVENT_ERROR:
        set_error(scan, cell);
        break;
    case QUERY_EVENT_FIELDS:
        if (query_values_fields(&scan->values, scan->stream.event, cell))
            count_damage(scan);
        break;
    default:
        set_sample(scan, column, cell);
        break;
    }
}

static void set_counted(const struct event_scan *scan, int16_t column, struct query_cell *cell)
{
    const struct query_event *event = scan->names[scan->counted];

    if (column == QUERY_EVENT_EVENT)
        query_cell_string(cell, event->event, true);
    else if (column == QUERY_EVENT_PROVIDER)
        query_cell_string(cell, event->provider, true);
}

static void cell(void *of, unsigned column, struct query_cell *to)
{
    struct event_scan *scan = (struct event_scan *)of;
    int16_t source = scan->table->source[column];

    if (scan->is_counted)
        set_counted(scan, source, to);
    else if (scan->ahead)
        query_ahead_cell(scan->ahead, column, to);
    else if (source < 0)
        set_location(scan, &scan->layout->locations[~source], to);
    else
        set_common(scan, source, to);
}

const struct query_kind query_events_kind = {
    .needs_no_reading = needs_no_reading,
    .begin = begin,
    .next = next,
    .cell = cell,
    .end = end,
};
