/* SPDX-License-Identifier: MIT */
/* Converts a trace file to perf.data: each record becomes a sample with all data of its event. */
#include "convert/one_clock.h"
#include "convert/options.h"
#include "perf_data/disk.h"
#include "perf_data/writer.h"
#include "trace_file/expand.h"
#include "trace_file/perf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ROUND_EVENTS 65536u
#define MISC_USER    2u /* PERF_RECORD_MISC_USER */

struct to_perf_conversion {
    struct trace_file_reader reader;
    struct cairn_perf_writer *writer;
    struct trace_file_clock_pair clock; /* of the output */
    int read_err;                       /* of the latest call */
    uint32_t descriptor_count;          /* number of tracepoints that the writer knows, */
    uint32_t perf_attr_count;           /* and of attrs of the kernel's records */
    struct perf_data_map name_of;       /* maps a thread to the index of its name, plus 1 */
    const char **names;
    uint32_t name_count;
    struct cairn_bytes raw;    /* an event as its tracepoint has it */
    struct cairn_bytes record; /* the same as a sample */
    struct cairn_convert_report *report;
};

/* Chooses the clock of the output from the pairs that were read. */
static void set_clock(struct to_perf_conversion *c)
{
    const struct trace_file_clock_pair *pair = convert_one_clock(&c->reader.tables.clocks);

    c->clock = pair ? *pair : (struct trace_file_clock_pair){.clockid = -1};
    c->writer->clock = (struct cairn_perf_clock){.clockid = -1};
    if (c->clock.clockid >= 0)
        c->writer->clock = (struct cairn_perf_clock){
            .clockid = c->clock.clockid,
            .wall_clock_known = c->clock.wall_ns != 0,
            .resolution_ns = c->clock.resolution_ns,
            .wall_clock_ns = c->clock.wall_ns,
            .time_ns = c->clock.time_ns,
        };
}

static int begin_writing(struct to_perf_conversion *c, int fd, enum cairn_perf_mode mode)
{
    const struct trace_file_tables *tables = &c->reader.tables;
    int err = cairn_perf_writer_create(fd, mode, &c->writer);

    if (err)
        return err;
    perf_data_host_set(&c->writer->host, &tables->host);
    set_clock(c);
    if (tables->host.arg_count)
        err = cairn_perf_writer_set_command(c->writer, (int)tables->host.arg_count,
                                            tables->host.args);
    return err;
}

/* ---- tracepoints ---- */

static char *text_of(struct cairn_slice slice)
{
    return strndup(slice.length ? slice.text : "unknown", slice.length ? slice.length : 7);
}

/*
 * True if perf.data can have an event of a tracepoint: all of a file have one byte order and one
 * size of long, here that of the first tracepoint. An EventHeader event states its byte order.
 */
static bool is_native(const struct to_perf_conversion *c,
                      const struct trace_file_descriptor *descriptor)
{
    return descriptor->kind == TRACE_FILE_EVENTHEADER ||
           (!(descriptor->flags & TRACE_FILE_OTHER_ORDER) &&
            (!descriptor->long_size_bytes || !c->writer->long_size_bytes ||
             descriptor->long_size_bytes == c->writer->long_size_bytes));
}

static int add_tracepoint(struct to_perf_conversion *c,
                          const struct trace_file_descriptor *tracepoint)
{
    static const char no_format[] = "name: unknown\nID: 0\nformat:\n";
    bool has_format = tracepoint->format.length != 0;
    uint64_t sample_id = tracepoint->number;
    struct cairn_perf_tracepoint to = {
        .system = text_of(tracepoint->system),
        .name = text_of(tracepoint->name),
        .id = tracepoint->id,
        .format = has_format ? tracepoint->format.text : no_format,
        .format_bytes = has_format ? tracepoint->format.length : sizeof(no_format) - 1,
        .sample_ids = &sample_id,
        .sample_id_count = 1,
    };
    int err = to.system && to.name ? cairn_perf_writer_add_tracepoint(c->writer, &to) : ENOMEM;

    if (!c->writer->long_size_bytes)
        c->writer->long_size_bytes = tracepoint->long_size_bytes;
    free((void *)(uintptr_t)to.system);
    free((void *)(uintptr_t)to.name);
    return err;
}

