/* SPDX-License-Identifier: MIT */
/* A reader's events from a perf.data file or stream. */
#include "core/load.h"
#include "core/slice.h"
#include "decode/reader.h"
#include "decode/tracefs_copy.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/perf_event.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* ---- opening ---- */

static int fail(int err, struct cairn_perf_error *ret_error)
{
    if (err && ret_error)
        *ret_error = (struct cairn_perf_error){.code = err};
    return err;
}

static bool is_trace_file(struct perf_data_source *source, struct perf_data_block_pool *pool)
{
    const uint8_t *magic;

    return !perf_data_source_peek(source, pool, TRACE_FILE_MAGIC_BYTES, &magic) &&
           !memcmp(magic, TRACE_FILE_MAGIC, TRACE_FILE_MAGIC_BYTES);
}

/* In a pipe attrs may follow. */
static bool may_have_stacks(const struct cairn_perf_file *file)
{
    bool may = cairn_perf_file_is_pipe(file);

    for (uint32_t n = 0; n < cairn_perf_file_attr_count(file) && !may; n++)
        may = cairn_perf_file_attr(file, n)->sample_type & PERF_SAMPLE_CALLCHAIN;
    return may;
}

/* Opens the source, which the reader owns from then on, also on failure. */
static int open_source(const char *name, const struct cairn_reader_options *options,
                       struct perf_data_source *source, struct cairn_perf_error *ret_error,
                       struct cairn_reader **ret_reader)
{
    struct perf_data_block_pool pool = {0};
    bool is_mapped = source->map;
    struct cairn_perf_file *file;
    int err;

    if (is_trace_file(source, &pool))
        return decode_reader_open_trace(name, options, source, &pool, ret_error, ret_reader);
    if (decode_reader_is_dat(source, &pool))
        return decode_reader_open_dat(name, options, source, &pool, ret_error, ret_reader);
    if (decode_reader_is_etl(source, &pool))
        return decode_reader_open_etl(name, options, source, &pool, ret_error, ret_reader);
    if (decode_reader_is_text(source, &pool))
        return fail(decode_reader_open_text(name, options, source, &pool, ret_reader), ret_error);
    err = perf_data_file_open_source(source, &pool, ret_error, &file);
    if (err)
        return err;
    err = fail(decode_reader_create(name, options, ret_reader), ret_error);
    if (err) {
        cairn_perf_file_close(file);
        return err;
    }
    (*ret_reader)->file = file;
    (*ret_reader)->is_stream = cairn_perf_file_is_pipe(file) && !is_mapped;
    (*ret_reader)->without_stacks = !may_have_stacks(file);
    return 0;
}

/* Opens a directory: a copy of tracefs' files, or CTF traces. */
static int open_directory(const char *path, const struct cairn_reader_options *options,
                          struct cairn_perf_error *ret_error, struct cairn_reader **ret_reader)
{
    struct perf_data_block_pool pool = {0};
    struct perf_data_source source;
    const char *text;
    int err;

    if (!decode_tracefs_copy_is_one(path))
        return decode_reader_open_ctf(path, options, ret_error, ret_reader);
    err = decode_tracefs_copy_open(path, &source, &text);
    if (!err)
        return decode_reader_open_dat(path, options, &source, &pool, ret_error, ret_reader);
    if (ret_error)
        *ret_error = (struct cairn_perf_error){err, CAIRN_PERF_ERROR_NO_OFFSET, text};
    return err;
}

int cairn_reader_open(const char *path, const struct cairn_reader_options *options,
                      struct cairn_perf_error *ret_error, struct cairn_reader **ret_reader)
{
    struct cairn_reader_options own;
    struct perf_data_source source;
    int err = fail(decode_reader_copy_options(options, &own), ret_error);

    if (!err)
        err = perf_data_source_open(&source, path, ret_error);
    if (err == EISDIR)
        return open_directory(path, &own, ret_error, ret_reader);
    return err ? err : open_source(path, &own, &source, ret_error, ret_reader);
}

int cairn_reader_open_fd(int fd, const struct cairn_reader_options *options,
                         struct cairn_perf_error *ret_error, struct cairn_reader **ret_reader)
{
    struct cairn_reader_options own;
    struct perf_data_source source;
    int err = fail(decode_reader_copy_options(options, &own), ret_error);

