/* SPDX-License-Identifier: MIT */
/* The state of open perf events. */
#ifndef PERF_EVENTS_INTERNAL_H
#define PERF_EVENTS_INTERNAL_H

#include "perf_events/machine.h"
#include "perf_events/perf_events.h"

/* A descriptor of an event, on one CPU and of one thread. */
struct perf_events_opened {
    int fd;
    uint32_t event; /* its index */
};

struct perf_events {
    int tracefs;
    enum perf_events_target target;
    size_t ring_bytes;
    bool with_stacks; /* of all events */
    bool has_stacks;  /* of some */
    bool with_maps;   /* records of mappings */
    uint32_t stack_bytes;
    bool has_build_ids; /* this kernel puts them into records of mappings */
    char **patterns;    /* without "/stack/" */
    bool *stacked;      /* of each pattern: its events have stacks */
    const char *const *filters;
    size_t pattern_count;
    bool *has_matched; /* of each pattern */
    struct perf_events_event **events;
    uint32_t event_count;
    char *strings; /* of the kernel, as in printk_formats; or NULL */
    size_t strings_bytes;
    struct perf_events_opened *opened;
    uint32_t opened_count;
    uint32_t opened_capacity;
    struct perf_events_ring *rings; /* of each CPU */
    uint32_t ring_count;
    struct cairn_bytes cpus; /* online when the events were opened */
    struct cairn_bytes tids; /* one number, -1: all threads; 0: the calling one */
    uint64_t begun_ns;       /* before the events were started */
    bool counts_losses;      /* this kernel counts lost records */
    uint64_t lost;
};

/* select.c: adds the events of the tracepoints that match the patterns. Returns as
 * perf_events_open. */
int perf_events_select(struct perf_events *events, struct perf_events_problem *problem);

/* presets.c: the patterns of the preset "@NAME", ending with a NULL; NULL: there is no such preset.
 */
const char *const *perf_events_preset(const char *pattern);

/* True if a pattern asks for records of switches, which are no tracepoint. */
bool perf_events_is_of_switches(const char *pattern);

/* True if a pattern names one tracepoint. */
bool perf_events_is_plain(const char *pattern);

/* open.c: closes what was opened where only the dummy event was wanted and failed: the event stays,
 * without a ring. Returns 0; ENOMEM. */
int perf_events_open_nothing(struct perf_events *events);

/* open.c: opens what was selected, on each CPU, for each thread. Returns as perf_events_open. */
int perf_events_open_all(struct perf_events *events, struct perf_events_problem *problem);

/* names.c: each adds records of names or mappings that are older than the recording, in the form of
 * those that the kernel makes. */
void perf_events_put_name(const struct perf_events *events, uint32_t pid, uint32_t tid,
                          struct cairn_bytes *records);
void perf_events_put_maps(const struct perf_events *events, uint32_t pid,
                          struct cairn_bytes *records);
void perf_events_put_kernel(const struct perf_events *events, struct cairn_bytes *records);

/* perf_events.c: copies a pattern without "/stack/" at its end, which asks for the call chains of
 * its events. Freed by the caller; NULL: no memory. */
char *perf_events_copy_pattern(struct perf_events *events, const char *given, bool *ret_is_stacked);

/* select.c: adds an event, which the caller fills. NULL: no memory. */
struct perf_events_event *perf_events_add_event(struct perf_events *events);

/* uprobes.c: adds the events of probes in programs. Returns as perf_events_open. */
int perf_events_add_probes(struct perf_events *events, const struct perf_events_options *options,
                           struct perf_events_problem *problem);

/* open.c: starts the records of names and mappings. */
void perf_events_enable_dummy(struct perf_events *events);

/* Removes a probe from the kernel, by GROUP/NAME. */
void perf_events_remove_probe(const struct perf_events *events, const char *probe);

void perf_events_event_free(struct perf_events_event *event);

/* Formats a problem. Returns err. */
int perf_events_fail(struct perf_events_problem *problem, int err, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#endif
