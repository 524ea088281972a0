/* SPDX-License-Identifier: MIT */
/* Reads the samples of a perf.data file, for a trace file. */
#include "convert/perf_input.h"

#include "core/slice.h"
#include "perf_data/disk.h"
#include "perf_data/missing.h"
#include "perf_data/sample_layout.h"
#include "perf_data/source.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* An attr of the input. */
struct attr {
    struct trace_file_sample_type type;
    const char *format; /* the text that was parsed; NULL: none yet */
    uint64_t id;        /* in the output, of samples with a call chain; 0: none yet */
};

struct convert_perf_input {
    struct cairn_perf_file *file;
    struct attr **attrs;
    uint32_t attr_count;
    struct cairn_perf_sample sample; /* the next one, if the record is a sample */
    struct cairn_perf_record record;
    bool has_chains;   /* an attr's samples have call chains: its records are kept */
    uint64_t other_id; /* of records that are no samples; 0: none yet */
    uint64_t last_ns;  /* of the record before */
    struct cairn_convert_report *report;
};

/* ---- tracepoints ---- */

static uint32_t order_flag(const struct convert_perf_input *c)
{
    return cairn_perf_file_is_swapped(c->file) ? TRACE_FILE_OTHER_ORDER : 0;
}

static void describe(const struct convert_perf_input *c, const struct cairn_perf_attr *attr,
                     struct attr *own)
{
    const char *colon = strchr(attr->name, ':');
    struct trace_file_descriptor descriptor = {
        .kind = TRACE_FILE_TRACEPOINT,
        .flags = (uint8_t)order_flag(c),
        .id = (uint32_t)attr->config,
        .long_size_bytes = cairn_perf_file_tracing(c->file)->long_size_bytes,
        .system = attr->system,
        .name = core_slice_of(colon ? colon + 1 : attr->name),
        .format = attr->format,
    };

    if (!descriptor.system.length && colon)
        descriptor.system = (struct cairn_slice){attr->name, (uint32_t)(colon - attr->name)};
    trace_file_sample_type_set(&own->type, &descriptor);
    own->format = attr->format.text ? attr->format.text : "";
}

/* In a stream the format may follow after samples. */
static int find_attr(struct convert_perf_input *c, const struct cairn_perf_attr *attr,
                     struct attr **ret_attr)
{
    while (attr->index >= c->attr_count) {
        int err = perf_data_array_grow((void ***)&c->attrs, c->attr_count);

        if (err)
            return err;
        c->attrs[c->attr_count] = (struct attr *)calloc(1, sizeof(struct attr));
        if (!c->attrs[c->attr_count])
            return ENOMEM;
        c->attr_count++;
    }
    *ret_attr = c->attrs[attr->index];
    if (!(*ret_attr)->format || (attr->format.text && (*ret_attr)->format != attr->format.text))
        describe(c, attr, *ret_attr);
    return 0;
}

/* ---- events ---- */

static int note_name(struct convert_perf_input *c, struct trace_file_samples *samples,
                     const struct convert_origin *origin)
{
    const struct cairn_perf_sample *sample = &c->sample;
    struct trace_file_name name = {
        .time_ns = sample->time_ns + origin->shift_ns,
        .tid = sample->tid,
    };
    int err =
        trace_file_samples_process(samples, origin->machine, sample->pid, NULL, &name.process);

    if (sample->attr->sample_type & PERF_SAMPLE_TID) /* else 0 is not the idle thread's */
        name.text = cairn_perf_file_comm(c->file, sample->tid);
    return err || !name.text ? err : trace_file_samples_name(samples, &name);
}

/*
 * True if samples of an attr are kept as the kernel's records: they have a call chain. The fields
 * after the raw part need facts that a reader of perf.data does not have.
 */
static bool is_kept_whole(const struct convert_perf_input *c, const struct cairn_perf_attr *attr)
{
    return attr->sample_type & PERF_SAMPLE_CALLCHAIN && attr->sample_type & PERF_SAMPLE_TIME &&
           !cairn_perf_file_is_swapped(c->file);
}

/* True if a record says something that is needed for call chains. */
static bool is_needed(struct convert_perf_input *c, const struct cairn_perf_record *record)
{
    if (record->type >= CAIRN_PERF_RECORD_USER_FIRST)
        return false;
    for (uint32_t n = 0; !c->has_chains && n < cairn_perf_file_attr_count(c->file); n++)
        c->has_chains = is_kept_whole(c, cairn_perf_file_attr(c->file, n));
    return c->has_chains;
}

