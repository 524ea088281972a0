/* SPDX-License-Identifier: MIT */
/*
 * The tables `activities`, with one row for each start, and `spans`, with those that stopped. A row
 * is returned when its activity stops; the rows of activities that never stopped follow at the end.
 */
#include "query/derived.h"
#include "query/stream.h"
#include "query/values.h"
#include "timeline/spans.h"

#include <errno.h>
#include <stdlib.h>

enum {
    ID,
    PARENT,
    DEPTH,
    PROVIDER,
    NAME,
    START_NS,
    STOP_NS,
    DURATION_NS,
    SELF_NS,
    PID,
    TID,
    STOP_TID,
    COMM,
    START_FIELDS,
    STOP_FIELDS,
    RECORDING,
    COLUMN_COUNT,
};

static const struct query_column columns[COLUMN_COUNT] = {
    [ID] = {"id", "TEXT", false, false},
    [PARENT] = {"parent", "TEXT", false, false},
    [DEPTH] = {"depth", "INTEGER", false, false},
    [PROVIDER] = {"provider", "TEXT", false, false},
    [NAME] = {"name", "TEXT", false, false},
    [START_NS] = {"start_ns", "INTEGER", false, false},
    [STOP_NS] = {"stop_ns", "INTEGER", false, false},
    [DURATION_NS] = {"duration_ns", "INTEGER", false, false},
    [SELF_NS] = {"self_ns", "INTEGER", false, false},
    [PID] = {"pid", "INTEGER", false, false},
    [TID] = {"tid", "INTEGER", false, false},
    [STOP_TID] = {"stop_tid", "INTEGER", false, false},
    [COMM] = {"comm", "TEXT", false, false},
    [START_FIELDS] = {"start_fields", "TEXT", false, false},
    [STOP_FIELDS] = {"stop_fields", "TEXT", false, false},
    [RECORDING] = {"recording", "TEXT", false, false},
};

/* The data of a start event that its row needs; the span's cookie is the index. */
struct activities_start {
    char *fields; /* JSON, or NULL: not wanted */
    char comm[16];
    size_t source;      /* as cairn_reader_source */
    uint64_t next_free; /* cookie */
};

/* An open activity that was removed from the table of open spans. */
struct forgotten {
    struct timeline_span span;
    struct activities_start start;
};

struct activities_scan {
    struct query_stream stream;
    struct query_values values;
    struct timeline_spans *spans;
    bool only_stopped;
    bool wants_fields;
    struct activities_start *starts;
    uint64_t start_count;
    uint64_t free_start; /* the first free one; start_count: none */

    struct timeline_span row;
    struct activities_start row_start; /* owned */
    bool is_open;                      /* the row's activity did not stop */
    struct forgotten *forgotten;       /* rows to be returned next */
    size_t forgotten_count;
    size_t forgotten_space;
    bool is_at_end;
    size_t cursor; /* among those that are open at the end */
};

/* ---- starts ---- */

static int grow(struct activities_scan *scan)
{
    uint64_t count = scan->start_count ? 2 * scan->start_count : 64;
    void *bigger = realloc(scan->starts, count * sizeof(*scan->starts));

    if (!bigger)
        return ENOMEM;
    scan->starts = (struct activities_start *)bigger;
    for (uint64_t n = scan->start_count; n < count; n++)
        scan->starts[n] = (struct activities_start){.next_free = n + 1};
    scan->start_count = count;
    return 0;
}

static int add_start(struct activities_scan *scan, uint64_t *ret_cookie)
{
    const struct cairn_event *event = scan->stream.event;
    struct query_cell fields = {.kind = CAIRN_QUERY_NULL};
    struct activities_start *start;
    int err = scan->free_start == scan->start_count ? grow(scan) : 0;

    if (err)
        return err;
    start = &scan->starts[scan->free_start];
    start->source = cairn_reader_source(scan->stream.reader);
    if (event->comm)
        (void)stpncpy(start->comm, event->comm, sizeof(start->comm) - 1);
    if (scan->wants_fields) {
        (void)query_values_fields(&scan->values, event, &fields);
        start->fields = fields.text ? strndup(fields.text, fields.size_bytes) : NULL;
        if (!start->fields)
            return ENOMEM;
    }
    *ret_cookie = scan->free_start;
    scan->free_start = start->next_free;
    return 0;
}

