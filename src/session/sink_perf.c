/* SPDX-License-Identifier: MIT */
/* A recorder's records as perf.data: they are written as they are. */
#include "os/clock.h"
#include "perf_data/writer.h"
#include "session/sink.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

struct perf_sink {
    struct session_sink sink; /* first */
    struct cairn_perf_writer *writer;
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
    cairn_perf_writer_destroy(writer_of(sink));
    free(sink);
}

static const struct session_sink_type type = {
    .tracepoint = add_tracepoint,
    .records = put_records,
    .comm = put_comm,
    .lost = put_lost,
    .missing = put_missing,
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
