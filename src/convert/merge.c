/* SPDX-License-Identifier: MIT */
/* Merging of recordings. */
#include "convert/options.h"
#include "convert/trace_input.h"
#include "core/slice.h"
#include "perf_data/machine.h"
#include "perf_data/missing.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Numbers of the output for the domains of inputs, from 0 in the order of their first use. */
struct domains {
    struct perf_data_map number_of;
    uint32_t count;
};

struct input {
    struct cairn_convert_input *given;
    struct convert_perf_input *perf;  /* or: */
    struct convert_trace_input trace; /* if is_trace */
    bool is_trace;
    bool is_open;
    bool is_readable; /* it has a head, and perhaps an event */
    bool has_event;
    uint64_t time_ns;                   /* time of the event, of its own clock */
    uint32_t machine;                   /* less than the count of inputs */
    uint64_t shift_ns;                  /* added to its times, modulo 2^64 */
    struct trace_file_clock_pair clock; /* the first one */
    uint32_t pair_count;                /* of clocks that were written */
    uint32_t strings_length;            /* of those of its kernel that were copied */
    struct cairn_perf_missing highest;  /* of the machine with the number of this input */
};

struct merge {
    struct input *inputs;
    size_t count;
    struct convert_output out;
    uint32_t machines;
    struct domains clocks;    /* of each input */
    struct domains processes; /* of each machine */
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

static struct perf_data_machine machine_of(const struct input *in)
{
    return (struct perf_data_machine){
        .hostname = hostname_of(in),
        .clockid = in->clock.clockid,
        .time_ns = in->clock.time_ns,
        .wall_ns = in->clock.wall_ns,
    };
}

static bool is_same_machine(const struct input *a, const struct input *b)
{
    const struct perf_data_machine one = machine_of(a);
    const struct perf_data_machine two = machine_of(b);

    return perf_data_is_same_machine(&one, &two);
}

/* Sets the shift by the times of day, if both are known. */
static void set_shift(struct input *in, const struct input *first)
{
    if (in == first)
        return;
    if (in->clock.wall_ns && first->clock.wall_ns)
        in->shift_ns = day_of(in) - day_of(first);
    else if (in->clock.wall_ns)
        first->given->has_no_clock = true;
    else
        in->given->has_no_clock = true;
}

/* Chooses the machine and the shift of an input after its first event was read. */
static void set_origin(struct merge *m, struct input *in)
{
    const struct input *first = m->inputs;

    while (!first->is_readable) /* `in` is */
        first++;
    in->clock =
        in->is_trace ? convert_trace_input_clock(&in->trace) : convert_perf_input_clock(in->perf);
    in->machine = m->machines;
    set_shift(in, first);
    for (const struct input *other = first; other < in; other++) {
        if (other->is_readable && is_same_machine(in, other)) {
            in->machine = other->machine;
            in->shift_ns = other->shift_ns - (uint64_t)other->given->offset_ns;
            break;
        }
    }
    m->machines += in->machine == m->machines;
    in->shift_ns += (uint64_t)in->given->offset_ns;
}

/* True if the times of day remain ns since 1970 that fit into 63 bits. */
static bool is_possible(const struct input *in)
{
    int64_t wall_ns;

    return !in->clock.wall_ns ||
           (!__builtin_add_overflow((int64_t)in->clock.wall_ns, in->given->offset_ns, &wall_ns) &&
            wall_ns > 0);
}

/* Times are unsigned: if an offset leads to a time before the zero of the first input's clock,
 * which is when its machine started, all times are moved on. The times of day are not affected. */
static void move_on(struct merge *m)
{
    int64_t least_ns = 0;

    for (size_t n = 0; n < m->count; n++) {
        const struct input *in = &m->inputs[n];
        int64_t time_ns = (int64_t)(in->time_ns + in->shift_ns);

        if (in->has_event && time_ns < least_ns)
            least_ns = time_ns;
    }
    for (size_t n = 0; n < m->count; n++)
        m->inputs[n].shift_ns -= (uint64_t)least_ns;
}

/* ---- domains ---- */

/* Finds the number of a domain of an input, or of a machine. */
static int find_domain(struct domains *domains, uint32_t of, uint32_t domain, uint32_t *ret_number)
{
    uint64_t key = (uint64_t)of << 32 | domain;
    uint32_t number = perf_data_map_get(&domains->number_of, key);
    int err = 0;

    if (number == PERF_DATA_MAP_NONE) {
        number = domains->count++;
        err = perf_data_map_set(&domains->number_of, key, number);
    }
    *ret_number = number;
    return err;
}

static int find_clock(struct merge *m, const struct input *in, uint32_t domain,
                      uint32_t *ret_number)
{
    return find_domain(&m->clocks, (uint32_t)(in - m->inputs), domain, ret_number);
}

/*
 * Adds a pair of clocks, so that the events after it have the time of day that they have in the
 * input, plus its offset. The time of a pair is 0 if it would be before the zero of the output's
 * clock: no event is.
 */
static int put_pair(struct merge *m, const struct input *in,
                    const struct trace_file_clock_pair *pair)
{
    const struct trace_file_clock_pair *first = &m->inputs[0].clock;
    uint64_t moved_ns = pair->time_ns + in->shift_ns;
    uint64_t time_ns = (int64_t)moved_ns < 0 ? 0 : moved_ns;
    uint64_t wall_ns = pair->wall_ns + (uint64_t)in->given->offset_ns + (time_ns - moved_ns);
    struct trace_file_clock_pair own = {
        .counter_kind = TRACE_FILE_COUNTER_NS,
        .clockid = first->clockid,
        .counter = time_ns,
        .time_ns = time_ns,
        .wall_ns = pair->wall_ns ? wall_ns : 0,
        .resolution_ns = pair->resolution_ns,
    };
    int err = find_clock(m, in, pair->domain, &own.domain);

    if (!err)
        trace_file_put_clock(&m->out.samples.tables, &own);
    return err;
}

/* Adds the pairs that the input has read since its last event. */
static int put_pairs(struct merge *m, struct input *in)
{
    const struct trace_file_clocks *clocks = &in->trace.reader.tables.clocks;
    const struct trace_file_clock_pair *pairs = in->is_trace ? clocks->pairs : &in->clock;
    uint32_t count = in->is_trace ? clocks->count : 1;
    int err = 0;

    for (; in->pair_count < count && !err; in->pair_count++)
        err = put_pair(m, in, &pairs[in->pair_count]);
    return err;
}

/* The domains of the next event. */
static int find_origin(struct merge *m, const struct input *in, struct convert_origin *ret_origin)
{
    const struct trace_file_process *process = in->is_trace ? in->trace.event.process : NULL;
    int err = find_clock(m, in, in->is_trace ? in->trace.event.domain : 0, &ret_origin->domain);

    ret_origin->shift_ns = in->shift_ns;
    return err ? err
               : find_domain(&m->processes, in->machine, process ? process->domain : 0,
                             &ret_origin->machine);
}

static struct cairn_slice strings_of(const struct input *in)
{
    return in->is_trace ? in->trace.reader.tables.kernel_strings
                        : convert_perf_input_strings(in->perf);
}

/* True if another input of the machine had the same strings. */
static bool has_strings(const struct merge *m, const struct input *in, struct cairn_slice text)
{
    for (size_t n = 0; n < m->count; n++) {
        const struct input *other = &m->inputs[n];

        if (other != in && other->strings_length == text.length && other->machine == in->machine &&
            core_slice_equal(strings_of(other), text))
            return true;
    }
    return false;
}

/* Copies the strings of an input's kernel, again if there are more in a stream. */
static int put_strings(struct merge *m, struct input *in)
{
    struct cairn_slice text = strings_of(in);
    uint32_t domain;
    int err;

    if (text.length == in->strings_length)
        return 0;
    err = find_domain(&m->processes, in->machine, 0, &domain);
    if (!err && !has_strings(m, in, text))
        trace_file_put_kernel_strings(&m->out.samples.tables, domain, text);
    in->strings_length = text.length;
    return err;
}

/* ---- merging ---- */

static struct input *earliest(struct merge *m)
{
    struct input *best = NULL;
    uint64_t best_ns = 0;

