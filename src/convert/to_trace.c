/* SPDX-License-Identifier: MIT */
/* Converts perf.data to a trace file: data that all events of a call site have in common becomes a
 * descriptor.
 */
#include "convert/options.h"
#include "convert/perf_input.h"

#include <errno.h>

/* Facts of a stream precede its samples. */
static void put_facts(const struct convert_perf_input *input, struct trace_file_samples *samples)
{
    struct trace_file_clock_pair clock = convert_perf_input_clock(input);

    trace_file_put_kernel_strings(&samples->tables, 0, convert_perf_input_strings(input));
    trace_file_put_host(&samples->tables, convert_perf_input_host(input));
    trace_file_put_clock(&samples->tables, &clock);
}

/* Returns the first error of reading; *ret_err is that of writing. */
static int convert_samples(struct convert_perf_input *input, struct convert_output *out,
                           int *ret_err)
{
    static const struct convert_origin origin = {0};
    uint64_t time_ns;
    int err = convert_perf_input_next(input, &time_ns);

    *ret_err = 0;
    if (!err)
        put_facts(input, &out->samples);
    while (!err && !*ret_err) {
        *ret_err = convert_perf_input_put(input, out, &origin);
        err = *ret_err ? 0 : convert_perf_input_next(input, &time_ns);
    }
    return err == ENODATA ? 0 : err;
}

static int convert(struct convert_perf_input *input, int fd, int level,
                   struct cairn_convert_report *report)
{
    struct convert_output out;
    int err = convert_output_begin(&out, fd, level);
    int read_err;

    if (!err) {
        read_err = convert_samples(input, &out, &err);
        convert_perf_input_count_losses(input);
        trace_file_put_missing(&out.samples.tables, &report->missing);
        if (read_err)
            report->error = *convert_perf_input_error(input);
        err = err ? err : convert_output_finish(&out);
        err = err ? err : read_err;
    }
    convert_output_free(&out);
    return err;
}

int cairn_convert_to_trace(const char *path, int fd, const struct cairn_convert_options *options,
                           struct cairn_convert_report *ret_report)
{
    struct perf_data_block_pool pool = {0};
    struct cairn_convert_options own;
    struct convert_perf_input *input;
    struct perf_data_source source;
    int err;

    *ret_report = (struct cairn_convert_report){0};
    err = convert_options_copy(options, &own);
    err = err ? err : perf_data_source_open(&source, path, &ret_report->error);
    err = err ? err : convert_perf_input_open(&source, &pool, ret_report, &input);
    if (err)
        return convert_error_of(err, ret_report);
    err = convert(input, fd, own.level, ret_report);
    convert_perf_input_close(input);
    return err;
}
