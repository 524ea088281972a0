/* SPDX-License-Identifier: MIT */
/* Merging of recordings. */
#include "convert/options.h"
#include "convert/trace_input.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Clocks of one machine differ by at most this: the time of day may have been adjusted between two
 * recordings. */
#define SAME_CLOCK_NS 1000000000

/* A domain of the output is the machine's number, and in the lower bits the domain in its file. */
#define DOMAIN_BITS 16

struct input {
    struct cairn_convert_input *given;
    struct convert_perf_input *perf;  /* or: */
    struct convert_trace_input trace; /* if is_trace */
    bool is_trace;
    bool is_open;
    bool has_event;
    uint64_t time_ns; /* time of the event, of its own clock */
    struct convert_origin origin;
    struct trace_file_clock_pair clock;
};

struct merge {
    struct input *inputs;
    size_t count;
    struct convert_output out;
    uint32_t machines;
    uint64_t shift_ns;                  /* of the output's clock to that of the first input */
    struct perf_data_map known_domains; /* whose clocks are written */
};

/* ---- inputs ---- */

static int open_input(struct input *in)
{
    struct cairn_convert_report *report = &in->given->report;
    struct perf_data_block_pool pool = {0};
    struct perf_data_source source;
    const uint8_t *data;
    int err = perf_data_source_open(&source, in->given->path, &report->error);

    if (err)
        return err;
    err = perf_data_source_peek(&source, &pool, TRACE_FILE_MAGIC_BYTES, &data);
    in->is_trace = !err && !memcmp(data, TRACE_FILE_MAGIC, TRACE_FILE_MAGIC_BYTES);
    in->is_open = true;
    if (in->is_trace)
        return convert_trace_input_open(&source, &pool, report, &in->trace);
    return convert_perf_input_open(&source, &pool, report, &in->perf);
}

/* An input that cannot be read any further has ended; the others continue. */
static void advance(struct input *in)
{
    int err = in->is_trace ? convert_trace_input_next(&in->trace, &in->time_ns)
                           : convert_perf_input_next(in->perf, &in->time_ns);

    in->has_event = !err;
    if (!err || err == ENODATA)
        return;
    in->given->error = err;
    in->given->report.error =
        in->is_trace ? in->trace.reader.blocks.error : *convert_perf_input_error(in->perf);
}

static const char *hostname_of(const struct input *in)
{
    const struct cairn_perf_host *host =
        in->is_trace ? &in->trace.reader.tables.host : convert_perf_input_host(in->perf);

    return host->hostname ? host->hostname : "";
}

static void close_input(struct input *in)
{
    if (!in->is_open)
        return;
    if (in->is_trace)
        convert_trace_input_close(&in->trace);
    convert_perf_input_close(in->perf);
}

/* ---- clocks ---- */

static uint64_t day_of(const struct input *in)
{
    return in->clock.wall_ns - in->clock.time_ns;
}

static bool is_same_machine(const struct input *a, const struct input *b)
{
    int64_t difference = (int64_t)(day_of(a) - day_of(b));

    return !strcmp(hostname_of(a), hostname_of(b)) && a->clock.clockid == b->clock.clockid &&
           a->clock.wall_ns && b->clock.wall_ns && difference > -SAME_CLOCK_NS &&
           difference < SAME_CLOCK_NS;
}

/* Chooses the domain and the shift of an input after its first event was read. */
static void set_origin(struct merge *m, struct input *in)
{
    const struct input *first = &m->inputs[0];

    in->clock =
        in->is_trace ? convert_trace_input_clock(&in->trace) : convert_perf_input_clock(in->perf);
    in->origin = (struct convert_origin){.domain = m->machines << DOMAIN_BITS};
    if (in != first && in->clock.wall_ns && first->clock.wall_ns)
        in->origin.shift_ns = day_of(in) - day_of(first);
    else if (in != first)
        in->given->has_no_clock = true;
    for (const struct input *other = first; other < in; other++) {
        if (is_same_machine(in, other)) {
            in->origin = other->origin;
            in->origin.shift_ns -= (uint64_t)other->given->offset_ns;
            break;
        }
    }
    m->machines += in->origin.domain == m->machines << DOMAIN_BITS;
    in->origin.shift_ns += (uint64_t)in->given->offset_ns;
}

/* Times are unsigned: if an offset leads to a time before the zero of the first input's clock,
 * which is when its machine started, all times are moved on. The times of day are not affected. */