    for (size_t n = 0; n < m->count; n++) {
        struct input *in = &m->inputs[n];
        uint64_t time_ns = in->time_ns + in->shift_ns;

        if (in->has_event && (!best || time_ns < best_ns)) {
            best = in;
            best_ns = time_ns;
        }
    }
    return best;
}

static int put_event(struct merge *m, struct input *in)
{
    struct convert_origin origin;
    int err = put_pairs(m, in);

    err = err ? err : find_origin(m, in, &origin);
    if (err)
        return err;
    return in->is_trace ? convert_trace_input_put(&in->trace, &m->out, &origin)
                        : convert_perf_input_put(in->perf, &m->out, &origin);
}

static int merge_events(struct merge *m)
{
    struct input *in;
    int err = 0;

    while (!err && (in = earliest(m)) != NULL) {
        err = put_strings(m, in);
        err = err ? err : put_event(m, in);
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

        if (in->is_trace)
            convert_trace_input_count_losses(&in->trace);
        else if (in->perf)
            convert_perf_input_count_losses(in->perf);
        perf_data_missing_add(&all, &m->inputs[in->machine].highest, &in->given->report.missing);
    }
    trace_file_put_missing(&m->out.samples.tables, &all);
}

static void open_inputs(struct merge *m, struct cairn_convert_input *given)
{
    for (size_t n = 0; n < m->count; n++) {
        struct input *in = &m->inputs[n];

        in->given = &given[n];
        in->clock.clockid = -1;
        in->given->report = (struct cairn_convert_report){0};
        in->given->error = open_input(in);
        if (!in->given->error)
            advance(in);
        in->is_readable = !in->given->error || in->perf;
        if (in->is_readable)
            set_origin(m, in);
        if (!in->given->error && !is_possible(in)) {
            in->given->error = ERANGE;
            in->has_event = false;
        }
    }
    move_on(m);
}

static void put_host(struct merge *m)
{
    const struct input *first = m->inputs;

    while (first < m->inputs + m->count - 1 && !first->is_readable)
        first++;
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
    perf_data_map_free(&m.clocks.number_of);
    perf_data_map_free(&m.processes.number_of);
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
