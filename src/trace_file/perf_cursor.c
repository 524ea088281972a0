/* SPDX-License-Identifier: MIT */
/* The kernel's records as events, and what other records than samples say. */
#include "trace_file/perf_cursor.h"

#include "perf_data/disk.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* ---- the order of time ---- */

static int by_time(const void *a, const void *b)
{
    const struct trace_file_perf_record *x = (const struct trace_file_perf_record *)a;
    const struct trace_file_perf_record *y = (const struct trace_file_perf_record *)b;

    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return x->data < y->data ? -1 : x->data > y->data;
}

/* Rings are sorted but for records of interrupts, which may come after a record of a later time. */
static void sort(struct trace_file_perf_record *records, uint32_t count)
{
    for (uint32_t n = 1; n < count; n++) {
        if (by_time(&records[n - 1], &records[n]) > 0) {
            qsort(records, count, sizeof(*records), by_time);
            return;
        }
    }
}

static bool is_kept(const struct trace_file_reader *reader,
                    const struct trace_file_perf_record *record)
{
    return !reader->without_switches ||
           (record->type != PERF_RECORD_SWITCH && record->type != PERF_RECORD_SWITCH_CPU_WIDE);
}

static int count_records(const struct trace_file_reader *reader, struct core_cursor records,
                         uint32_t *ret_count)
{
    struct trace_file_perf_record record;

    *ret_count = 0;
    while (records.left) {
        int err = trace_file_perf_record_take(&reader->tables, &records, &record);

        if (err)
            return err;
        *ret_count += is_kept(reader, &record);
    }
    return 0;
}

/* A record without a time has that of the one before it. */
static void fill(const struct trace_file_reader *reader, struct trace_file_perf_piece *piece,
                 struct trace_file_cursor *cursor)
{
    uint64_t time_ns = piece->first_ns;

    for (uint32_t n = 0; n < cursor->perf_count;) {
        struct trace_file_perf_record *record = &cursor->perf[n];

        if (trace_file_perf_record_take(&reader->tables, &piece->records, record)) {
            cursor->perf_count = n; /* a mapped file has changed since they were counted */
            break;
        }
        if (!record->attr)
            record->time_ns = time_ns;
        time_ns = record->time_ns;
        n += is_kept(reader, record);
    }
    sort(cursor->perf, cursor->perf_count);
}

int trace_file_perf_cursor_begin(struct trace_file_reader *reader, struct trace_file_block *block,
                                 struct core_cursor *c, struct trace_file_cursor **ret_cursor)
{
    struct trace_file_cursor *cursor;
    struct trace_file_perf_piece piece;
    uint32_t count;
    int err = trace_file_perf_piece_take(c, &piece);

    if (!err && reader->is_range && piece.events &&
        trace_file_time_after(piece.last_ns, reader->margin_ns) < reader->since_ns)
        return ENODATA; /* of earlier ranges */
    err = err ? err : count_records(reader, piece.records, &count);
    if (err)
        return err;
    if (!count)
        return ENODATA;
    cursor = (struct trace_file_cursor *)calloc(1, sizeof(*cursor));
    if (!cursor)
        return ENOMEM;
    cursor->perf =
        (struct trace_file_perf_record *)calloc((size_t)count + 1, sizeof(*cursor->perf));
    if (!cursor->perf) {
        free(cursor);
        return ENOMEM;
    }
    cursor->perf_count = count;
    cursor->event.domain = piece.domain;
    cursor->event.offset = block->offset;
    cursor->event.cpu = piece.cpu;
    fill(reader, &piece, cursor);
    cursor->sequence = reader->piece_sequence++;
    cursor->block = block;
    block->references++;
    *ret_cursor = cursor;
    return 0;
}

/* ---- events ---- */

/* Returns 0; EBADMSG the sample is shorter than its attr requires. */
static int fill_sample(struct trace_file_event *event, const struct trace_file_perf_record *record,
                       bool swap)
{
    const struct trace_file_perf_attr *attr = record->attr;
    struct cairn_perf_sample sample;
    int err = perf_data_sample_fill(&attr->of_samples, &attr->layout, record->data,
                                    record->size_bytes, swap, &sample);

    if (err)
        return err;
    if (attr->layout.cpu_at)
        event->cpu = sample.cpu;
    event->pid = sample.pid;
    event->tid = sample.tid;
    event->payload = sample.raw ? sample.raw : record->data;
    event->payload_bytes = sample.raw_size_bytes;
    event->callchain = sample.callchain;
    event->callchain_count = sample.callchain_count;
    event->descriptor = attr->tracepoint;
    return 0;
}

