/* SPDX-License-Identifier: MIT */
/* The table `sched`: which thread ran on which CPU, from a time to a time, and which one came after
 * it. A row comes with the switch that ends it. Each recording has CPUs of its own. */
#include "query/derived.h"
#include "query/stream.h"
#include "query/values.h"
#include "timeline/sched_event.h"

#include <errno.h>
#include <stdlib.h>

enum {
    CPU,
    TID,
    COMM,
    PRIORITY,
    START_NS,
    STOP_NS,
    DURATION_NS,
    END_STATE,
    NEXT_TID,
    NEXT_COMM,
    NEXT_PRIORITY,
    RECORDING,
    COLUMN_COUNT
};

static const struct query_column columns[COLUMN_COUNT] = {
    [CPU] = {"cpu", "INTEGER", false, false},
    [TID] = {"tid", "INTEGER", false, false},
    [COMM] = {"comm", "TEXT", false, false},
    [PRIORITY] = {"priority", "INTEGER", false, false},
    [START_NS] = {"start_ns", "INTEGER", false, false},
    [STOP_NS] = {"stop_ns", "INTEGER", false, false},
    [DURATION_NS] = {"duration_ns", "INTEGER", false, false},
    [END_STATE] = {"end_state", "TEXT", false, false},
    [NEXT_TID] = {"next_tid", "INTEGER", false, false},
    [NEXT_COMM] = {"next_comm", "TEXT", false, false},
    [NEXT_PRIORITY] = {"next_priority", "INTEGER", false, false},
    [RECORDING] = {"recording", "TEXT", false, false},
};

#define CPUS_MAX 65536u /* a larger number is no CPU */

struct sched_cpus {
    struct timeline_moment *switched; /* the last switch of each CPU; zeros: none yet */
    uint32_t count;
};

struct sched_scan {
    struct query_stream stream;
    struct query_values values;
    struct cairn_items *items;
    struct timeline_sched_reader reader;
    struct sched_cpus *cpus; /* of each recording */

    struct timeline_sched_event row;
    uint32_t cpu;
    struct timeline_moment start; /* zeros: unknown */
    struct timeline_moment stop;
};

static void end(void *of)
{
    struct sched_scan *scan = (struct sched_scan *)of;

    cairn_items_destroy(scan->items);
    query_values_close(&scan->values);
    for (size_t n = 0; scan->cpus && n < scan->stream.count; n++)
        free(scan->cpus[n].switched);
    free(scan->cpus);
    query_stream_close(&scan->stream);
    free(scan);
}

static bool wants(void *context, const struct cairn_event_type *type)
{
    (void)context;
    return timeline_sched_kind_of(type) == TIMELINE_SCHED_SWITCH;
}

static int begin(const struct query_table *table, const struct query_request *request,
                 void **ret_scan)
{
    struct sched_scan *scan = (struct sched_scan *)calloc(1, sizeof(*scan));
    int err;

    (void)request;
    if (!scan)
        return ENOMEM;
    err = cairn_items_create(&scan->items);
    if (!err)
        err = query_values_open(&scan->values);
    if (!err)
        err = query_stream_open(table->query, NULL, 0, &scan->stream);
    if (!err)
        err = query_stream_choose(&scan->stream, wants, NULL);
    if (!err)
        scan->cpus = (struct sched_cpus *)calloc(scan->stream.count + 1, sizeof(*scan->cpus));
    if (!err && !scan->cpus)
        err = ENOMEM;
    if (err) {
        end(scan);
        return err;
    }
    *ret_scan = scan;
    return 0;
}

static int make_space(struct sched_cpus *cpus, uint32_t cpu)
{
    uint32_t count = cpu + 64;
    void *bigger;

    if (cpu < cpus->count)
        return 0;
    bigger = realloc(cpus->switched, count * sizeof(*cpus->switched));
    if (!bigger)
        return ENOMEM;
    cpus->switched = (struct timeline_moment *)bigger;
    memset(cpus->switched + cpus->count, 0, (count - cpus->count) * sizeof(*cpus->switched));
    cpus->count = count;
    return 0;
}

static bool is_switch(struct sched_scan *scan)
{
    const struct cairn_event *event = scan->stream.event;

    return event->has & CAIRN_EVENT_CPU && event->cpu < CPUS_MAX && timeline_time_of(event) &&
           timeline_sched_read(&scan->reader, scan->items, event, &scan->row) ==
               TIMELINE_SCHED_SWITCH;
}

static int next(void *of)
{
    struct sched_scan *scan = (struct sched_scan *)of;
    struct sched_cpus *cpus;
    int err;

    do {
        err = query_stream_next(&scan->stream);
    } while (!err && !is_switch(scan));
    if (err)
        return err;
    scan->cpu = scan->stream.event->cpu;
    cpus = &scan->cpus[cairn_reader_source(scan->stream.reader)];
    err = make_space(cpus, scan->cpu);
    if (err)
        return err;
    scan->start = cpus->switched[scan->cpu];
    scan->stop = timeline_moment_of(scan->stream.event);
    cpus->switched[scan->cpu] = scan->stop;
    return 0;
}

static void set_comm(struct sched_scan *scan, const struct timeline_sched_thread *thread,
                     struct query_cell *to)
{
    query_values_bytes(&scan->values, thread->comm, strnlen(thread->comm, sizeof(thread->comm)),
                       to);
}

static void set_integer(int64_t value, struct query_cell *to)
{
    to->kind = CAIRN_QUERY_INTEGER;
    to->integer = value;
}

static void set_time(const struct sched_scan *scan, unsigned column, struct query_cell *to)
{
    uint64_t duration_ns = 0; /* also if the events are not in the order of time */

    if (!scan->start.ns && column == STOP_NS)
        query_cell_integer(to, scan->stop.ns);
    if (!scan->start.ns)
        return;
    (void)timeline_duration(&scan->start, &scan->stop, &duration_ns);
    if (column == DURATION_NS)
        query_cell_integer(to, duration_ns);
    else
        query_cell_integer(to, scan->start.ns + (column == STOP_NS ? duration_ns : 0));
}

static void cell(void *of, unsigned column, struct query_cell *to)
{
    struct sched_scan *scan = (struct sched_scan *)of;

    switch (column) {
    case CPU:
        query_cell_integer(to, scan->cpu);
        break;
    case TID:
        query_cell_task(to, scan->row.prev.tid);
        break;
    case COMM:
        set_comm(scan, &scan->row.prev, to);
        break;
    case PRIORITY:
        set_integer(scan->row.prev.priority, to);
        break;
    case END_STATE:
        query_cell_string(to, timeline_state_name(timeline_sched_state(scan->row.prev_state)),
                          true);
        break;
    case NEXT_TID:
        query_cell_task(to, scan->row.next.tid);
        break;
    case NEXT_COMM:
        set_comm(scan, &scan->row.next, to);
        break;
    case NEXT_PRIORITY:
        set_integer(scan->row.next.priority, to);
        break;
    case RECORDING:
        query_cell_string(
            to, query_stream_path(&scan->stream, cairn_reader_source(scan->stream.reader)), true);
        break;
    default:
        set_time(scan, column, to);
        break;
    }
}

static const struct query_kind kind = {
    .interval = {.is_set = true, .key = CPU, .start = START_NS, .stop = STOP_NS},
    .begin = begin,
    .next = next,
    .cell = cell,
    .end = end,
};

const struct query_derived query_derived_sched = {
    .kind = &kind,
    .columns = columns,
    .column_count = COLUMN_COUNT,
    .events_of_row = 2,
};
