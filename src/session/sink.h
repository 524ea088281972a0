/* SPDX-License-Identifier: MIT */
/*
 * The output of a recorder: a perf.data or a trace file. The functions return 0, or the first
 * error, which persists; events that come after it, or waited when it happened, are counted.
 */
#ifndef SESSION_SINK_H
#define SESSION_SINK_H

#include "perf_events/perf_events.h"
#include "trace_file/perf_writer.h"

#include <cairn/perf_data.h>
#include <cairn/session.h>

struct session_sink {
    const struct session_sink_type *type;
    bool wants_round; /* also if no event has come since the last one */
};

struct session_sink_thread {
    uint32_t pid;
    uint32_t process; /* its number in a trace file */
    uint32_t tid;
};

struct session_sink_type {
    int (*tracepoint)(struct session_sink *sink, const struct cairn_perf_tracepoint *tracepoint);

    /* Whole, checked samples of tracepoints that were added. NULL: a trace file has functions of
     * its own, in sink_trace.h. */
    int (*records)(struct session_sink *sink, const uint8_t *records, size_t size_bytes);
    /* The same of one sample, with its stack: u64 addresses, the innermost first. */
    int (*stacked)(struct session_sink *sink, const uint8_t *sample, size_t size_bytes,
                   const uint8_t *stack, uint32_t count);
    int (*comm)(struct session_sink *sink, const struct session_sink_thread *thread,
                const char *comm, uint64_t time_ns);
    int (*lost)(struct session_sink *sink, uint64_t sample_id, uint64_t lost);
    int (*missing)(struct session_sink *sink, const struct cairn_perf_missing *missing);

    /* The strings that the kernel's events have pointers to; an event of it, before its records;
     * and whole records of a ring. */
    int (*kernel_strings)(struct session_sink *sink, struct cairn_slice text);
    int (*kernel_event)(struct session_sink *sink, const struct perf_events_event *event);
    int (*kernel_records)(struct session_sink *sink, uint32_t cpu, const uint8_t *records,
                          size_t size_bytes, struct trace_file_perf_added *ret_added);

    /* Writes everything so far. began_ns: all that was committed before it has come. */
    int (*round)(struct session_sink *sink, uint64_t began_ns);
    int (*finish)(struct session_sink *sink);
    uint64_t (*bytes)(const struct session_sink *sink);
    uint64_t (*unstored)(const struct session_sink *sink);
    void (*destroy)(struct session_sink *sink);
};

/* Returns 0; EINVAL fd is not of the kind that the mode needs, or a level
 * is out of range; EOPNOTSUPP no compression; ENOMEM; or an errno code of the system. */
int session_open_perf_sink(const struct cairn_session_options *options,
                           struct session_sink **ret_sink);

#endif
