/* SPDX-License-Identifier: MIT */
/* A recorder's records as perf.data: they are written as they are. */
#include "os/clock.h"
#include "core/load.h"
#include "perf_data/map.h"
#include "perf_data/writer.h"
#include "session/sink.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

struct perf_sink {
    struct session_sink sink; /* first */
    struct cairn_perf_writer *writer;
    struct perf_data_map number_of; /* id of the kernel's samples to the number of its event */
    struct cairn_bytes records;     /* of the kernel, with ids of this file */
};

static struct cairn_perf_writer *writer_of(const struct session_sink *sink)
{
    return ((const struct perf_sink *)sink)->writer;
}

static int add_tracepoint(struct session_sink *sink, const struct cairn_perf_tracepoint *tracepoint)
{
    return cairn_perf_writer_add_tracepoint(writer_of(sink), tracepoint);
}

static int put_records(struct session_sink *sink, const uint8_t *records, size_t size_bytes)
{
    return cairn_perf_writer_write(writer_of(sink), records, size_bytes);
}

/* A stack that a record has no space for is left out. */
static int put_stacked(struct session_sink *sink, const uint8_t *sample, size_t size_bytes,
                       const uint8_t *stack, uint32_t count)
{
    int error = perf_data_writer_put_stacked(writer_of(sink), sample, stack, count);

    return error == E2BIG ? cairn_perf_writer_write(writer_of(sink), sample, size_bytes) : error;
}

static int put_comm(struct session_sink *sink, const struct session_sink_thread *thread,
                    const char *comm, uint64_t time_ns)
{
    return cairn_perf_writer_comm(writer_of(sink), thread->pid, thread->tid, comm, time_ns);
}

static int put_lost(struct session_sink *sink, uint64_t sample_id, uint64_t lost)
{
    return cairn_perf_writer_lost(writer_of(sink), sample_id, lost, os_clock_ns());
}

static int put_missing(struct session_sink *sink, const struct cairn_perf_missing *missing)
{
    return cairn_perf_writer_missing(writer_of(sink), missing);
}

/* ---- the kernel ---- */

/* The ids of the kernel's events could be those of programs' events, which the engine numbers: the
 * file has other ones. */
#define KERNEL_IDS (UINT64_C(1) << 62)

#define ID_AT 8u /* of a sample, and of the event in a record of losses */

static int add_kernel_strings(struct session_sink *sink, struct cairn_slice text)
{
    struct cairn_perf_writer *writer = writer_of(sink);
    const char *copy = perf_data_arena_text(&writer->arena, text.text, text.length);

    if (!copy)
        return ENOMEM;
    writer->printk = (struct cairn_slice){copy, text.length};
    return 0;
}

static int add_kernel_event(struct session_sink *sink, const struct perf_events_event *event)
{
    struct perf_sink *perf = (struct perf_sink *)sink;
    const struct perf_events_tracepoint *t = &event->tracepoint;
    uint32_t number = t->name ? t->id : 0;
    uint64_t id = KERNEL_IDS | number;
    int error = 0;

    for (uint32_t n = 0; n < event->id_count && !error; n++)
        error = perf_data_map_set(&perf->number_of, event->ids[n], number);
    if (error || !t->name)
        return error; /* the writer has a dummy event of its own */
    perf->writer->regs_user = event->attr.sample_regs_user;
    perf->writer->stack_user_bytes = event->attr.sample_stack_user;
    return cairn_perf_writer_add_tracepoint(perf->writer,
                                            &(struct cairn_perf_tracepoint){
                                                .system = t->system,
                                                .name = t->name,
                                                .id = t->id,
                                                .format = t->format,
                                                .format_bytes = t->format_bytes,
                                                .sample_ids = &id,
                                                .sample_id_count = 1,
                                                .sample_type = event->attr.sample_type,
                                            });
}

/* Replaces an id by the file's. The dummy event's is 0, which stands for the file's first event. */
static void replace_id(const struct perf_sink *perf, uint8_t *id)
{
    uint32_t number = perf_data_map_get(&perf->number_of, core_load64(id, false));
    uint64_t of_file = number && number != PERF_DATA_MAP_NONE ? KERNEL_IDS | number : 0;

    memcpy(id, &of_file, sizeof(of_file));
}