    if (!err)
        err = perf_data_source_open_fd(&source, fd, ret_error);
    return err ? err : open_source("-", &own, &source, ret_error, ret_reader);
}

/* ---- attrs ---- */

static int make_space_for_attr(struct cairn_reader *reader, uint32_t index)
{
    uint32_t count = cairn_perf_file_attr_count(reader->file);
    void *attrs;

    if (index < reader->attr_count)
        return 0;
    attrs = realloc(reader->attrs, count * sizeof(*reader->attrs));
    if (!attrs)
        return ENOMEM;
    reader->attrs = (struct decode_reader_attr *)attrs;
    memset(reader->attrs + reader->attr_count, 0,
           (count - reader->attr_count) * sizeof(*reader->attrs));
    reader->attr_count = count;
    return 0;
}

/* "sched:sched_switch", or another name that a tool gave it. */
static void split_name(const char *name, struct cairn_decoder_format *format)
{
    const char *colon = strchr(name, ':');

    format->name = core_slice_of(colon ? colon + 1 : name);
    if (colon)
        format->system = (struct cairn_slice){name, (uint32_t)(colon - name)};
}

static uint32_t has_of(uint64_t sample_type, const struct cairn_perf_clock *clock)
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

static int describe_attr(struct cairn_reader *reader, const struct cairn_perf_attr *attr,
                         struct decode_reader_attr *ret_attr)
{
    const struct cairn_perf_tracing *tracing = cairn_perf_file_tracing(reader->file);
    struct cairn_decoder_format format = {
        .text = attr->format,
        .long_size_bytes = tracing->long_size_bytes,
        .swap = cairn_perf_file_is_swapped(reader->file),
    };
    char number[48];
    int err;

    snprintf(number, sizeof(number), "unknown-%" PRIu64, attr->config);
    split_name(*attr->name ? attr->name : number, &format);
    if (attr->system.length)
        format.system = attr->system;
    decode_kernel_note_tables(reader->decoder, tracing->printk, tracing->kallsyms);
    err = cairn_decoder_add(reader->decoder, &format, &ret_attr->tracepoint);
    if (err == EBADMSG) { /* show its bytes */
        format.text.length = 0;
        err = cairn_decoder_add(reader->decoder, &format, &ret_attr->tracepoint);
    }
    if (err)
        return err;
    ret_attr->is_known = true;
    ret_attr->format = attr->format.text;
    ret_attr->has = has_of(attr->sample_type, cairn_perf_file_clock(reader->file));
    return 0;
}

static int find_attr(struct cairn_reader *reader, const struct cairn_perf_attr *attr,
                     const struct decode_reader_attr **ret_attr)
{
    int err = make_space_for_attr(reader, attr->index);
    struct decode_reader_attr *own;

    if (err)
        return err;
    own = &reader->attrs[attr->index];
    if (!own->is_known ||
        own->format != attr->format.text) { /* in a pipe it may follow after samples */
        err = describe_attr(reader, attr, own);
        if (err)
            return err;
    }
    *ret_attr = own;
    return 0;
}

/* ---- events ---- */

/* Without a thread id, 0 is not the idle thread's. */
static const char *comm_of(const struct cairn_reader *reader)
{
    const struct cairn_event *event = &reader->event;

    return event->has & CAIRN_EVENT_TID ? cairn_perf_file_comm(reader->file, event->tid) : NULL;
}

/* Returns 0; ENOENT the sample cannot be read; ENOMEM. */
static int fill_event(struct cairn_reader *reader, const struct cairn_perf_record *record)
{
    const struct cairn_perf_clock *clock = cairn_perf_file_clock(reader->file);
    const struct decode_reader_attr *attr;
    struct cairn_event *event = &reader->event;
    struct cairn_perf_sample sample;
    int err;

    if (cairn_perf_sample_parse(reader->file, record, &sample))
        return ENOENT;
    err = find_attr(reader, sample.attr, &attr);
    if (err)
        return err;
    reader->record.tracepoint = attr->tracepoint;
    reader->record.bytes = sample.raw;
    reader->record.size_bytes = sample.raw_size_bytes;
    event->has = attr->has;
    event->cpu = sample.cpu;
    event->pid = sample.pid;
    event->tid = sample.tid;
    event->time_ns = sample.time_ns;
    event->wall_ns = cairn_perf_clock_wall_ns(clock, sample.time_ns);
    event->comm = reader->with_comm ? comm_of(reader) : NULL;
    decode_stacks_set(&reader->stacks, sample.callchain, sample.callchain_count,
                      cairn_perf_file_is_swapped(reader->file), event);
    reader->position.offset = record->offset;
    return 0;
}

