/* SPDX-License-Identifier: MIT */
/* The tables `processes` and `threads`: who wrote events, how many, and when. */
#include "query/derived.h"
#include "query/stream.h"
#include "query/values.h"
#include "timeline/time.h"

#include <errno.h>
#include <stdlib.h>

enum { PID, TID, COMM, EVENTS, FIRST_NS, LAST_NS, CPUS, COLUMN_COUNT };

static const struct query_column thread_columns[COLUMN_COUNT] = {
    [PID] = {"pid", "INTEGER", false, false},
    [TID] = {"tid", "INTEGER", false, false},
    [COMM] = {"comm", "TEXT", false, false},
    [EVENTS] = {"events", "INTEGER", false, false},
    [FIRST_NS] = {"first_ns", "INTEGER", false, false},
    [LAST_NS] = {"last_ns", "INTEGER", false, false},
    [CPUS] = {"cpu_changes", "INTEGER", false, false},
};

/* TID is the number of threads. */
static const struct query_column process_columns[COLUMN_COUNT] = {
    [PID] = {"pid", "INTEGER", false, false},
    [TID] = {"threads", "INTEGER", false, false},
    [COMM] = {"comm", "TEXT", false, false},
    [EVENTS] = {"events", "INTEGER", false, false},
    [FIRST_NS] = {"first_ns", "INTEGER", false, false},
    [LAST_NS] = {"last_ns", "INTEGER", false, false},
    [CPUS] = {"cpu_changes", "INTEGER", false, false},
};

struct thread_row {
    uint32_t pid;
    uint32_t tid;
    char comm[16]; /* the last one; of a process that of its first thread */
    uint64_t events;
    uint64_t first_ns;
    uint64_t last_ns;
    uint64_t cpu_changes;
    uint32_t cpu;     /* last; UINT32_MAX: unknown */
    uint32_t threads; /* of a process */
};

struct threads_scan {
    struct query_stream stream;
    struct query_values values;
    struct thread_row *threads; /* a hash table of slot_count; free where there are no events */
    size_t slot_count;
    size_t used;
    size_t row; /* when it is sorted */
    bool has_read;
    bool by_process;
};

/* ---- the hash table ---- */

static struct thread_row *slot_of(const struct threads_scan *scan, uint32_t pid, uint32_t tid)
{
    uint64_t key = (uint64_t)pid << 32 | tid;
    size_t at = (size_t)(key * 0x9e3779b97f4a7c15u >> 32) & (scan->slot_count - 1);

    while (scan->threads[at].events &&
           (scan->threads[at].pid != pid || scan->threads[at].tid != tid))
        at = (at + 1) & (scan->slot_count - 1);
    return &scan->threads[at];
}

static int grow(struct threads_scan *scan)
{
    struct thread_row *old = scan->threads;
    size_t old_count = scan->slot_count;

    scan->slot_count = old_count ? 2 * old_count : 256;
    scan->threads = (struct thread_row *)calloc(scan->slot_count, sizeof(*scan->threads));
    if (!scan->threads) {
        scan->threads = old;
        scan->slot_count = old_count;
        return ENOMEM;
    }
    for (size_t n = 0; n < old_count; n++) {
        if (old[n].events)
            *slot_of(scan, old[n].pid, old[n].tid) = old[n];
    }
    free(old);
    return 0;
}

static void add_time(struct thread_row *thread, uint64_t ns)
{
    if (!ns)
        return;
    if (!thread->first_ns || ns < thread->first_ns)
        thread->first_ns = ns;
    if (ns > thread->last_ns)
        thread->last_ns = ns;
}

static int add_event(struct threads_scan *scan, const struct cairn_event *event)
{
    struct thread_row *thread;

    if (!(event->has & CAIRN_EVENT_TID))
        return 0;
    if (2 * scan->used >= scan->slot_count && grow(scan))
        return ENOMEM;
    thread = slot_of(scan, event->pid, event->tid);
    if (!thread->events++) {
        *thread = (struct thread_row){
            .pid = event->pid, .tid = event->tid, .events = 1, .cpu = UINT32_MAX, .threads = 1};
        scan->used++;
    }
    if (event->comm)
        (void)stpncpy(thread->comm, event->comm, sizeof(thread->comm) - 1);
    add_time(thread, timeline_time_of(event));
    if (event->has & CAIRN_EVENT_CPU) {
        thread->cpu_changes += thread->cpu != UINT32_MAX && thread->cpu != event->cpu;
        thread->cpu = event->cpu;
    }
    return 0;
}