/* Samples of the kernel are written as they are, with an id for their attr. */
#define PERF_IDS (UINT64_C(1) << 62)

#define FIXED_FIELDS                                                            \
    (PERF_DATA_SAMPLE_IDENTIFIER | PERF_DATA_SAMPLE_IP | PERF_DATA_SAMPLE_TID | \
     PERF_DATA_SAMPLE_TIME | PERF_DATA_SAMPLE_ADDR | PERF_DATA_SAMPLE_ID |      \
     PERF_DATA_SAMPLE_STREAM_ID | PERF_DATA_SAMPLE_CPU | PERF_DATA_SAMPLE_PERIOD)

#define REGS_USER_AT  80u /* sample_regs_user in an attr, */
#define STACK_USER_AT 88u /* and sample_stack_user */

static int add_perf_attr(struct to_perf_conversion *c, const struct trace_file_perf_attr *attr)
{
    const struct trace_file_descriptor *tracepoint = attr->tracepoint;
    uint64_t sample_id = PERF_IDS | attr->of_samples.index;
    struct cairn_perf_tracepoint to;
    int err;

    if (!tracepoint || !tracepoint->format.length)
        return 0;
    if (attr->bytes.length >= STACK_USER_AT + sizeof(uint32_t)) {
        memcpy(&c->writer->regs_user, attr->bytes.text + REGS_USER_AT, sizeof(uint64_t));
        memcpy(&c->writer->stack_user_bytes, attr->bytes.text + STACK_USER_AT, sizeof(uint32_t));
    }
    to = (struct cairn_perf_tracepoint){
        .system = text_of(tracepoint->system),
        .name = text_of(tracepoint->name),
        .id = tracepoint->id,
        .format = tracepoint->format.text,
        .format_bytes = tracepoint->format.length,
        .sample_ids = &sample_id,
        .sample_id_count = 1,
        .sample_type = attr->of_samples.sample_type,
    };
    err = to.system && to.name ? cairn_perf_writer_add_tracepoint(c->writer, &to) : ENOMEM;
    free((void *)(uintptr_t)to.system);
    free((void *)(uintptr_t)to.name);
    return err;
}

/*
 * True if records of an attr can be in the output as they are: perf reads the ends of records by
 * the first attr, so all must have the same fixed fields.
 */
static bool is_kept(const struct trace_file_event *event)
{
    const uint64_t fixed = FIXED_FIELDS;
    const struct trace_file_perf_attr *attr = event->perf ? event->perf->attr : NULL;
    uint64_t fields = attr ? attr->of_samples.sample_type : 0;

    return attr && (fields & fixed) == (CAIRN_RECORD_SAMPLE_TYPE & fixed) &&
           (!event->descriptor ||
            (fields & PERF_DATA_SAMPLE_RAW && event->descriptor->format.length));
}

/* Adds those that were read since the last call, preferably before their first event. */
static int add_tracepoints(struct to_perf_conversion *c)
{
    const struct trace_file_tables *tables = &c->reader.tables;

    c->writer->printk = tables->kernel_strings;
    for (; c->descriptor_count < tables->descriptor_count; c->descriptor_count++) {
        const struct trace_file_descriptor *descriptor = tables->descriptors[c->descriptor_count];
        int err = 0;

        if (descriptor->kind == TRACE_FILE_TRACEPOINT)
            err = add_tracepoint(c, descriptor);
        if (err)
            return err;
    }
    for (; c->perf_attr_count < tables->perf_attr_count; c->perf_attr_count++) {
        int err = add_perf_attr(c, tables->perf_attrs[c->perf_attr_count]);

        if (err)
            return err;
    }
    return 0;
}

