/* SPDX-License-Identifier: MIT */
/*
 * A reader of several recordings: their events in the order of time.
 *
 * The part with the earliest event is read as long as no other part has an earlier one, so the
 * number of parts matters only when the order changes from one to another.
 */
#include "decode/reader.h"
#include "perf_data/machine.h"
#include "perf_data/missing.h"

#include <errno.h>
#include <stdlib.h>

struct reader_merge_part {
    struct cairn_reader *reader;
    const struct cairn_event *event;   /* the next event; NULL: not read yet, or the end */
    size_t machine;                    /* the first part of the same machine, once that is known */
    struct cairn_perf_missing highest; /* of the parts whose machine is this one's */
};

struct decode_reader_merged {
    struct reader_merge_part *parts;
    size_t count;
    size_t current;                    /* the part of the last event */
    uint64_t limit_ns;                 /* the earliest time of another part */
    size_t limit_part;                 /* that part */
    int error;                         /* the first error that ended a part */
    const struct cairn_reader *failed; /* that part's reader */
    bool is_ready;                     /* the first event of all parts was read */
    bool by_wall;
};

int cairn_reader_merge(struct cairn_reader *const *readers, size_t count,
                       struct cairn_reader **ret_reader)
{
    const struct cairn_reader_options options = CAIRN_READER_OPTIONS_INIT;
    struct decode_reader_merged *merged;
    struct reader_merge_part *parts;

    if (!count)
        return EINVAL;
    for (size_t n = 0; n < count; n++) {
        if (readers[n]->merged)
            return EINVAL;
    }
    merged = (struct decode_reader_merged *)calloc(1, sizeof(*merged));
    parts = (struct reader_merge_part *)calloc(count, sizeof(*parts));
    if (!merged || !parts || decode_reader_create("merged", &options, ret_reader)) {
        free(merged);
        free(parts);
        return ENOMEM;
    }
    for (size_t n = 0; n < count; n++)
        parts[n] = (struct reader_merge_part){.reader = readers[n], .machine = n};
    merged->parts = parts;
    merged->count = count;
    (*ret_reader)->merged = merged;
    return 0;
}

void decode_reader_close_merged(struct decode_reader_merged *merged)
{
    if (!merged)
        return;
    for (size_t n = 0; n < merged->count; n++)
        cairn_reader_close(merged->parts[n].reader);
    free(merged->parts);
    free(merged);
}

size_t cairn_reader_source(const struct cairn_reader *reader)
{
    return reader->merged ? reader->merged->current : 0;
}

size_t decode_reader_source_count(const struct cairn_reader *reader)
{
    return reader->merged ? reader->merged->count : 1;
}

struct cairn_reader *decode_reader_source_at(const struct cairn_reader *reader, size_t source)
{
    return reader->merged ? reader->merged->parts[source].reader : (struct cairn_reader *)reader;
}

struct cairn_reader *decode_reader_of_event(struct cairn_reader *reader)
{
    return reader->merged ? reader->merged->parts[reader->merged->current].reader : reader;
}

const struct cairn_perf_error *decode_reader_error_of_merged(const struct cairn_reader *reader)
{
    const struct cairn_reader *failed = reader->merged->failed;

    return failed ? cairn_reader_error(failed) : &reader->error;
}

/* Reads the next event of a part. Returns 0, also at its end; EAGAIN. */
static int read_part(struct cairn_reader *reader, struct reader_merge_part *part)
{
    struct decode_reader_merged *merged = reader->merged;
    int err = decode_reader_take(part->reader);

    part->event = &part->reader->event;
    if (!err)
        return 0;
    part->event = NULL;
    if (err == EAGAIN) {
        reader->wait_ms = part->reader->wait_ms;
        return EAGAIN;
    }
    if (err != ENODATA && !merged->error) {
        merged->error = err;
        merged->failed = part->reader;
    }
    return 0;
}

/* ---- machines ---- */

static struct perf_data_machine machine_of_file(const struct cairn_perf_file *file)
{
    const struct cairn_perf_clock *clock = cairn_perf_file_clock(file);
    const char *hostname = cairn_perf_file_host(file)->hostname;

    return (struct perf_data_machine){
        .hostname = hostname ? hostname : "",
        .clockid = clock->clockid,
        .time_ns = clock->time_ns,
        .wall_ns = clock->wall_clock_known ? clock->wall_clock_ns : 0,
    };
}

/* The machine of a reader's recording, which is known after the first event was read. */
static struct perf_data_machine machine_of(const struct cairn_reader *reader)
{
    const struct trace_file_tables *tables =
        reader->trace ? decode_reader_tables_of_trace(reader) : NULL;

