/* SPDX-License-Identifier: MIT */
/* The interface: opens and closes, reads the rings, describes threads. */
#include "perf_events/internal.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define NAMES_BYTES (64u << 10) /* of records of threads that are passed on at once */

int perf_events_fail(struct perf_events_problem *problem, int err, const char *format, ...)
{
    va_list args;

    va_start(args, format);
    (void)vsnprintf(problem->text, sizeof(problem->text), format, args);
    va_end(args);
    return err;
}

/* ---- opening ---- */

static int find_threads(struct perf_events *events, const struct perf_events_options *options,
                        struct perf_events_problem *problem)
{
    if (options->target != PERF_EVENTS_PROCESSES) {
        perf_data_bytes_put_u32(&events->tids, options->target == PERF_EVENTS_ALL ? UINT32_MAX : 0);
        return events->tids.error;
    }
    for (size_t n = 0; n < options->pid_count; n++) {
        int err = perf_events_threads_of(options->pids[n], &events->tids);

        if (err == ESRCH && options->pid_count == 1)
            return perf_events_fail(problem, err, "there is no process %d", options->pids[n]);
        if (err && err != ESRCH)
            return err;
    }
    return 0;
}

static int open_tracefs(struct perf_events *events, struct perf_events_problem *problem)
{
    int err = perf_events_tracefs_open(&events->tracefs);

    if (err == ENODEV)
        return perf_events_fail(problem, err,
                                "this kernel has no tracepoints (CONFIG_FTRACE is not set)");
    if (err == EACCES || err == EPERM)
        return perf_events_fail(problem, err,
                                "not permitted to read tracefs: run as root, or let root run: "
                                "mount -o remount,mode=755 /sys/kernel/tracing; sysctl "
                                "kernel.perf_event_paranoid=-1");
    if (err)
        return perf_events_fail(problem, err,
                                "tracefs cannot be read: %s (as root: mount -t tracefs tracefs "
                                "/sys/kernel/tracing)",
                                strerror(err));
    return 0;
}

#define STACK_WORD "/stack/"

char *perf_events_copy_pattern(struct perf_events *events, const char *given, bool *ret_is_stacked)
{
    const size_t word_bytes = sizeof(STACK_WORD) - 1;
    size_t bytes = strlen(given);

    *ret_is_stacked = bytes > word_bytes && !strcmp(given + bytes - word_bytes, STACK_WORD);
    events->has_stacks |= *ret_is_stacked;
    events->with_maps |= *ret_is_stacked;
    return strndup(given, *ret_is_stacked ? bytes - word_bytes : bytes);
}

static int copy_patterns(struct perf_events *events, const struct perf_events_options *options)
{
    events->patterns = calloc(options->pattern_count + 1, sizeof(*events->patterns));
    events->stacked = calloc(options->pattern_count + 1, sizeof(*events->stacked));
    events->has_matched = calloc(options->pattern_count + 1, sizeof(*events->has_matched));
    if (!events->patterns || !events->stacked || !events->has_matched)
        return ENOMEM;
    for (; events->pattern_count < options->pattern_count; events->pattern_count++) {
        size_t n = events->pattern_count;

        events->patterns[n] =
            perf_events_copy_pattern(events, options->patterns[n], &events->stacked[n]);
        if (!events->patterns[n])
            return ENOMEM;
    }
    return 0;
}

static bool wants_tracepoints(const struct perf_events_options *options)
{
    for (size_t n = 0; n < options->pattern_count; n++) {
        if (!perf_events_is_of_switches(options->patterns[n]))
            return true;
    }
    return options->function_count || options->static_count;
}

/* Reads the strings of the kernel, if an event besides the dummy is selected. Without them events
 * have addresses. */
static int read_strings(struct perf_events *events)
{
    int err = 0;

    if (events->event_count > 1)
        err =
            perf_events_tracefs_strings(events->tracefs, &events->strings, &events->strings_bytes);
    return err == ENOMEM ? ENOMEM : 0;
}

static int fill(struct perf_events *events, const struct perf_events_options *options,
                struct perf_events_problem *problem)
{
    bool has_tracepoints = wants_tracepoints(options);
    int err = copy_patterns(events, options);

    if (err)
        return err;
    err = has_tracepoints ? open_tracefs(events, problem) : 0;
    err = err ? err : perf_events_select(events, problem);
    err = err ? err : read_strings(events);
    err = err ? err : perf_events_add_probes(events, options, problem);
    err = err ? err : perf_events_online_cpus(&events->cpus);
    err = err ? err : find_threads(events, options, problem);
    err = err ? err : perf_events_open_all(events, problem);
    if (!err || err == ENOMEM || has_tracepoints || options->pattern_count)
        return err;
    return perf_events_open_nothing(events);
}

int perf_events_open(const struct perf_events_options *options, struct perf_events_problem *problem,
                     struct perf_events **ret_events)
{
    struct perf_events *events = calloc(1, sizeof(*events));
    int err;

    problem->text[0] = '\0';
    if (!events)
        return ENOMEM;
    *events = (struct perf_events){
        .tracefs = -1,
        .target = options->target,
        .ring_bytes = options->ring_bytes,
        .with_stacks = options->with_stacks,
        .has_stacks = options->with_stacks,
        .with_maps = options->with_stacks || options->with_maps,
        .stack_bytes = options->stack_bytes,
        .filters = options->filters,
    };
    err = fill(events, options, problem);
    if (err) {
        perf_events_close(events);
        return err;
    }
    *ret_events = events;
    return 0;
}