/* ---- names ---- */

static int note_name(struct to_perf_conversion *c, const struct trace_file_event *event,
                     uint32_t pid)
{
    const char *name = trace_file_reader_name(&c->reader, event);
    uint32_t index = perf_data_map_get(&c->name_of, event->tid);
    int err = 0;

    if (!name || (index != PERF_DATA_MAP_NONE && c->names[index] == name))
        return 0;
    if (index == PERF_DATA_MAP_NONE) {
        index = c->name_count;
        err = perf_data_array_grow((void ***)&c->names, c->name_count);
        err = err ? err : perf_data_map_set(&c->name_of, event->tid, index);
        if (err)
            return err;
        c->name_count++;
    }
    c->names[index] = name;
    return cairn_perf_writer_comm(c->writer, pid, event->tid, name, event->time_ns);
}

/* ---- events ---- */

static int write_sample(struct to_perf_conversion *c, const struct trace_file_event *event,
                        uint32_t pid)
{
    const size_t before_common = offsetof(struct cairn_record_head, common_type);
    size_t size_bytes = (before_common + c->raw.size + 7) & ~(size_t)7;
    struct cairn_record_head head = {
        .type = CAIRN_RECORD_SAMPLE,
        .misc = MISC_USER,
        .size_bytes = (uint16_t)size_bytes,
        .id = trace_file_tracepoint_of(event->descriptor)->number,
        .pid = pid,
        .tid = event->tid,
        .time_ns = event->time_ns,
        .cpu = event->cpu,
        .raw_size_bytes = (uint32_t)(size_bytes - before_common),
    };

    if (size_bytes > CAIRN_RECORD_MAX_BYTES)
        return E2BIG;
    c->record.size = 0;
    perf_data_bytes_put(&c->record, &head, before_common);
    perf_data_bytes_put(&c->record, c->raw.data, c->raw.size);
    perf_data_bytes_align(&c->record);
    if (c->record.error)
        return c->record.error;
    if (event->callchain_count && !event->perf) {
        int err = perf_data_writer_put_stacked(c->writer, c->record.data, event->callchain,
                                               (uint32_t)event->callchain_count);

        if (err != E2BIG)
            return err;
        c->report->stacks++;
    }
    return cairn_perf_writer_write(c->writer, c->record.data, c->record.size);
}

/* A record of the kernel as it is, with the id that it has in the output. */
static int write_record(struct to_perf_conversion *c, const struct trace_file_event *event)
{
    const struct trace_file_perf_record *from = event->perf;
    uint64_t id = event->descriptor ? PERF_IDS | from->attr->of_samples.index : 0;
    size_t id_at =
        event->descriptor ? PERF_DATA_RECORD_HEADER_BYTES : from->size_bytes - sizeof(id);

    c->record.size = 0;
    perf_data_bytes_put(&c->record, from->data, from->size_bytes);
    if (c->record.error)
        return c->record.error;
    memcpy(c->record.data + id_at, &id, sizeof(id));
    return cairn_perf_writer_write(c->writer, c->record.data, c->record.size);
}

/* Losses are written at the end, as a total. */
static int convert_other(struct to_perf_conversion *c, const struct trace_file_event *event)
{
    if (event->perf->type == CAIRN_PERF_RECORD_LOST ||
        event->perf->type == CAIRN_PERF_RECORD_LOST_SAMPLES)
        return 0;
    if (is_kept(event))
        return write_record(c, event);
    c->report->records++;
    return 0;
}

static int convert_sample(struct to_perf_conversion *c, const struct trace_file_event *event)
{
    int err;

    if (is_kept(event))
        return write_record(c, event);
    c->report->stacks += event->callchain_count && event->perf;
    err = note_name(c, event, event->pid);
    return err ? err : write_sample(c, event, event->pid);
}

