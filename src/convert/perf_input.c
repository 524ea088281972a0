/* SPDX-License-Identifier: MIT */
/* Reads the samples of a perf.data file, for a trace file. */
#include "convert/perf_input.h"

#include "core/slice.h"
#include "perf_data/source.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* An attr of the input. */
struct attr {
    struct trace_file_sample_type type;
    const char *format; /* the text that was parsed; NULL: none yet */
};

struct convert_perf_input {
    struct cairn_perf_file *file;
    struct attr **attrs;
    uint32_t attr_count;
    struct cairn_perf_sample sample; /* the next one */
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
        .text = cairn_perf_file_comm(c->file, sample->tid),
    };
    int err = trace_file_samples_process(samples, origin->domain, sample->pid, &name.process);

    return err || !name.text ? err : trace_file_samples_name(samples, &name);
}

/* Counts records that a trace file cannot contain. */
static void note_reductions(struct convert_perf_input *c, const struct cairn_perf_sample *sample)
{
    const uint64_t kept = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU | PERF_SAMPLE_RAW |
                          PERF_SAMPLE_ID | PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_CALLCHAIN;

    c->report->stacks += sample->callchain_count != 0;
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

int convert_perf_input_next(struct convert_perf_input *c, uint64_t *ret_time_ns)
{
    for (;;) {
        struct cairn_perf_record record;
        int err = cairn_perf_file_next_ordered(c->file, &record);

        if (err)
            return err;
        if (record.type == CAIRN_PERF_RECORD_SAMPLE) {
            if (take_sample(c, &record)) {
                *ret_time_ns = c->sample.time_ns;
                return 0;
            }
        } else if (!is_metadata(record.type)) {
            c->report->records++;
        }
    }
}

int convert_perf_input_put(struct convert_perf_input *c, struct trace_file_samples *samples,
                           const struct convert_origin *origin)
{
    const struct cairn_perf_sample *sample = &c->sample;
    bool has_cpu = sample->attr->sample_type & PERF_SAMPLE_CPU;
    struct attr *own;
    int err = find_attr(c, sample->attr, &own);

    err = err ? err : note_name(c, samples, origin);
    err = err ? err
              : trace_file_samples_add(samples, &own->type,
                                       &(struct trace_file_sample){
                                           .pid = sample->pid,
                                           .tid = sample->tid,
                                           .cpu = has_cpu ? sample->cpu : TRACE_FILE_CPU_UNKNOWN,
                                           .domain = origin->domain,
                                           .time_ns = sample->time_ns + origin->shift_ns,
                                           .raw = sample->raw,
                                           .raw_bytes = sample->raw_size_bytes,
                                       });
    c->report->events += !err;
    return err;
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

void convert_perf_input_count_losses(struct convert_perf_input *c)
{
    const struct cairn_perf_counts *counts = cairn_perf_file_counts(c->file);
    uint64_t known = 0;

    c->report->lost = counts->lost_events + counts->lost_samples;
    c->report->missing = *cairn_perf_file_missing(c->file);
    for (size_t cause = 0; cause < CAIRN_LOSS_CAUSES; cause++)
        known += c->report->missing.lost[cause];
    if (known < c->report->lost) /* another recorder's losses have no causes */
        c->report->missing.lost[CAIRN_LOSS_OTHER] += c->report->lost - known;
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