    if (reader->file)
        return machine_of_file(reader->file);
    if (!tables || !tables->clocks.count)
        return (struct perf_data_machine){.hostname = ""};
    return (struct perf_data_machine){
        .hostname = tables->host.hostname ? tables->host.hostname : "",
        .clockid = tables->clocks.pairs[0].clockid,
        .time_ns = tables->clocks.pairs[0].time_ns,
        .wall_ns = tables->clocks.pairs[0].wall_ns,
    };
}

static void find_machine(struct decode_reader_merged *merged, size_t part)
{
    const struct perf_data_machine machine = machine_of(merged->parts[part].reader);

    for (size_t n = 0; n < part; n++) {
        const struct perf_data_machine other = machine_of(merged->parts[n].reader);

        if (perf_data_is_same_machine(&machine, &other)) {
            merged->parts[part].machine = merged->parts[n].machine;
            return;
        }
    }
}

/* ---- events ---- */

/* Reads the first event of each part; continues where it was stopped by EAGAIN. */
static int begin(struct cairn_reader *reader)
{
    struct decode_reader_merged *merged = reader->merged;

    merged->by_wall = true;
    for (size_t n = 0; n < merged->count; n++) {
        struct reader_merge_part *part = &merged->parts[n];

        if (!part->event && !part->reader->end) {
            int err = read_part(reader, part);

            if (err)
                return err;
        }
        if (part->event && !(part->event->has & CAIRN_EVENT_WALL))
            merged->by_wall = false;
    }
    for (size_t n = 0; n < merged->count; n++)
        find_machine(merged, n);
    merged->is_ready = true;
    return 0;
}

/* Events without time come first. */
static uint64_t time_of(const struct decode_reader_merged *merged, const struct cairn_event *event)
{
    return merged->by_wall ? event->wall_ns : event->time_ns;
}

/* Finds the part with the earliest event, and the time up to which it has the earliest. False: all
 * parts are at their end. */
static bool choose(struct decode_reader_merged *merged)
{
    uint64_t first_ns = UINT64_MAX;
    size_t first = merged->count;

    merged->limit_ns = UINT64_MAX;
    merged->limit_part = merged->count;
    for (size_t n = 0; n < merged->count; n++) {
        const struct cairn_event *event = merged->parts[n].event;
        uint64_t time_ns = event ? time_of(merged, event) : 0;

        if (!event)
            continue;
        if (first == merged->count || time_ns < first_ns) {
            merged->limit_ns = first_ns;
            merged->limit_part = first;
            first_ns = time_ns;
            first = n;
        } else if (merged->limit_part == merged->count || time_ns < merged->limit_ns) {
            merged->limit_ns = time_ns;
            merged->limit_part = n;
        }
    }
    merged->current = first < merged->count ? first : 0;
    return first < merged->count;
}

/* True if no other part has an event that comes before this one. */
static bool is_first(const struct decode_reader_merged *merged, const struct cairn_event *event)
{
    uint64_t time_ns = time_of(merged, event);

    return time_ns < merged->limit_ns ||
           (time_ns == merged->limit_ns && merged->current < merged->limit_part);
}

static void take(struct cairn_reader *reader, const struct reader_merge_part *part)
{
    uint64_t number = reader->position.event;

    reader->event = *part->event;
    reader->record = part->reader->record;
    reader->position = part->reader->position;
    reader->position.event = number;
}

int decode_reader_take_of_merged(struct cairn_reader *reader)
{
    struct decode_reader_merged *merged = reader->merged;
    struct reader_merge_part *part = &merged->parts[merged->current];
    int err = 0;

    if (!merged->is_ready)
        err = begin(reader);
    else if (!part->reader->end)
        err = read_part(reader, part);
    else
        part->event = NULL;
    if (err)
        return err;
    if (!part->event || merged->limit_part == merged->current || !is_first(merged, part->event)) {
        if (!choose(merged))
            return merged->error ? merged->error : ENODATA;
        part = &merged->parts[merged->current];
    }
    take(reader, part);
    return 0;
}

void decode_reader_count_merged(struct cairn_reader *reader)
{
    struct decode_reader_merged *merged = reader->merged;
    struct cairn_reader_counts *counts = &reader->counts;

    counts->damaged = 0;
    counts->unreadable = 0;
    counts->filtered = 0;
    counts->undated = 0;
    counts->lost = 0;
    counts->lost_packets = 0;
    counts->missing = (struct cairn_perf_missing){0};
    for (size_t n = 0; n < merged->count; n++)
        merged->parts[n].highest = (struct cairn_perf_missing){0};
    for (size_t n = 0; n < merged->count; n++) {
        const struct cairn_reader_counts *part = cairn_reader_counts(merged->parts[n].reader);
        size_t machine = merged->parts[n].machine;

        counts->damaged += part->damaged;
        counts->unreadable += part->unreadable;
        counts->filtered += part->filtered;
        counts->undated += part->undated;
        counts->lost += part->lost;
        counts->lost_packets += part->lost_packets;
        perf_data_missing_add(&counts->missing, &merged->parts[machine].highest, &part->missing);
    }
}
