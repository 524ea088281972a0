/* SPDX-License-Identifier: MIT */
/*
 * The clocks of a trace file: how a counter's value becomes CLOCK_MONOTONIC and the time of day. A
 * pair with a rate begins a line. Between two pairs without one times are interpolated, before the
 * first and after the last extrapolated.
 */
#ifndef TRACE_FILE_CLOCK_H
#define TRACE_FILE_CLOCK_H

#include "core/cursor.h"
#include "trace_file/disk.h"

/* An entry of CLOCKS: the values of the counter and of both clocks at one moment. */
struct trace_file_clock_pair {
    uint32_t domain; /* machines whose clocks differ have different ones */
    uint32_t counter_kind;
    int32_t clockid; /* of time_ns; -1: unknown */
    uint64_t counter;
    uint64_t time_ns;
    uint64_t wall_ns;       /* 0: unknown */
    uint64_t resolution_ns; /* 0: unknown */
    uint64_t rate;          /* ns of 2^32 counts from here on; 0: unknown */
};

/* All zeros has no pairs. */
struct trace_file_clocks {
    struct trace_file_clock_pair *pairs; /* of all domains, in the order of the file */
    uint32_t count;
    uint32_t capacity;
};

/* Adds the pairs of a block. Returns 0; EBADMSG; ENOMEM. */
int trace_file_clocks_add(struct trace_file_clocks *clocks, struct core_cursor c);

/* Returns by how much times may differ from those that the writer computed for the index, when it
 * knew fewer pairs. */
uint64_t trace_file_clocks_margin_ns(const struct trace_file_clocks *clocks);

/* The line that the times of some counters are on. All zeros is valid for none. */
struct trace_file_clock_span {
    uint32_t domain;
    uint32_t pair_count; /* of all pairs when it was found */
    uint64_t first;      /* the counters: both included */
    uint64_t last;
    uint64_t counter; /* a point on the line */
    uint64_t time_ns;
    uint64_t rate;                         /* the slope, if */
    const struct trace_file_clock_pair *b; /* this second point is NULL */
};

/* Finds the span that a counter is in. It is valid until a pair is added. Returns false if the
 * domain has no pair: times are then the counters themselves. */
bool trace_file_clocks_span(const struct trace_file_clocks *clocks, uint32_t domain,
                            uint64_t counter, struct trace_file_clock_span *ret_span);

/* Returns the time in ns of a counter in a span. */
uint64_t trace_file_clock_span_time(const struct trace_file_clock_span *span, uint64_t counter);

/* Returns a time in ns; the counter itself if the domain has no pair. */
uint64_t trace_file_clocks_time(const struct trace_file_clocks *clocks, uint32_t domain,
                                uint64_t counter);

/* The result for the last time, which is mostly that for the next one too. Begins as zeros. */
struct trace_file_day {
    uint32_t domain;
    uint32_t pair_count;
    uint64_t first_ns; /* the times: both included */
    uint64_t last_ns;
    uint64_t shift_ns; /* added to them, modulo 2^64 */
    bool is_known;
};

/* Sets the time of day of a time. False: it is unknown. */
bool trace_file_clocks_wall(const struct trace_file_clocks *clocks, uint32_t domain,
                            uint64_t time_ns, struct trace_file_day *day, uint64_t *ret_wall_ns);

void trace_file_clocks_free(struct trace_file_clocks *clocks);

#endif
