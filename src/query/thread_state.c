/* SPDX-License-Identifier: MIT */
/* The table `thread_state`: what each thread did, from a time to a time, by the scheduler's events.
 * A row comes when the state ends; states that are open at the end come last. Threads of several
 * recordings may have equal ids. */
#include "query/derived.h"
#include "query/stream.h"
#include "query/values.h"
#include "timeline/sched_event.h"

#include <errno.h>
#include <stdlib.h>

enum {
    TID,
    COMM,
    STATE,
    START_NS,
    STOP_NS,
    DURATION_NS,
    CPU,
    PRIORITY,
    WAKER,
    PREEMPTED,
    IS_OPEN,
    RECORDING,
    COLUMN_COUNT
};

static const struct query_column columns[COLUMN_COUNT] = {
    [TID] = {"tid", "INTEGER", false, false},
    [COMM] = {"comm", "TEXT", false, false},
    [STATE] = {"state", "TEXT", false, false},
    [START_NS] = {"start_ns", "INTEGER", false, false},
    [STOP_NS] = {"stop_ns", "INTEGER", false, false},
    [DURATION_NS] = {"duration_ns", "INTEGER", false, false},
    [CPU] = {"cpu", "INTEGER", false, false},
    [PRIORITY] = {"priority", "INTEGER", false, false},
    [WAKER] = {"waker", "INTEGER", false, false},
    [PREEMPTED] = {"preempted", "INTEGER", false, false},
    [IS_OPEN] = {"is_open", "INTEGER", false, false},
    [RECORDING] = {"recording", "TEXT", false, false},
};

struct thread_state_scan {
    struct query_stream stream;
    struct query_values values;
    struct timeline_states **states; /* of each recording */
    size_t source;                   /* the recording of the rows */
    size_t finished;                 /* recordings whose open states were returned, at the end */
    struct timeline_state *rows;     /* of the last event; at the end one for each thread */
    size_t row_count;
    size_t row_space;
    size_t row; /* that is returned next */
};

static int add_row(void *context, const struct timeline_state *state)
{
    struct thread_state_scan *scan = (struct thread_state_scan *)context;

    if (scan->row_count == scan->row_space) {
        size_t space = scan->row_space ? 2 * scan->row_space : 8;
        void *bigger = realloc(scan->rows, space * sizeof(*scan->rows));

        if (!bigger)
            return ENOMEM;
        scan->rows = (struct timeline_state *)bigger;
        scan->row_space = space;
    }
    scan->rows[scan->row_count++] = *state;
    return 0;
}

static void end(void *of)
{
    struct thread_state_scan *scan = (struct thread_state_scan *)of;

    for (size_t n = 0; scan->states && n < scan->stream.count; n++)
        timeline_states_destroy(scan->states[n]);
    free((void *)scan->states);
    query_values_close(&scan->values);
    query_stream_close(&scan->stream);
    free(scan->rows);
    free(scan);
}

static int create_states(struct thread_state_scan *scan)
{
    int err = 0;

    scan->states = (struct timeline_states **)calloc(scan->stream.count + 1, sizeof(*scan->states));
    if (!scan->states)
        return ENOMEM;
    for (size_t n = 0; n < scan->stream.count && !err; n++)
        err = timeline_states_create(add_row, scan, &scan->states[n]);
    return err;
}

static bool wants(void *context, const struct cairn_event_type *type)
{
    (void)context;
    return timeline_sched_kind_of(type) != TIMELINE_SCHED_NONE;
}

static int begin(const struct query_table *table, const struct query_request *request,
                 void **ret_scan)
{
    struct thread_state_scan *scan = (struct thread_state_scan *)calloc(1, sizeof(*scan));
    int err;

    (void)request;
    if (!scan)
        return ENOMEM;
    err = query_values_open(&scan->values);
    if (!err)
        err = query_stream_open(table->query, NULL, QUERY_STREAM_SWITCHES, &scan->stream);
    if (!err)
        err = create_states(scan);
    if (!err)
        err = query_stream_choose(&scan->stream, wants, NULL);
    if (err) {
        end(scan);
        return err;
    }
    *ret_scan = scan;
    return 0;
}

/* Passes the next event to the states of its recording; after the last one, ends those of the next
 * recording. */
static int add_rows(struct thread_state_scan *scan)
{
    int err = scan->finished ? ENODATA : query_stream_next(&scan->stream);

    if (!err) {
        scan->source = cairn_reader_source(scan->stream.reader);
        return timeline_states_event(scan->states[scan->source], scan->stream.event);
    }
    if (err != ENODATA || scan->finished == scan->stream.count)
        return err;
    scan->source = scan->finished++;
    return timeline_states_finish(scan->states[scan->source]);
}

static int next(void *of)
{
    struct thread_state_scan *scan = (struct thread_state_scan *)of;
    int err = 0;

    if (++scan->row < scan->row_count)
        return 0;
    scan->row = scan->row_count = 0;
    while (!err && !scan->row_count)
        err = add_rows(scan);
    return err;
}

static void cell(void *of, unsigned column, struct query_cell *to)
{
    struct thread_state_scan *scan = (struct thread_state_scan *)of;
    const struct timeline_state *row = &scan->rows[scan->row];

    switch (column) {
    case TID:
        query_cell_task(to, row->tid);
        break;
    case COMM:
        if (*row->comm)
            query_values_bytes(&scan->values, row->comm, strnlen(row->comm, sizeof(row->comm)), to);
        break;
    case STATE:
        query_cell_string(to, timeline_state_name(row->kind), true);
        break;
    case START_NS:
        query_cell_integer(to, row->start.ns);
        break;
    case STOP_NS:
        query_cell_integer(to, row->stop_ns);
        break;
    case DURATION_NS:
        query_cell_integer(to, row->stop_ns - row->start.ns);
        break;
    case CPU:
        if (row->cpu != UINT32_MAX)
            query_cell_integer(to, row->cpu);
        break;
    case PRIORITY:
        to->kind = CAIRN_QUERY_INTEGER;
        to->integer = row->priority;
        break;
    case WAKER:
        if (row->waker)
            query_cell_integer(to, row->waker);
        break;
    case PREEMPTED:
        query_cell_integer(to, row->preempted);
        break;
    case IS_OPEN:
        query_cell_integer(to, row->is_open);
        break;
    default:
        query_cell_string(to, query_stream_path(&scan->stream, scan->source), true);
        break;
    }
}

static const struct query_kind kind = {
    .interval = {.is_set = true, .key = TID, .start = START_NS, .stop = STOP_NS},
    .begin = begin,
    .next = next,
    .cell = cell,
    .end = end,
};

const struct query_derived query_derived_thread_state = {
    .kind = &kind,
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .events_of_row = 1,
};