int trace_file_perf_cursor_next(struct trace_file_reader *reader, struct trace_file_cursor *cursor)
{
    struct trace_file_event *event = &cursor->event;

    while (cursor->perf_next < cursor->perf_count) {
        const struct trace_file_perf_record *record = &cursor->perf[cursor->perf_next];

        if (reader->is_range && record->time_ns > reader->until_ns)
            return EAGAIN; /* of a later range */
        cursor->perf_next++;
        event->descriptor = NULL;
        event->perf = record;
        event->time_ns = record->time_ns;
        if (record->type != CAIRN_PERF_RECORD_SAMPLE)
            return 0;
        if (reader->is_range && record->time_ns < reader->since_ns)
            continue;
        if (record->attr && record->attr->tracepoint &&
            !trace_file_reader_wants(reader, record->attr->tracepoint))
            continue;
        if (record->attr && record->attr->tracepoint &&
            !fill_sample(event, record, reader->blocks.swap))
            return 0;
        reader->unreadable++;
    }
    return ENODATA;
}

/* ---- names of threads ---- */

static uint64_t key_of(uint32_t domain, uint32_t tid)
{
    return (uint64_t)domain << 32 | tid;
}

static int set_name(struct trace_file_reader *reader, uint64_t thread, const char *name)
{
    int err = perf_data_array_grow((void ***)&reader->comms, reader->comm_count);

    err = err ? err : perf_data_map_set(&reader->comm_of, thread, reader->comm_count);
    if (!err)
        reader->comms[reader->comm_count++] = name;
    return err;
}

static const char *name_of(const struct trace_file_reader *reader, uint64_t thread)
{
    uint32_t index = perf_data_map_get(&reader->comm_of, thread);

    return index < reader->comm_count ? reader->comms[index] : NULL;
}

const char *trace_file_perf_name(const struct trace_file_reader *reader,
                                 const struct trace_file_event *event)
{
    const char *name = name_of(reader, key_of(event->domain, event->tid));
    const struct trace_file_perf_attr *attr = event->perf->attr;

    if (!name && !event->tid && attr && attr->layout.tid_at)
        return PERF_DATA_IDLE_COMM;
    return name;
}

static int apply_comm(struct trace_file_reader *reader, uint32_t domain, struct core_cursor c)
{
    uint32_t tid;
    const char *name;
    const char *old;

    core_cursor_u32(&c); /* the process */
    tid = core_cursor_u32(&c);
    if (c.error)
        return 0;
    old = name_of(reader, key_of(domain, tid));
    if (old && !strncmp(old, (const char *)c.at, c.left))
        return 0;
    name = perf_data_arena_text(&reader->tables.arena, (const char *)c.at,
                                strnlen((const char *)c.at, c.left));
    return name ? set_name(reader, key_of(domain, tid), name) : ENOMEM;
}

/* A new thread has the name of the one that made it. */
static int apply_fork(struct trace_file_reader *reader, uint32_t domain, struct core_cursor c)
{
    uint32_t tid;
    uint32_t parent;
    const char *name;

    core_cursor_u32(&c); /* the process, */
    core_cursor_u32(&c); /* and its parent */
    tid = core_cursor_u32(&c);
    parent = core_cursor_u32(&c);
    if (c.error || tid == parent)
        return 0;
    name = name_of(reader, key_of(domain, parent));
    return name ? set_name(reader, key_of(domain, tid), name) : 0;
}

/* Those of earlier ranges were counted for them. */
static void add_lost(struct trace_file_reader *reader, uint64_t time_ns, uint64_t lost)
{
    if (lost <= TRACE_FILE_LOST_MAX && (!reader->is_range || time_ns >= reader->since_ns))
        reader->lost_in_records += lost;
}

int trace_file_perf_apply(struct trace_file_reader *reader, const struct trace_file_event *event)
{
    const struct trace_file_perf_record *record = event->perf;
    struct core_cursor c =
        core_cursor(record->data + PERF_DATA_RECORD_HEADER_BYTES,
                    record->size_bytes - PERF_DATA_RECORD_HEADER_BYTES, reader->blocks.swap);

    switch (record->type) {
    case CAIRN_PERF_RECORD_COMM:
        return apply_comm(reader, event->domain, c);
    case CAIRN_PERF_RECORD_FORK:
        return apply_fork(reader, event->domain, c);
    case CAIRN_PERF_RECORD_LOST:
        core_cursor_u64(&c); /* the sample id */
        add_lost(reader, event->time_ns, core_cursor_u64(&c));
        return 0;
    case CAIRN_PERF_RECORD_LOST_SAMPLES:
        add_lost(reader, event->time_ns, core_cursor_u64(&c));
        return 0;
    default:
        return 0;
    }
}