/* Returns an error of writing. */
static int convert_event(struct to_perf_conversion *c, const struct trace_file_event *event)
{
    int err;

    if (!event->descriptor) {
        err = add_tracepoints(c);
        return err ? err : convert_other(c, event);
    }
    if (!trace_file_tracepoint_of(event->descriptor) ||
        trace_file_expand(event, c->reader.blocks.swap, &c->raw)) {
        c->report->unreadable++;
        return 0;
    }
    err = add_tracepoints(c);
    if (!err && !is_native(c, event->descriptor)) {
        c->report->foreign++;
        return 0;
    }
    err = err ? err : convert_sample(c, event);
    if (err == E2BIG) {
        c->report->unreadable++;
        return 0;
    }
    if (!err && ++c->report->events % ROUND_EVENTS == 0)
        err = cairn_perf_writer_round(c->writer);
    return err;
}

/* The facts about the machine must be known before writing begins, with the first event. */
static int convert_events(struct to_perf_conversion *c, int fd, enum cairn_perf_mode mode)
{
    struct trace_file_event event;
    int err;

    c->reader.with_others = true;
    err = trace_file_reader_next(&c->reader, &event);

    if (err && err != ENODATA && err != EBADMSG && err != EAGAIN)
        return err;
    if (c->reader.blocks.swap)
        return EOPNOTSUPP;
    c->read_err = err;
    err = begin_writing(c, fd, mode);
    while (!err) {
        if (!c->read_err)
            err = convert_event(c, &event);
        else if (c->read_err != EAGAIN)
            break;
        if (!err)
            c->read_err = trace_file_reader_next(&c->reader, &event);
    }
    return err;
}

static int write_losses(struct to_perf_conversion *c)
{
    int err = 0;

    c->report->lost = trace_file_reader_lost(&c->reader);
    c->report->missing = c->reader.tables.missing;
    if (c->report->lost)
        err = cairn_perf_writer_lost(c->writer, 0, c->report->lost, 0);
    return err ? err : cairn_perf_writer_missing(c->writer, &c->report->missing);
}

static int finish(struct to_perf_conversion *c, int err)
{
    int read_err = c->read_err == ENODATA ? 0 : c->read_err;

    if (!c->writer)
        return err;
    err = err ? err : add_tracepoints(c); /* those without events */
    err = err ? err : write_losses(c);
    if (c->writer->mode == CAIRN_PERF_FILE) /* its clock is written at the end */
        set_clock(c);
    c->report->wall_error_ns = convert_one_clock_error_ns(&c->reader.tables.clocks, &c->clock);
    if (err)
        (void)cairn_perf_writer_finish(c->writer);
    else
        err = cairn_perf_writer_finish(c->writer);
    if (read_err) {
        c->report->error = c->reader.blocks.error;
        c->report->error.code = read_err;
    }
    c->report->unreadable += c->reader.unreadable;
    return err ? err : read_err;
}

int cairn_convert_to_perf(const char *path, int fd, const struct cairn_convert_options *options,
                          struct cairn_convert_report *ret_report)
{
    struct to_perf_conversion c = {.report = ret_report};
    struct perf_data_block_pool pool = {0};
    struct cairn_convert_options own;
    struct perf_data_source source;
    int err;

    *ret_report = (struct cairn_convert_report){0};
    err = convert_options_copy(options, &own);
    err = err ? err : perf_data_source_open(&source, path, &ret_report->error);
    if (err)
        return err;
    err = trace_file_reader_begin(&c.reader, &source, &pool);
    err = err ? err : convert_events(&c, fd, own.mode);
    if (err && !c.writer) {
        ret_report->error = c.reader.blocks.error;
        ret_report->error.code = err;
    }
    err = finish(&c, err);
    cairn_perf_writer_destroy(c.writer);
    trace_file_reader_end(&c.reader);
    perf_data_map_free(&c.name_of);
    perf_data_bytes_free(&c.raw);
    perf_data_bytes_free(&c.record);
    free(c.names);
    return convert_error_of(err, ret_report);
}