static struct activities_start take_start(struct activities_scan *scan, uint64_t cookie)
{
    struct activities_start start = scan->starts[cookie];

    scan->starts[cookie] = (struct activities_start){.next_free = scan->free_start};
    scan->free_start = cookie;
    return start;
}

/* Called for an activity that is removed from the table of open spans, because the table is full or
 * the activity starts again: its row is returned as open. Without memory the row is missing. */
static void add_forgotten(void *context, const struct timeline_span *span)
{
    struct activities_scan *scan = (struct activities_scan *)context;
    struct activities_start start = take_start(scan, span->cookie);

    if (scan->forgotten_count == scan->forgotten_space) {
        size_t space = scan->forgotten_space ? 2 * scan->forgotten_space : 4;
        void *bigger = realloc(scan->forgotten, space * sizeof(*scan->forgotten));

        if (!bigger) {
            free(start.fields);
            return;
        }
        scan->forgotten = (struct forgotten *)bigger;
        scan->forgotten_space = space;
    }
    scan->forgotten[scan->forgotten_count++] = (struct forgotten){*span, start};
}

/* ---- scans ---- */

static void end(void *of)
{
    struct activities_scan *scan = (struct activities_scan *)of;

    for (size_t n = 0; n < scan->forgotten_count; n++)
        free(scan->forgotten[n].start.fields);
    free(scan->forgotten);
    for (uint64_t n = 0; n < scan->start_count; n++)
        free(scan->starts[n].fields);
    free(scan->starts);
    free(scan->row_start.fields);
    timeline_spans_destroy(scan->spans);
    query_values_close(&scan->values);
    query_stream_close(&scan->stream);
    free(scan);
}

static bool wants(void *context, const struct cairn_event_type *type)
{
    (void)context;
    return type->opcode == CAIRN_OPCODE_ACTIVITY_START ||
           type->opcode == CAIRN_OPCODE_ACTIVITY_STOP;
}

static int begin(const struct query_table *table, const struct query_request *request,
                 void **ret_scan)
{
    struct activities_scan *scan = (struct activities_scan *)calloc(1, sizeof(*scan));
    int err;

    if (!scan)
        return ENOMEM;
    scan->only_stopped = table->context != NULL;
    scan->wants_fields = query_is_used(request->used, START_FIELDS);
    err = timeline_spans_create(&scan->spans);
    if (!err)
        timeline_spans_set_forget(scan->spans, add_forgotten, scan);
    if (!err)
        err = query_values_open(&scan->values);
    if (!err)
        err = query_stream_open(table->query, NULL,
                                query_is_used(request->used, COMM) ? QUERY_STREAM_COMM : 0,
                                &scan->stream);
    if (!err)
        err = query_stream_choose(&scan->stream, wants, NULL);
    if (err) {
        end(scan);
        return err;
    }
    *ret_scan = scan;
    return 0;
}

static void set_row(struct activities_scan *scan, const struct timeline_span *span,
                    struct activities_start start, bool is_open)
{
    free(scan->row_start.fields);
    scan->row = *span;
    scan->row_start = start;
    scan->is_open = is_open;
}

static bool is_start(const struct activities_scan *scan, const struct cairn_event *event)
{
    return event->activity_id && event->type->opcode == CAIRN_OPCODE_ACTIVITY_START &&
           timeline_time_of(event) && !timeline_spans_is_repeated(scan->spans, event);
}

/* Adds an event to the spans. Sets *ret_is_row if it completed a row. */
static int take_event(struct activities_scan *scan, bool *ret_is_row)
{
    const struct timeline_span *span;
    enum timeline_change change;
    uint64_t cookie = 0;
    int err = is_start(scan, scan->stream.event) ? add_start(scan, &cookie) : 0;

    if (!err)
        err = timeline_spans_event(scan->spans, scan->stream.event, cookie, &change, &span);
    if (err)
        return err;
    *ret_is_row = change == TIMELINE_SPAN_STOPPED;
    if (*ret_is_row)
        set_row(scan, span, take_start(scan, span->cookie), false);
    return 0;
}

static void next_forgotten(struct activities_scan *scan)
{
    const struct forgotten *forgotten = &scan->forgotten[--scan->forgotten_count];

    set_row(scan, &forgotten->span, forgotten->start, true);
}