/* Counts records that a trace file cannot contain. */
static void note_reductions(struct convert_perf_input *c, const struct cairn_perf_sample *sample)
{
    const uint64_t kept = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW |
                          PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_CALLCHAIN;

    if (sample->callchain_count && !is_kept_whole(c, sample->attr))
        c->report->stacks++;
    if (sample->attr->sample_type & ~kept)
        c->report->is_reduced = true;
}

/* Returns true for a sample of a tracepoint; counts others. */
static bool take_sample(struct convert_perf_input *c, const struct cairn_perf_record *record)
{
    if (cairn_perf_sample_parse(c->file, record, &c->sample)) {
        c->report->unreadable++;
        return false;
    }
    if (c->sample.attr->type != CAIRN_PERF_TYPE_TRACEPOINT || !c->sample.raw) {
        c->report->no_tracepoints++;
        return false;
    }
    note_reductions(c, &c->sample);
    return true;
}

static bool is_metadata(uint32_t type)
{
    return type == CAIRN_PERF_RECORD_COMM || type == CAIRN_PERF_RECORD_FORK ||
           type == CAIRN_PERF_RECORD_LOST || type == CAIRN_PERF_RECORD_LOST_SAMPLES ||
           type >= CAIRN_PERF_RECORD_USER_FIRST;
}

/* One without a time, as perf makes them of running processes, comes where it was read. */
static uint64_t time_of_other(struct convert_perf_input *c)
{
    if (c->record.time_ns)
        c->last_ns = c->record.time_ns;
    else if (!c->last_ns)
        c->last_ns = cairn_perf_file_clock(c->file)->time_ns;
    return c->last_ns;
}

int convert_perf_input_next(struct convert_perf_input *c, uint64_t *ret_time_ns)
{
    for (;;) {
        int err = cairn_perf_file_next_ordered(c->file, &c->record);

        if (err)
            return err;
        if (c->record.type == CAIRN_PERF_RECORD_SAMPLE) {
            if (take_sample(c, &c->record)) {
                *ret_time_ns = c->last_ns = c->sample.time_ns;
                return 0;
            }
        } else if (is_needed(c, &c->record)) {
            *ret_time_ns = time_of_other(c);
            return 0;
        } else if (!is_metadata(c->record.type)) {
            c->report->records++;
        }
    }
}

/* ---- records with call chains, and those that they need ---- */

static int find_id(struct convert_output *out, const struct convert_origin *origin,
                   const struct cairn_perf_attr *attr, struct attr *own, uint64_t *id)
{
    const uint64_t kept = PERF_SAMPLE_READ | PERF_SAMPLE_CALLCHAIN | PERF_SAMPLE_RAW;
    struct convert_attr added = {.domain = origin->domain};
    struct trace_file_descriptor tracepoint;
    int err = 0;

    if (*id)
        return 0;
    if (own) {
        tracepoint = own->type.tracepoint;
        tracepoint.flags |= TRACE_FILE_HAS_COMMON;
        added.config = attr->config;
        added.sample_type = attr->sample_type & kept;
        added.read_format = attr->read_format;
        err = trace_file_samples_descriptor(&out->samples, &tracepoint, &added.descriptor);
    }
    return err ? err : convert_output_attr(out, &added, id);
}

static int put_whole(struct convert_perf_input *c, struct convert_output *out,
                     const struct convert_origin *origin, struct attr *own)
{
    const struct cairn_perf_sample *sample = &c->sample;
    const struct perf_data_sample_layout layout =
        perf_data_sample_layout_of(sample->attr->sample_type, sample->attr->flags);
    const uint8_t *body = c->record.data + layout.fixed_bytes;
    const uint8_t *end = sample->raw + sample->raw_size_bytes;
    struct convert_record record = {
        .header = c->record.data,
        .body = body,
        .body_bytes = (size_t)(end - body),
        .time_ns = sample->time_ns + origin->shift_ns,
        .pid = sample->pid,
        .tid = sample->tid,
        .cpu = sample->attr->sample_type & PERF_SAMPLE_CPU ? sample->cpu : TRACE_FILE_CPU_UNKNOWN,
        .domain = origin->domain,
    };
    int err = find_id(out, origin, sample->attr, own, &own->id);

    record.id = own->id;
    err = err ? err : convert_output_record(out, &record);
    if (err == E2BIG)
        c->report->unreadable++;
    c->report->events += !err;
    return err == E2BIG ? 0 : err;
}

