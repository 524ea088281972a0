/* SPDX-License-Identifier: MIT */
/* The events of a trace file, in the order of time, for another trace file. */
#ifndef CONVERT_TRACE_INPUT_H
#define CONVERT_TRACE_INPUT_H

#include "convert/perf_input.h"
#include "trace_file/reader.h"

struct convert_trace_input {
    struct trace_file_reader reader;
    struct trace_file_event event; /* the next one */
    uint32_t *numbers;             /* in the output, by the index of a descriptor; 0: none yet */
    uint32_t number_count;
    uint64_t *ids; /* in the output, by the index of an attr; 0: none yet */
    uint32_t id_count;
    uint64_t other_id; /* of the kernel's records whose attr is unknown; 0: none yet */
    struct cairn_convert_report *report;
};

/* The same as those of a perf.data input. Zeros can be closed. */
int convert_trace_input_open(struct perf_data_source *source, struct perf_data_block_pool *pool,
                             struct cairn_convert_report *report,
                             struct convert_trace_input *ret_input);
int convert_trace_input_next(struct convert_trace_input *input, uint64_t *ret_time_ns);
int convert_trace_input_put(struct convert_trace_input *input, struct convert_output *out,
                            const struct convert_origin *origin);
struct trace_file_clock_pair convert_trace_input_clock(const struct convert_trace_input *input);
void convert_trace_input_count_losses(struct convert_trace_input *input);
void convert_trace_input_close(struct convert_trace_input *input);

#endif