/* Returns 0; ENOENT it is no record of a switch; ENOMEM. */
static int fill_switch(struct cairn_reader *reader, const struct cairn_perf_record *record)
{
    const struct cairn_perf_clock *clock = cairn_perf_file_clock(reader->file);
    bool swap = cairn_perf_file_is_swapped(reader->file);
    struct cairn_event *event = &reader->event;
    struct perf_data_sample_layout layout;
    int err;

    if (!reader->with_switches || !record->attr)
        return ENOENT;
    layout = perf_data_sample_layout_of(record->attr->sample_type, record->attr->flags);
    err = decode_switches_fill(reader, &layout, record->data, record->size_bytes, swap);
    if (err)
        return err;
    event->time_ns = record->time_ns;
    event->wall_ns = cairn_perf_clock_wall_ns(clock, record->time_ns);
    if (clock->wall_clock_known)
        event->has |= CAIRN_EVENT_WALL;
    event->comm = comm_of(reader); /* nothing else has it */
    decode_stacks_set(&reader->stacks, NULL, 0, swap, event);
    reader->position.offset = record->offset;
    return 0;
}

/*
 * The mapping of the kernel's code: "[kernel.kallsyms]SYMBOL", and the symbol's address as the
 * offset in the file.
 */
static void note_kernel(struct cairn_reader *reader, const uint8_t *record, uint16_t size_bytes,
                        bool swap)
{
    static const char prefix[] = "[kernel.kallsyms]";
    const char *name = (const char *)record + 40;

    if (size_bytes <= 40 + sizeof(prefix) || core_load32(record + 8, swap) != UINT32_MAX ||
        memcmp(name, prefix, sizeof(prefix) - 1) != 0 || !memchr(name, 0, size_bytes - 40u))
        return;
    decode_kernel_note(reader->decoder, name + sizeof(prefix) - 1, core_load64(record + 32, swap));
}

int decode_reader_note(struct cairn_reader *reader, const uint8_t *record, uint16_t size_bytes,
                       bool swap)
{
    if (core_load32(record, swap) == PERF_RECORD_MMAP)
        note_kernel(reader, record, size_bytes, swap);
    if (reader->without_stacks)
        return 0;
    return decode_stacks_apply(&reader->stacks, record, size_bytes, swap);
}

/* A stream pauses when a round ends, about once a second: after that it may block. A stream that
 * was stored in a file does not. */
int decode_reader_take_of_file(struct cairn_reader *reader)
{
    struct cairn_perf_record record;

    for (;;) {
        int err = cairn_unlikely(reader->in_file_order)
                      ? cairn_perf_file_next(reader->file, &record)
                      : cairn_perf_file_next_ordered(reader->file, &record);

        if (err)
            return err;
        if (record.type == CAIRN_PERF_RECORD_SAMPLE) {
            err = fill_event(reader, &record);
            if (err != ENOENT)
                return err;
            reader->counts.unreadable++;
        } else if (record.type < CAIRN_PERF_RECORD_USER_FIRST) {
            err = fill_switch(reader, &record);
            if (err != ENOENT)
                return err;
            err = decode_reader_note(reader, record.data, record.size_bytes,
                                     cairn_perf_file_is_swapped(reader->file));
            if (err)
                return err;
        } else if (record.type == CAIRN_PERF_RECORD_FINISHED_ROUND && reader->is_stream) {
            return EAGAIN;
        }
    }
}

void decode_reader_count_file(struct cairn_reader *reader)
{
    const struct cairn_perf_counts *counts = cairn_perf_file_counts(reader->file);

    reader->counts.lost = counts->lost_events + counts->lost_samples;
    reader->counts.missing = *cairn_perf_file_missing(reader->file);
}