static void move_on(struct merge *m)
{
    int64_t least_ns = 0;

    for (size_t n = 0; n < m->count; n++) {
        const struct input *in = &m->inputs[n];
        int64_t time_ns = (int64_t)(in->time_ns + in->origin.shift_ns);

        if (in->has_event && time_ns < least_ns)
            least_ns = time_ns;
    }
    m->shift_ns = 0 - (uint64_t)least_ns;
    for (size_t n = 0; n < m->count; n++)
        m->inputs[n].origin.shift_ns += m->shift_ns;
}

/* All domains have the clock of the first input. */
static int put_clock(struct merge *m, const struct input *in)
{
    uint32_t domain = in->origin.domain + (in->is_trace ? in->trace.event.domain : 0);
    struct trace_file_clock_pair pair = m->inputs[0].clock;

    if (perf_data_map_get(&m->known_domains, domain) != PERF_DATA_MAP_NONE)
        return 0;
    pair.domain = domain;
    pair.counter_kind = TRACE_FILE_COUNTER_NS;
    pair.time_ns += m->shift_ns;
    pair.counter = pair.time_ns;
    trace_file_put_clock(&m->out.samples.tables, &pair);
    return perf_data_map_set(&m->known_domains, domain, 1);
}

/* ---- merging ---- */

static struct input *earliest(struct merge *m)
{
    struct input *best = NULL;
    uint64_t best_ns = 0;

    for (size_t n = 0; n < m->count; n++) {
        struct input *in = &m->inputs[n];
        uint64_t time_ns = in->time_ns + in->origin.shift_ns;

        if (in->has_event && (!best || time_ns < best_ns)) {
            best = in;
            best_ns = time_ns;
        }
    }
    return best;
}

static int merge_events(struct merge *m)
{
    struct input *in;
    int err = 0;

    while (!err && (in = earliest(m)) != NULL) {
        err = put_clock(m, in);
        if (!err)
            err = in->is_trace ? convert_trace_input_put(&in->trace, &m->out, &in->origin)
                               : convert_perf_input_put(in->perf, &m->out, &in->origin);
        if (!err)
            advance(in);
    }
    return err;
}

static void put_losses(struct merge *m)
{
    struct cairn_perf_missing all = {0};

    for (size_t n = 0; n < m->count; n++) {
        struct input *in = &m->inputs[n];
        const struct cairn_perf_missing *missing = &in->given->report.missing;

        if (in->is_trace)
            convert_trace_input_count_losses(&in->trace);
        else if (in->perf)
            convert_perf_input_count_losses(in->perf);
        for (size_t cause = 0; cause < CAIRN_LOSS_CAUSES; cause++) {
            all.lost[cause] += missing->lost[cause];
            all.processes[cause] += missing->processes[cause];
        }
        all.damaged += missing->damaged;
        all.directory_gone |= missing->directory_gone;
        all.kernel_gap |= missing->kernel_gap;
    }
    trace_file_put_missing(&m->out.samples.tables, &all);
}

static void open_inputs(struct merge *m, struct cairn_convert_input *given)
{
    for (size_t n = 0; n < m->count; n++) {
        struct input *in = &m->inputs[n];

        in->given = &given[n];
        in->given->report = (struct cairn_convert_report){0};
        in->given->error = open_input(in);
        if (!in->given->error)
            advance(in);
        if (!in->given->error || in->perf)
            set_origin(m, in);
    }
    move_on(m);
}

static void put_host(struct merge *m)
{
    const struct input *first = &m->inputs[0];

    if (first->is_trace)
        trace_file_put_host(&m->out.samples.tables, &first->trace.reader.tables.host);
    else if (first->perf)
        trace_file_put_host(&m->out.samples.tables, convert_perf_input_host(first->perf));
}

static int merge(struct cairn_convert_input *inputs, size_t count, int fd, int level)
{
    struct merge m = {.inputs = (struct input *)calloc(count, sizeof(*m.inputs)), .count = count};
    int err = m.inputs ? convert_output_begin(&m.out, fd, level) : ENOMEM;

    if (!err) {
        open_inputs(&m, inputs);
        put_host(&m);
        err = merge_events(&m);
        put_losses(&m);
        err = err ? err : convert_output_finish(&m.out);
    }
    for (size_t n = 0; m.inputs && n < count; n++)
        close_input(&m.inputs[n]);
    convert_output_free(&m.out);
    perf_data_map_free(&m.known_domains);
    free(m.inputs);
    return err;
}

int cairn_convert_merge(int fd, const struct cairn_convert_options *options,
                        struct cairn_convert_input *inputs, size_t count)
{
    struct cairn_convert_options own;
    int err = count ? convert_options_copy(options, &own) : EINVAL;

    return err ? err : merge(inputs, count, fd, own.level);
}