/* ---- the list ---- */

/* The first thread of a process, which has its number, first; free slots last. */
static int compare(const void *a, const void *b)
{
    const struct thread_row *x = (const struct thread_row *)a;
    const struct thread_row *y = (const struct thread_row *)b;

    if (!x->events || !y->events)
        return (y->events != 0) - (x->events != 0);
    if (x->pid != y->pid)
        return x->pid < y->pid ? -1 : 1;
    if ((x->tid == x->pid) != (y->tid == y->pid))
        return x->tid == x->pid ? -1 : 1;
    return x->tid < y->tid ? -1 : x->tid > y->tid;
}

static void add_to_process(struct thread_row *process, const struct thread_row *thread)
{
    process->events += thread->events;
    process->threads++;
    process->cpu_changes += thread->cpu_changes;
    add_time(process, thread->first_ns);
    add_time(process, thread->last_ns);
}

/* Makes one of the threads of a process. */
static void merge(struct threads_scan *scan)
{
    size_t kept = 0;

    for (size_t n = 0; n < scan->used; n++) {
        if (kept && scan->threads[kept - 1].pid == scan->threads[n].pid)
            add_to_process(&scan->threads[kept - 1], &scan->threads[n]);
        else
            scan->threads[kept++] = scan->threads[n];
    }
    scan->used = kept;
}

static int read_all(struct threads_scan *scan)
{
    int err;

    while (!(err = query_stream_next(&scan->stream))) {
        err = add_event(scan, scan->stream.event);
        if (err)
            return err;
    }
    if (err != ENODATA)
        return err;
    if (scan->slot_count)
        qsort(scan->threads, scan->slot_count, sizeof(*scan->threads), compare);
    if (scan->by_process)
        merge(scan);
    scan->has_read = true;
    return 0;
}

/* ---- scans ---- */

static void end(void *of)
{
    struct threads_scan *scan = (struct threads_scan *)of;

    query_values_close(&scan->values);
    query_stream_close(&scan->stream);
    free(scan->threads);
    free(scan);
}

static int begin(const struct query_table *table, const struct query_request *request,
                 void **ret_scan)
{
    struct threads_scan *scan = (struct threads_scan *)calloc(1, sizeof(*scan));
    int err;

    if (!scan)
        return ENOMEM;
    scan->by_process = table->context != NULL;
    err = query_values_open(&scan->values);
    if (!err)
        err = query_stream_open(table->query, NULL,
                                query_is_used(request->used, COMM) ? QUERY_STREAM_COMM : 0,
                                &scan->stream);
    if (err) {
        end(scan);
        return err;
    }
    *ret_scan = scan;
    return 0;
}

static int next(void *of)
{
    struct threads_scan *scan = (struct threads_scan *)of;
    int err = 0;

    if (!scan->has_read)
        err = read_all(scan);
    else
        scan->row++;
    if (err)
        return err;
    return scan->row < scan->used ? 0 : ENODATA;
}

static void cell(void *of, unsigned column, struct query_cell *to)
{
    struct threads_scan *scan = (struct threads_scan *)of;
    const struct thread_row *row = &scan->threads[scan->row];

    switch (column) {
    case PID:
        query_cell_task(to, row->pid);
        break;
    case TID:
        if (scan->by_process)
            query_cell_integer(to, row->threads);
        else
            query_cell_task(to, row->tid);
        break;
    case COMM:
        if (*row->comm)
            query_values_bytes(&scan->values, row->comm, strlen(row->comm), to);
        break;
    case EVENTS:
        query_cell_integer(to, row->events);
        break;
    case FIRST_NS:
        if (row->first_ns)
            query_cell_integer(to, row->first_ns);
        break;
    case LAST_NS:
        if (row->last_ns)
            query_cell_integer(to, row->last_ns);
        break;
    default:
        query_cell_integer(to, row->cpu_changes);
        break;
    }
}

static const struct query_kind kind = {
    .begin = begin,
    .next = next,
    .cell = cell,
    .end = end,
};

const struct query_derived query_derived_threads = {
    .kind = &kind,
    .columns = thread_columns,
    .column_count = COLUMN_COUNT,
    .events_of_row = 10000,
};

const struct query_derived query_derived_processes = {
    .kind = &kind,
    .columns = process_columns,
    .column_count = COLUMN_COUNT,
    .events_of_row = 10000,
    .context = "processes",
};
