/* SPDX-License-Identifier: MIT */
/* The samples of a perf.data file, in the order of time, for a trace file. */
#ifndef CONVERT_PERF_INPUT_H
#define CONVERT_PERF_INPUT_H

#include "convert/output.h"
#include "perf_data/source.h"

#include <cairn/convert.h>

/* An input's domains and shift in the output. */
struct convert_origin {
    uint32_t domain;   /* of the clock */
    uint32_t machine;  /* domain of the processes */
    uint64_t shift_ns; /* added to its times, modulo 2^64 */
};

struct convert_perf_input;

/*
 * Opens a source, which the input owns from then on, also on failure.
 *
 * report  counts what is left out
 *
 * Returns as cairn_perf_file_open.
 */
int convert_perf_input_open(struct perf_data_source *source, struct perf_data_block_pool *pool,
                            struct cairn_convert_report *report,
                            struct convert_perf_input **ret_input);

/* Moves to the next sample of a tracepoint, or record that a call chain needs. Returns 0; ENODATA
 * the end; or the error of reading. */
int convert_perf_input_next(struct convert_perf_input *input, uint64_t *ret_time_ns);

/* Adds it. Returns as trace_file_samples_add. */
int convert_perf_input_put(struct convert_perf_input *input, struct convert_output *out,
                           const struct convert_origin *origin);

/* Facts about the machine, which are known when the first sample was read, and losses, which are
 * known at the end. */
struct trace_file_clock_pair convert_perf_input_clock(const struct convert_perf_input *input);
const struct cairn_perf_host *convert_perf_input_host(const struct convert_perf_input *input);
struct cairn_slice convert_perf_input_strings(const struct convert_perf_input *input);
void convert_perf_input_count_losses(struct convert_perf_input *input);
const struct cairn_perf_error *convert_perf_input_error(const struct convert_perf_input *input);

/* Accepts NULL. */
void convert_perf_input_close(struct convert_perf_input *input);

#endif