static int next_open(struct activities_scan *scan)
{
    const struct timeline_span *span = timeline_spans_open(scan->spans, &scan->cursor);

    if (!span)
        return ENODATA;
    set_row(scan, span, take_start(scan, span->cookie), true);
    return 0;
}

static int next_any(struct activities_scan *scan)
{
    bool is_row = false;
    int err = 0;

    if (scan->is_at_end)
        return next_open(scan);
    while (!err && !is_row) {
        if (scan->forgotten_count) {
            next_forgotten(scan);
            return 0;
        }
        err = query_stream_next(&scan->stream);
        if (!err)
            err = take_event(scan, &is_row);
    }
    if (err != ENODATA)
        return err;
    scan->is_at_end = true;
    return next_open(scan);
}

static int next(void *of)
{
    struct activities_scan *scan = (struct activities_scan *)of;
    int err;

    do {
        err = next_any(scan);
    } while (!err && scan->only_stopped && scan->is_open);
    return err;
}

/* ---- cells ---- */

static void set_name(struct activities_scan *scan, bool provider, struct query_cell *cell)
{
    const char *name = scan->row.name;
    const char *colon = strchr(name, ':');

    if (provider)
        query_values_bytes(&scan->values, name, (size_t)(colon - name), cell);
    else
        query_values_bytes(&scan->values, colon + 1, strlen(colon + 1), cell);
}

static void set_time(const struct activities_scan *scan, unsigned column, struct query_cell *cell)
{
    const struct timeline_span *row = &scan->row;
    uint64_t duration_ns = row->stop_ns - row->start.ns;

    if (column == START_NS)
        query_cell_integer(cell, row->start.ns);
    else if (scan->is_open)
        return;
    else if (column == STOP_NS)
        query_cell_integer(cell, row->stop_ns);
    else if (column == DURATION_NS)
        query_cell_integer(cell, duration_ns);
    else /* children may overlap */
        query_cell_integer(cell, duration_ns > row->child_ns ? duration_ns - row->child_ns : 0);
}

static void set_thread(struct activities_scan *scan, unsigned column, struct query_cell *cell)
{
    const struct timeline_span *row = &scan->row;
    uint32_t number = column == PID ? row->pid : column == TID ? row->tid : row->stop_tid;

    if (column == COMM && *scan->row_start.comm)
        query_values_bytes(&scan->values, scan->row_start.comm, strlen(scan->row_start.comm), cell);
    else if (column != COMM && number)
        query_cell_task(cell, number);
}

static void set_fields(struct activities_scan *scan, unsigned column, struct query_cell *cell)
{
    if (column == START_FIELDS)
        query_cell_string(cell, scan->row_start.fields, false);
    else if (!scan->is_open)
        (void)query_values_fields(&scan->values, scan->stream.event, cell);
}

static void cell(void *of, unsigned column, struct query_cell *to)
{
    static const uint8_t none[TIMELINE_ID_BYTES];
    struct activities_scan *scan = (struct activities_scan *)of;

    switch (column) {
    case ID:
        query_values_uuid(&scan->values, scan->row.id, to);
        break;
    case PARENT:
        if (memcmp(scan->row.parent_id, none, sizeof(none)) != 0)
            query_values_uuid(&scan->values, scan->row.parent_id, to);
        break;
    case DEPTH:
        query_cell_integer(to, scan->row.depth);
        break;
    case PROVIDER:
    case NAME:
        set_name(scan, column == PROVIDER, to);
        break;
    case START_NS:
    case STOP_NS:
    case DURATION_NS:
    case SELF_NS:
        set_time(scan, column, to);
        break;
    case START_FIELDS:
    case STOP_FIELDS:
        set_fields(scan, column, to);
        break;
    case RECORDING:
        query_cell_string(to, query_stream_path(&scan->stream, scan->row_start.source), true);
        break;
    default:
        set_thread(scan, column, to);
        break;
    }
}

static const struct query_kind kind = {
    .begin = begin,
    .next = next,
    .cell = cell,
    .end = end,
};

const struct query_derived query_derived_activities = {
    .kind = &kind,
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .events_of_row = 3,
};

const struct query_derived query_derived_spans = {
    .kind = &kind,
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .events_of_row = 3,
    .context = "stopped",
};