void perf_events_event_free(struct perf_events_event *event)
{
    perf_events_tracepoint_free(&event->tracepoint);
    free(event->ids);
    free(event->filter);
    free(event->filter_problem);
    free(event->probe);
    free(event);
}

void perf_events_close(struct perf_events *events)
{
    if (!events)
        return;
    for (uint32_t n = 0; n < events->ring_count; n++)
        perf_events_ring_unmap(&events->rings[n]);
    for (uint32_t n = 0; n < events->opened_count; n++)
        close(events->opened[n].fd);
    for (uint32_t n = 0; n < events->event_count; n++) {
        if (events->events[n]->probe)
            perf_events_remove_probe(events, events->events[n]->probe);
        perf_events_event_free(events->events[n]);
    }
    if (events->tracefs >= 0)
        close(events->tracefs);
    perf_data_bytes_free(&events->cpus);
    perf_data_bytes_free(&events->tids);
    free(events->strings);
    free(events->events);
    free(events->opened);
    free(events->rings);
    free(events->has_matched);
    for (size_t n = 0; n < events->pattern_count; n++)
        free(events->patterns[n]);
    free(events->patterns);
    free(events->stacked);
    free(events);
}

size_t perf_events_count(const struct perf_events *events)
{
    return events->event_count;
}

struct perf_events_event *perf_events_at(struct perf_events *events, size_t index)
{
    return events->events[index];
}

struct cairn_slice perf_events_strings(const struct perf_events *events)
{
    bool has_strings = events->strings && events->strings_bytes <= UINT32_MAX;

    return has_strings ? (struct cairn_slice){events->strings, (uint32_t)events->strings_bytes}
                       : (struct cairn_slice){"", 0};
}

bool perf_events_has_maps(const struct perf_events *events)
{
    return events->with_maps;
}

bool perf_events_has_matched(const struct perf_events *events, size_t pattern)
{
    return events->has_matched[pattern];
}

uint64_t perf_events_lost(const struct perf_events *events)
{
    return events->lost;
}

uint32_t perf_events_changed_cpus(const struct perf_events *events)
{
    struct cairn_bytes now = {0};
    uint32_t changed = 0;

    if (!perf_events_online_cpus(&now))
        changed = perf_events_count_changed(&events->cpus, &now);
    perf_data_bytes_free(&now);
    return changed;
}

/* ---- reading ---- */

int perf_events_drain(struct perf_events *events, perf_events_receive *receive, void *context,
                      size_t *ret_moved)
{
    int err = 0;

    for (uint32_t n = 0; n < events->ring_count; n++) {
        int ring_err = perf_events_ring_drain(&events->rings[n], receive, context, ret_moved);

        err = err ? err : ring_err;
    }
    return err;
}

/* ---- threads that run already ---- */

static int describe_process(const struct perf_events *events, uint32_t pid,
                            struct cairn_bytes *records)
{
    struct cairn_bytes tids = {0};
    int err = perf_events_threads_of((int32_t)pid, &tids);

    for (size_t n = 0; n < perf_events_count_of(&tids) && !err; n++)
        perf_events_put_name(events, pid, perf_events_number(&tids, n), records);
    if (events->with_maps && !err)
        perf_events_put_maps(events, pid, records);
    perf_data_bytes_free(&tids);
    err = err == ESRCH ? 0 : err;
    return err ? err : records->error;
}

static int pass_on(struct cairn_bytes *records, perf_events_receive *receive, void *context,
                   uint32_t cpu)
{
    int err = records->size ? receive(context, cpu, records->data, records->size) : 0;

    records->size = 0;
    return err;
}

/* Those of a process that is recorded are among all. */
int perf_events_describe_threads(struct perf_events *events, perf_events_receive *receive,
                                 void *context)
{
    struct cairn_bytes pids = {0};
    struct cairn_bytes records = {0};
    uint32_t cpu = events->ring_count ? events->rings[0].cpu : 0;
    int err;

    perf_events_enable_dummy(events);
    err = events->target == PERF_EVENTS_CHILDREN ? 0 : perf_events_processes(&pids);

    if (events->has_stacks || events->event_count > 1) /* print formats name addresses, too */
        perf_events_put_kernel(events, &records);
    for (size_t n = 0; n < perf_events_count_of(&pids) && !err; n++) {
        err = describe_process(events, perf_events_number(&pids, n), &records);
        if (!err && records.size >= NAMES_BYTES)
            err = pass_on(&records, receive, context, cpu);
    }
    err = err ? err : pass_on(&records, receive, context, cpu);
    perf_data_bytes_free(&pids);
    perf_data_bytes_free(&records);
    return err;
}

int perf_events_describe_process(struct perf_events *events, uint32_t pid,
                                 perf_events_receive *receive, void *context)
{
    struct cairn_bytes records = {0};
    int err = 0;

    if (events->target != PERF_EVENTS_CHILDREN && events->ring_count)
        return 0; /* it was described, or the kernel did */
    err = describe_process(events, pid, &records);
    err = err ? err : pass_on(&records, receive, context, 0);
    perf_data_bytes_free(&records);
    return err;
}

uint32_t perf_events_ring_count(const struct perf_events *events)
{
    return events->ring_count;
}

int perf_events_ring_fd(const struct perf_events *events, uint32_t index)
{
    return events->rings[index].fd;
}
