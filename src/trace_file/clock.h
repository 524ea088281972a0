/* SPDX-License-Identifier: MIT */
/*
 * The clocks of a trace file: how a counter's value becomes CLOCK_MONOTONIC and the time of day.
 * Between two pairs times are interpolated, before the first and after the last extrapolated.
 */
#ifndef TRACE_FILE_CLOCK_H
#define TRACE_FILE_CLOCK_H

#include "core/cursor.h"
#include "trace_file/disk.h"

/* An entry of CLOCKS: what the counter and both clocks showed at one moment. */
struct trace_file_clock_pair {
    uint32_t domain; /* machines whose clocks differ have different ones */
    uint32_t counter_kind;
    int32_t clockid; /* of time_ns; -1: unknown */
    uint64_t counter;
    uint64_t time_ns;
    uint64_t wall_ns;       /* 0: unknown */
    uint64_t resolution_ns; /* 0: unknown */
};

/* All zeros has no pairs. */
struct trace_file_clocks {
    struct trace_file_clock_pair *pairs; /* of all domains, as they came */
    uint32_t count;
    uint32_t capacity;
};

/* Adds the pairs of a block. Returns 0; EBADMSG; ENOMEM. */
int trace_file_clocks_add(struct trace_file_clocks *clocks, struct core_cursor c);

/* Returns a time in ns; the counter itself if the domain has no pair. */
uint64_t trace_file_clocks_time(const struct trace_file_clocks *clocks, uint32_t domain,
                                uint64_t counter);

/* Sets the time of day of a time. False: it is unknown. */
bool trace_file_clocks_wall(const struct trace_file_clocks *clocks, uint32_t domain,
                            uint64_t time_ns, uint64_t *ret_wall_ns);

void trace_file_clocks_free(struct trace_file_clocks *clocks);

#endif