static int put_other(struct convert_perf_input *c, struct convert_output *out,
                     const struct convert_origin *origin)
{
    const struct cairn_perf_attr *attr =
        c->record.attr ? c->record.attr : cairn_perf_file_attr(c->file, 0);
    size_t tail_bytes =
        attr->flags & PERF_DATA_ATTR_SAMPLE_ID_ALL ? convert_tail_bytes(attr->sample_type) : 0;
    size_t least_bytes = PERF_DATA_RECORD_HEADER_BYTES + tail_bytes;
    const struct perf_data_sample_layout layout =
        perf_data_sample_layout_of(attr->sample_type, attr->flags);
    struct convert_record record = {
        .header = c->record.data,
        .body = c->record.data + PERF_DATA_RECORD_HEADER_BYTES,
        .time_ns = c->last_ns + origin->shift_ns,
        .cpu = TRACE_FILE_CPU_UNKNOWN,
        .domain = origin->domain,
    };
    int err = find_id(out, origin, NULL, NULL, &c->other_id);

    if (err || c->record.size_bytes < least_bytes)
        return err;
    record.id = c->other_id;
    record.body_bytes = c->record.size_bytes - least_bytes;
    convert_record_take_tail(&record, &layout, c->record.size_bytes);
    err = convert_output_record(out, &record);
    c->report->records += err == E2BIG;
    return err == E2BIG ? 0 : err;
}

static int put_sample(struct convert_perf_input *c, struct convert_output *out,
                      const struct convert_origin *origin)
{
    struct trace_file_samples *samples = &out->samples;
    const struct cairn_perf_sample *sample = &c->sample;
    bool has_cpu = sample->attr->sample_type & PERF_SAMPLE_CPU;
    struct attr *own;
    int err = find_attr(c, sample->attr, &own);

    if (!err && is_kept_whole(c, sample->attr))
        return put_whole(c, out, origin, own);

    err = err ? err : note_name(c, samples, origin);
    err = err ? err
              : trace_file_samples_add(samples, &own->type,
                                       &(struct trace_file_sample){
                                           .pid = sample->pid,
                                           .tid = sample->tid,
                                           .cpu = has_cpu ? sample->cpu : TRACE_FILE_CPU_UNKNOWN,
                                           .domain = origin->domain,
                                           .machine = origin->machine,
                                           .time_ns = sample->time_ns + origin->shift_ns,
                                           .raw = sample->raw,
                                           .raw_bytes = sample->raw_size_bytes,
                                       });
    c->report->events += !err;
    return err;
}

int convert_perf_input_put(struct convert_perf_input *c, struct convert_output *out,
                           const struct convert_origin *origin)
{
    return c->record.type == CAIRN_PERF_RECORD_SAMPLE ? put_sample(c, out, origin)
                                                      : put_other(c, out, origin);
}

/* ---- facts ---- */

struct trace_file_clock_pair convert_perf_input_clock(const struct convert_perf_input *c)
{
    const struct cairn_perf_clock *clock = cairn_perf_file_clock(c->file);

    return (struct trace_file_clock_pair){
        .counter_kind = TRACE_FILE_COUNTER_NS,
        .clockid = clock->clockid,
        .counter = clock->time_ns,
        .time_ns = clock->time_ns,
        .wall_ns = clock->wall_clock_known ? clock->wall_clock_ns : 0,
        .resolution_ns = clock->resolution_ns,
    };
}

const struct cairn_perf_host *convert_perf_input_host(const struct convert_perf_input *c)
{
    return cairn_perf_file_host(c->file);
}

struct cairn_slice convert_perf_input_strings(const struct convert_perf_input *c)
{
    return cairn_perf_file_tracing(c->file)->printk;
}

void convert_perf_input_count_losses(struct convert_perf_input *c)
{
    const struct cairn_perf_counts *counts = cairn_perf_file_counts(c->file);

    c->report->lost = counts->lost_events + counts->lost_samples;
    c->report->missing = *cairn_perf_file_missing(c->file);
    /* Another recorder's losses have no causes. */
    perf_data_missing_raise_lost(&c->report->missing, c->report->lost);
}

const struct cairn_perf_error *convert_perf_input_error(const struct convert_perf_input *c)
{
    return cairn_perf_file_error(c->file);
}

/* ---- opening ---- */

int convert_perf_input_open(struct perf_data_source *source, struct perf_data_block_pool *pool,
                            struct cairn_convert_report *report,
                            struct convert_perf_input **ret_input)
{
    struct convert_perf_input *c = (struct convert_perf_input *)calloc(1, sizeof(*c));
    struct cairn_perf_file *file;
    int err = perf_data_file_open_source(source, pool, &report->error, &file);

    if (err || !c) {
        if (!err)
            cairn_perf_file_close(file);
        free(c);
        return err ? err : ENOMEM;
    }
    c->file = file;
    c->report = report;
    *ret_input = c;
    return 0;
}

void convert_perf_input_close(struct convert_perf_input *c)
{
    if (!c)
        return;
    for (uint32_t n = 0; n < c->attr_count; n++)
        free(c->attrs[n]);
    free(c->attrs);
    cairn_perf_file_close(c->file);
    free(c);
}
