/* SPDX-License-Identifier: MIT */
/* Finds the tracepoints that patterns match, and the filter of each. */
#include "perf_events/internal.h"

#include "core/glob.h"
#include "perf_data/arena.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SYSTEM_MAX_BYTES 256

/* The parts of a pattern. */
struct select_parts {
    char system[SYSTEM_MAX_BYTES];
    const char *name;
};

/* False: the system is longer than any. */
static bool split(const char *pattern, struct select_parts *ret_parts)
{
    const char *colon = strchr(pattern, ':');
    size_t length = colon ? (size_t)(colon - pattern) : 1;

    if (length >= sizeof(ret_parts->system))
        return false;
    memcpy(ret_parts->system, colon ? pattern : "*", length);
    ret_parts->system[length] = '\0';
    ret_parts->name = colon ? colon + 1 : pattern;
    return true;
}

static bool matches_one(const char *pattern, const char *system, const char *name)
{
    struct select_parts parts;

    return split(pattern, &parts) && core_glob_match(parts.system, system) &&
           core_glob_match(parts.name, name);
}

static bool matches(const char *pattern, const char *system, const char *name)
{
    const char *const *preset = perf_events_preset(pattern);

    if (!preset)
        return matches_one(pattern, system, name);
    for (; *preset; preset++) {
        if (matches_one(*preset, system, name))
            return true;
    }
    return false;
}

/* ---- filters ---- */

/* Adds a filter to those of the patterns before: an event is recorded if one selects it. */
static int add_filter(char **filter, const char *more)
{
    char *both = NULL;

    if (!*filter)
        both = strdup(more);
    else if (asprintf(&both, "(%s) || (%s)", *filter, more) < 0)
        both = NULL;
    if (!both)
        return ENOMEM;
    free(*filter);
    *filter = both;
    return 0;
}

/* All filters of the patterns that match a tracepoint. One without a filter selects everything. */
static int combine_filters(struct perf_events *events, struct perf_events_event *event)
{
    const struct perf_events_tracepoint *t = &event->tracepoint;
    bool is_free = false;
    int err = 0;

    for (size_t n = 0; n < events->pattern_count && !err; n++) {
        const char *filter = events->filters ? events->filters[n] : NULL;

        if (!matches(events->patterns[n], t->system, t->name))
            continue;
        events->has_matched[n] = true;
        if (!event->pattern)
            event->pattern = events->patterns[n];
        event->has_stacks |= events->stacked[n];
        is_free |= !filter;
        err = filter ? add_filter(&event->filter, filter) : 0;
    }
    if (is_free) {
        free(event->filter);
        event->filter = NULL;
    }
    return err;
}

/* ---- events ---- */

struct perf_events_event *perf_events_add_event(struct perf_events *events)
{
    struct perf_events_event *event = calloc(1, sizeof(*event));

    if (!event || perf_data_array_grow((void ***)&events->events, events->event_count)) {
        free(event);
        return NULL;
    }
    events->events[events->event_count++] = event;
    return event;
}

/* A tracepoint that goes meanwhile, with its module, is left out. */
static int add_tracepoint(struct perf_events *events, const char *system, const char *name)
{
    struct perf_events_tracepoint tracepoint;
    struct perf_events_event *event;
    int err = perf_events_tracepoint_read(events->tracefs, system, name, &tracepoint);

    if (err)
        return err == ENOENT ? 0 : err;
    event = perf_events_add_event(events);
    if (!event) {
        perf_events_tracepoint_free(&tracepoint);
        return ENOMEM;
    }
    event->tracepoint = tracepoint;
    return combine_filters(events, event);
}

static bool is_wanted(const struct perf_events *events, const char *system, const char *name)
{
    for (size_t n = 0; n < events->pattern_count; n++) {
        if (matches(events->patterns[n], system, name))
            return true;
    }
    return false;
}

static int visit(void *context, const char *system, const char *name)
{
    struct perf_events *events = context;

    return is_wanted(events, system, name) ? add_tracepoint(events, system, name) : 0;
}

/* A pattern without wildcards names one tracepoint: the list need not be read. */
bool perf_events_is_plain(const char *pattern)
{
    return !perf_events_preset(pattern) && strchr(pattern, ':') && !strpbrk(pattern, "*?[\\/");
}

static int find_tracepoints(struct perf_events *events)
{
    bool are_plain = true;
    int err = 0;

    if (events->tracefs < 0) /* no tracepoint is wanted */
        return 0;
    for (size_t n = 0; n < events->pattern_count; n++)
        are_plain &= perf_events_is_plain(events->patterns[n]);
    if (!are_plain)
        return perf_events_tracefs_each(events->tracefs, "*", visit, events);
    for (size_t n = 0; n < events->pattern_count && !err; n++) {
        struct select_parts parts;

        if (!events->has_matched[n] && split(events->patterns[n], &parts))
            err = add_tracepoint(events, parts.system, parts.name);
    }
    return err;
}

int perf_events_select(struct perf_events *events, struct perf_events_problem *problem)
{
    int err = perf_events_add_event(events) ? find_tracepoints(events) : ENOMEM;

    if (err == EACCES || err == EPERM)
        return perf_events_fail(problem, err,
                                "tracefs cannot be read: run as root, or let root make it readable "
                                "(mount -o remount,gid=GROUP,mode=750 /sys/kernel/tracing)");
    for (size_t n = 0; n < events->pattern_count && !err; n++) {
        if (!events->has_matched[n] && !perf_events_is_of_switches(events->patterns[n]))
            err = perf_events_fail(problem, ENOENT, "no tracepoint of the kernel matches %s",
                                   events->patterns[n]);
    }
    return err;
}