static void replace_ids(const struct perf_sink *perf, uint8_t *record, uint32_t type,
                        uint16_t size_bytes)
{
    if (type == CAIRN_PERF_RECORD_SAMPLE || type == CAIRN_PERF_RECORD_LOST)
        replace_id(perf, record + ID_AT);
    if (type != CAIRN_PERF_RECORD_SAMPLE)
        replace_id(perf, record + size_bytes - sizeof(uint64_t));
}

static int put_kernel_records(struct session_sink *sink, uint32_t cpu, const uint8_t *records,
                              size_t size_bytes, struct trace_file_perf_added *ret_added)
{
    struct perf_sink *perf = (struct perf_sink *)sink;

    (void)cpu;
    perf->records.size = 0;
    perf_data_bytes_put(&perf->records, records, size_bytes);
    if (perf->records.error)
        return perf->records.error;
    for (size_t at = 0; at < size_bytes;) {
        uint8_t *record = perf->records.data + at;
        uint16_t size = size_bytes - at < 2 * ID_AT ? 0 : core_load16(record + 6, false);
        uint32_t type = size ? core_load32(record, false) : 0;

        if (size < 2 * ID_AT || size > size_bytes - at)
            return EBADMSG;
        replace_ids(perf, record, type, size);
        ret_added->samples += type == CAIRN_PERF_RECORD_SAMPLE;
        if (type == CAIRN_PERF_RECORD_LOST && size >= 3 * ID_AT)
            ret_added->lost += core_load64(record + 2 * ID_AT, false);
        else if (type == CAIRN_PERF_RECORD_LOST_SAMPLES)
            ret_added->lost += core_load64(record + ID_AT, false);
        at += size;
    }
    return cairn_perf_writer_write(perf->writer, perf->records.data, size_bytes);
}

/* ---- */

static int end_round(struct session_sink *sink, uint64_t began_ns)
{
    int error = cairn_perf_writer_round(writer_of(sink));
    int flush_error = cairn_perf_writer_flush(writer_of(sink));

    (void)began_ns;
    return error ? error : flush_error;
}

static int finish(struct session_sink *sink)
{
    return cairn_perf_writer_finish(writer_of(sink));
}

static uint64_t bytes_of(const struct session_sink *sink)
{
    return cairn_perf_writer_size_bytes(writer_of(sink));
}

static uint64_t unstored_of(const struct session_sink *sink)
{
    return perf_data_writer_unwritten_samples(writer_of(sink));
}

static void destroy(struct session_sink *sink)
{
    struct perf_sink *perf = (struct perf_sink *)sink;

    cairn_perf_writer_destroy(perf->writer);
    perf_data_map_free(&perf->number_of);
    perf_data_bytes_free(&perf->records);
    free(sink);
}

static const struct session_sink_type type = {
    .tracepoint = add_tracepoint,
    .records = put_records,
    .stacked = put_stacked,
    .comm = put_comm,
    .lost = put_lost,
    .missing = put_missing,
    .kernel_strings = add_kernel_strings,
    .kernel_event = add_kernel_event,
    .kernel_records = put_kernel_records,
    .round = end_round,
    .finish = finish,
    .bytes = bytes_of,
    .unstored = unstored_of,
    .destroy = destroy,
};

static int open_writer(const struct cairn_session_options *options,
                       struct cairn_perf_writer **ret_writer)
{
    struct cairn_perf_clock clock;
    int error = cairn_perf_writer_create(options->fd, options->mode, ret_writer);

    if (!error && options->wait)
        cairn_perf_writer_set_wait(*ret_writer, options->wait, options->wait_context);
    if (!error && options->arg_count)
        error = cairn_perf_writer_set_command(*ret_writer, options->arg_count, options->args);
    if (!error)
        error = cairn_perf_clock_read(CLOCK_MONOTONIC, &clock);
    if (!error)
        error = cairn_perf_writer_set_clock(*ret_writer, &clock);
    return error;
}

int session_open_perf_sink(const struct cairn_session_options *options,
                           struct session_sink **ret_sink)
{
    struct perf_sink *perf = calloc(1, sizeof(*perf));
    int error;

    if (!perf)
        return ENOMEM;
    perf->sink.type = &type;
    error = options->compression ? EINVAL : open_writer(options, &perf->writer);
    if (error) {
        destroy(&perf->sink);
        return error;
    }
    *ret_sink = &perf->sink;
    return 0;
}
