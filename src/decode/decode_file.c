/* SPDX-License-Identifier: MIT */
/* Decodes a perf.data file: reads its records and prints their events. */
#include "decode/style.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>

/* The decoder's description of an attr. */
struct attr_origin {
    bool is_known;
    uint32_t tracepoint;
    uint32_t has;       /* CAIRN_EVENT_ bits of its samples */
    const char *format; /* the text that it was made from */
};

struct reader {
    struct cairn_perf_file *file;
    struct cairn_decoder *decoder;
    struct attr_origin *origins; /* by attr index */
    uint32_t origin_count;
    struct cairn_printer *printer;
    struct cairn_decode_report *report;
    bool needs_comm;
};

static void close_reader(struct reader *reader)
{
    free(reader->origins);
    cairn_decoder_destroy(reader->decoder);
    cairn_perf_file_close(reader->file);
}

static int open_reader(const char *path, struct reader *reader)
{
    int err = cairn_perf_file_open(path, &reader->report->error, &reader->file);

    if (!err)
        err = cairn_decoder_create(&reader->decoder);
    if (err)
        close_reader(reader);
    return err;
}

static int make_room_for_origin(struct reader *reader, uint32_t index)
{
    uint32_t count = cairn_perf_file_attr_count(reader->file);
    void *origins;

    if (index < reader->origin_count)
        return 0;
    origins = realloc(reader->origins, count * sizeof(*reader->origins));
    if (!origins)
        return ENOMEM;
    reader->origins = (struct attr_origin *)origins;
    memset(reader->origins + reader->origin_count, 0,
           (count - reader->origin_count) * sizeof(*reader->origins));
    reader->origin_count = count;
    return 0;
}

static struct cairn_slice slice(const char *text)
{
    return (struct cairn_slice){text, (uint32_t)strlen(text)};
}

/* "sched:sched_switch", or another name that a tool gave it. */
static void split_name(const char *name, struct cairn_decoder_format *format)
{
    const char *colon = strchr(name, ':');

    format->name = slice(colon ? colon + 1 : name);
    if (colon)
        format->system = (struct cairn_slice){name, (uint32_t)(colon - name)};
}

static uint32_t event_bits(uint64_t sample_type, const struct cairn_perf_clock *clock)
{
    uint32_t has = 0;

    if (sample_type & PERF_SAMPLE_TIME)
        has |= CAIRN_EVENT_TIME | (clock->wall_clock_known ? CAIRN_EVENT_WALL : 0);
    if (sample_type & PERF_SAMPLE_CPU)
        has |= CAIRN_EVENT_CPU;
    if (sample_type & PERF_SAMPLE_TID)
        has |= CAIRN_EVENT_TID;
    return has;
}

static int make_origin(struct reader *reader, const struct cairn_perf_attr *attr,
                       struct attr_origin *origin)
{
    struct cairn_decoder_format format = {
        .text = attr->format,
        .long_size_bytes = cairn_perf_file_tracing(reader->file)->long_size_bytes,
        .swap = cairn_perf_file_swapped(reader->file),
    };
    char number[48];
    int err;

    snprintf(number, sizeof(number), "unknown-%" PRIu64, attr->config);
    split_name(*attr->name ? attr->name : number, &format);
    if (attr->system.length)
        format.system = attr->system;
    err = cairn_decoder_add(reader->decoder, &format, &origin->tracepoint);
    if (err == EBADMSG) { /* show its bytes */
        format.text.length = 0;
        err = cairn_decoder_add(reader->decoder, &format, &origin->tracepoint);
    }
    if (err)
        return err;
    origin->is_known = true;
    origin->format = attr->format.text;
    origin->has = event_bits(attr->sample_type, cairn_perf_file_clock(reader->file));
    return 0;
}

static int find_origin(struct reader *reader, const struct cairn_perf_attr *attr,
                       const struct attr_origin **ret_origin)
{
    int err = make_room_for_origin(reader, attr->index);
    struct attr_origin *origin;

    if (err)
        return err;
    origin = &reader->origins[attr->index];
    if (!origin->is_known || origin->format != attr->format.text) { /* in a pipe it may come late */
        err = make_origin(reader, attr, origin);
        if (err)
            return err;
    }
    *ret_origin = origin;
    return 0;
}

static int print_sample(struct reader *reader, const struct cairn_perf_record *record)
{
    const struct cairn_perf_clock *clock = cairn_perf_file_clock(reader->file);
    const struct attr_origin *origin;
    struct cairn_perf_sample sample;
    struct cairn_event event;
    int err;

    if (cairn_perf_sample_parse(reader->file, record, &sample)) {
        reader->report->unreadable++;
        return 0;
    }
    err = find_origin(reader, sample.attr, &origin);
    if (!err)
        err = cairn_decoder_event(reader->decoder, origin->tracepoint, sample.raw,
                                  sample.raw_size_bytes, &event);
    if (err)
        return err;
    event.has = origin->has;
    event.cpu = sample.cpu;
    event.pid = sample.pid;
    event.tid = sample.tid;
    event.time_ns = sample.time_ns;
    event.wall_ns = cairn_perf_clock_wall_ns(clock, sample.time_ns);
    event.comm = reader->needs_comm ? cairn_perf_file_comm(reader->file, sample.tid) : NULL;
    reader->report->events++;
    if (cairn_printer_event(reader->printer, &event))
        reader->report->damaged++;
    return 0;
}

/* Flushes when a round ends, about once a second, for readers of a stream that is being written. */
static void end_round(struct reader *reader)
{
    if (cairn_perf_file_is_pipe(reader->file))
        cairn_output_flush(&reader->printer->out);
}

static int print_all(struct reader *reader)
{
    struct cairn_perf_record record;
    int err = 0;

    while (!err && !cairn_printer_failed(reader->printer)) {
        err = cairn_perf_file_next_ordered(reader->file, &record);
        if (err)
            break;
        if (record.type == CAIRN_PERF_RECORD_SAMPLE)
            err = print_sample(reader, &record);
        else if (record.type == CAIRN_PERF_RECORD_FINISHED_ROUND)
            end_round(reader);
    }
    return err == ENODATA ? 0 : err;
}

static void fill_report(struct reader *reader)
{
    const struct cairn_perf_counts *counts = cairn_perf_file_counts(reader->file);

    reader->report->lost = counts->lost_events + counts->lost_samples;
    reader->report->missing = *cairn_perf_file_missing(reader->file);
    reader->report->error = *cairn_perf_file_error(reader->file);
}

int cairn_decode_file(const char *path, const char *name, struct cairn_printer *printer,
                      struct cairn_decode_report *ret_report)
{
    struct reader reader = {
        .printer = printer,
        .report = ret_report,
        .needs_comm = printer->style != CAIRN_STYLE_JSON,
    };
    int err;

    *ret_report = (struct cairn_decode_report){0};
    err = open_reader(path, &reader);
    if (err)
        return err;
    cairn_printer_begin(printer, name);
    err = print_all(&reader);
    fill_report(&reader);
    close_reader(&reader);
    return err;
}
