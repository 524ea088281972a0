/* SPDX-License-Identifier: MIT */
/* Reads the events of a trace file for another one: records are copied unchanged. */
#include "convert/trace_input.h"

#include "perf_data/disk.h"
#include "perf_data/missing.h"
#include "trace_file/perf.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

int convert_trace_input_open(struct perf_data_source *source, struct perf_data_block_pool *pool,
                             struct cairn_convert_report *report,
                             struct convert_trace_input *ret_input)
{
    int err;

    *ret_input = (struct convert_trace_input){.report = report};
    err = trace_file_reader_begin(&ret_input->reader, source, pool);
    ret_input->reader.with_others = true;
    report->error = ret_input->reader.blocks.error;
    return err;
}

/* The rounds of a stream are ignored: the other inputs wait for it. */
int convert_trace_input_next(struct convert_trace_input *input, uint64_t *ret_time_ns)
{
    int err;

    do
        err = trace_file_reader_next(&input->reader, &input->event);
    while (err == EAGAIN);
    if (!err)
        *ret_time_ns = input->event.time_ns;
    return err;
}

static int make_space(struct convert_trace_input *input)
{
    uint32_t count = input->reader.tables.descriptor_count;
    void *bigger;

    if (count == input->number_count)
        return 0;
    bigger = realloc(input->numbers, count * sizeof(*input->numbers));
    if (!bigger)
        return ENOMEM;
    input->numbers = (uint32_t *)bigger;
    memset(input->numbers + input->number_count, 0,
           (count - input->number_count) * sizeof(*input->numbers));
    input->number_count = count;
    return 0;
}

/* Finds the output's number of a descriptor, after that of its tracepoint. */
static int find_number(struct convert_trace_input *input, struct trace_file_samples *samples,
                       const struct trace_file_descriptor *descriptor, uint32_t *ret_number)
{
    struct trace_file_descriptor own = *descriptor;
    struct trace_file_descriptor tracepoint;
    int err = make_space(input);

    if (!err && !input->numbers[own.index]) {
        if (input->reader.blocks.swap)
            own.flags ^= TRACE_FILE_OTHER_ORDER;
        if (own.kind == TRACE_FILE_EVENTHEADER) {
            tracepoint = *own.tracepoint;
            err = find_number(input, samples, own.tracepoint, &tracepoint.number);
            own.tracepoint = &tracepoint;
        }
        err = err ? err : trace_file_samples_descriptor(samples, &own, &input->numbers[own.index]);
    }
    if (!err)
        *ret_number = input->numbers[own.index];
    return err;
}

static int note_name(struct convert_trace_input *input, struct trace_file_samples *samples,
                     const struct trace_file_origin *origin)
{
    struct trace_file_name name = {
        .time_ns = origin->time_ns,
        .process = origin->process,
        .tid = origin->tid,
        .text = trace_file_reader_name(&input->reader, &input->event),
    };

    return name.text ? trace_file_samples_name(samples, &name) : 0;
}

/* ---- records of the kernel ---- */

static int find_id(struct convert_trace_input *input, struct convert_output *out, uint32_t domain,
                   const struct trace_file_perf_attr *attr, uint64_t *id)
{
    struct convert_attr own = {
        .domain = domain,
        .config = attr ? attr->of_samples.config : 0,
        .sample_type = attr ? attr->of_samples.sample_type : 0,
        .read_format = attr ? attr->of_samples.read_format : 0,
        .bytes = attr ? attr->bytes : (struct cairn_slice){0},
    };
    int err = 0;

    if (*id)
        return 0;
    if (attr && attr->tracepoint)
        err = find_number(input, &out->samples, attr->tracepoint, &own.descriptor);
    return err ? err : convert_output_attr(out, &own, id);
}

static int make_id_space(struct convert_trace_input *input)
{
    uint32_t count = input->reader.tables.perf_attr_count;
    void *bigger;

    if (count == input->id_count)
        return 0;
    bigger = realloc(input->ids, count * sizeof(*input->ids));
    if (!bigger)
        return ENOMEM;
    input->ids = (uint64_t *)bigger;
    memset(input->ids + input->id_count, 0, (count - input->id_count) * sizeof(*input->ids));
    input->id_count = count;
    return 0;
}

/* Sets a record's parts: what is between its fixed fields. */
static void set_body(const struct trace_file_perf_record *from, struct convert_record *record)
{
    const struct trace_file_perf_attr *attr = from->attr;
    bool is_sample = from->type == CAIRN_PERF_RECORD_SAMPLE;
    size_t before_bytes = is_sample ? attr->layout.fixed_bytes : PERF_DATA_RECORD_HEADER_BYTES;
    size_t after_bytes = is_sample || !attr ? 0 : convert_tail_bytes(attr->of_samples.sample_type);

    record->header = from->data;
    record->body = from->data + before_bytes;
    record->body_bytes = from->size_bytes > before_bytes + after_bytes
                             ? from->size_bytes - before_bytes - after_bytes
                             : 0;
}

static int put_record(struct convert_trace_input *input, struct convert_output *out,
                      const struct convert_origin *from)
{
    const struct trace_file_event *event = &input->event;
    const struct trace_file_perf_attr *attr = event->perf->attr;
    struct convert_record record = {
        .time_ns = event->time_ns ? event->time_ns + from->shift_ns : 0,
        .pid = event->pid,
        .tid = event->tid,
        .cpu = event->cpu,
        .domain = from->domain,
    };
    uint64_t *id = &input->other_id;
    int err = make_id_space(input);

    if (attr && !err)
        id = &input->ids[attr->of_samples.index];
    err = err ? err : find_id(input, out, record.domain, attr, id);
    if (err)
        return err;
    record.id = *id;
    set_body(event->perf, &record);
    if (attr && event->perf->type != CAIRN_PERF_RECORD_SAMPLE)
        convert_record_take_tail(&record, &attr->layout, event->perf->size_bytes);
    err = convert_output_record(out, &record);
    if (err == E2BIG && event->descriptor)
        input->report->unreadable++;
    else
        input->report->events += !err && event->descriptor;
    return err == E2BIG ? 0 : err;
}

/* Records of the other byte order lose what a program's event has not. */
static bool is_left_out(struct convert_trace_input *input)
{
    const struct trace_file_event *event = &input->event;

    input->report->stacks += event->callchain_count && input->reader.blocks.swap;
    input->report->records += !event->descriptor;
    return !event->descriptor;
}

int convert_trace_input_put(struct convert_trace_input *input, struct convert_output *out,
                            const struct convert_origin *from)
{
    const struct trace_file_event *event = &input->event;
    struct trace_file_samples *samples = &out->samples;
    struct iovec payload = {(void *)(uintptr_t)event->payload, event->payload_bytes};
    uint32_t pid = event->pid;
    struct trace_file_origin origin = {
        .tid = event->tid,
        .cpu = event->cpu,
        .domain = from->domain,
        .time_ns = event->time_ns + from->shift_ns,
        .stack = event->callchain,
        .stack_count = input->reader.blocks.swap ? 0 : event->callchain_count,
    };
    int err;

    if (event->perf && !input->reader.blocks.swap)
        return put_record(input, out, from);
    if (is_left_out(input))
        return 0;
    if (event->descriptor->kind != TRACE_FILE_TRACEPOINT &&
        event->descriptor->kind != TRACE_FILE_EVENTHEADER) {
        input->report->unreadable++;
        return 0;
    }
    err = find_number(input, samples, event->descriptor, &origin.descriptor);
    err = err ? err
              : trace_file_samples_process(samples, from->machine, pid,
                                           event->process ? event->process->container : NULL,
                                           &origin.process);
    err = err ? err : note_name(input, samples, &origin);
    err = err ? err : trace_file_pieces_add(&samples->pieces, &origin, &payload, 1);
    input->report->events += !err;
    return err;
}

struct trace_file_clock_pair convert_trace_input_clock(const struct convert_trace_input *input)
{
    const struct trace_file_clocks *clocks = &input->reader.tables.clocks;

    return clocks->count ? clocks->pairs[0] : (struct trace_file_clock_pair){.clockid = -1};
}

void convert_trace_input_count_losses(struct convert_trace_input *input)
{
    input->report->lost = trace_file_reader_lost(&input->reader);
    input->report->missing = input->reader.tables.missing;
    /* The output has the kernel's records of losses, but not those of the recorder. A total that is
     * at least as high as the sum of both is valid for both. */
    perf_data_missing_raise_lost(&input->report->missing, input->report->lost);
    input->report->unreadable += input->reader.unreadable;
}

void convert_trace_input_close(struct convert_trace_input *input)
{
    trace_file_reader_end(&input->reader);
    free(input->numbers);
    free(input->ids);
}
