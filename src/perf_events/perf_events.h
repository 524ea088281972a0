/* SPDX-License-Identifier: MIT */
/*
 * Perf events of the kernel's tracepoints: opens them, with one ring for each CPU, and reads the
 * rings. Times are those of CLOCK_MONOTONIC. Used by one thread at a time.
 */
#ifndef PERF_EVENTS_PERF_EVENTS_H
#define PERF_EVENTS_PERF_EVENTS_H

#include "core/slice.h"
#include "perf_events/ring.h"
#include "perf_events/tracefs.h"

#include <stdbool.h>

/* The processes whose events are recorded. */
enum perf_events_target {
    PERF_EVENTS_ALL = 0,      /* all processes */
    PERF_EVENTS_CHILDREN = 1, /* processes that the calling thread starts from now on, from their
                                 exec on, and theirs */
    PERF_EVENTS_PROCESSES = 2 /* processes that run, and the children that they start */
};

struct perf_events_options {
    /* Globs: "sched:sched_*", without a colon of any system; and the presets @sched, @syscalls,
     * @io, @memory, which need not match as a whole; and @switches, which stands for the records of
     * switches of threads, that need no tracepoint and no privilege. With "/stack/" at its end a
     * pattern asks for the call chains of its events. */
    const char *const *patterns;
    const char *const *filters; /* of each pattern, in the kernel's language, or NULL */
    size_t pattern_count;
    const char *const *functions; /* of programs: "PROGRAM:NAME", globs on the name; and /stack/ */
    size_t function_count;
    const char *const *statics; /* static probes: "PROGRAM:NAME", "PROGRAM:PROVIDER:NAME" */
    size_t static_count;
    enum perf_events_target target;
    const int32_t *pids; /* of PERF_EVENTS_PROCESSES */
    size_t pid_count;
    size_t ring_bytes; /* for each CPU */
    bool with_stacks;  /* samples have call chains, by frame pointers in programs */
    /* With stacks: samples have registers and this number of bytes of the program's stack instead
     * of its call chain, for a reader that unwinds by DWARF; 0: no. */
    uint32_t stack_bytes;
    /* Records of mappings, for stacks that others have recorded. Without patterns, functions and
     * static probes these are all there is; if they are not permitted, only mappings that processes
     * have already are recorded (perf_events_describe_process). */
    bool with_maps;
};

/* The cause of a failure, for people; "" if there is nothing to add to the error code. */
struct perf_events_problem {
    char text[512];
};

/* A tracepoint that is recorded, or the dummy event, whose records are names of threads. */
struct perf_events_event {
    struct perf_events_tracepoint tracepoint; /* name NULL: the dummy */
    struct perf_event_attr attr;
    uint64_t *ids; /* of its samples */
    uint32_t id_count;
    char *probe;          /* in a program: its name in the kernel, GROUP/NAME; or NULL */
    char *filter;         /* of the patterns that match it; NULL: none */
    const char *pattern;  /* that matched first */
    bool has_stacks;      /* a pattern asks for them */
    char *filter_problem; /* why the kernel refused the filter: nothing is recorded; or NULL */
    uint64_t events;      /* after perf_events_disable: how often it happened */
};

struct perf_events;

/*
 * Opens the events of all tracepoints that match, disabled.
 *
 * problem  set on failure
 *
 * Returns 0; ENOENT a pattern matches nothing; EACCES, EPERM not permitted; ESRCH no such process;
 * ENODEV a kernel without tracepoints; EMFILE; ENOMEM; or an error of the kernel.
 */
int perf_events_open(const struct perf_events_options *options, struct perf_events_problem *problem,
                     struct perf_events **ret_events);

/* Accepts NULL. */
void perf_events_close(struct perf_events *events);

/* The dummy is the first. */
size_t perf_events_count(const struct perf_events *events);
struct perf_events_event *perf_events_at(struct perf_events *events, size_t index);

/* Returns the kernel's strings that its tracepoints have pointers to, as printk_formats of tracefs;
 * "" if no tracepoint of the kernel is recorded. They live as long as the events. */
struct cairn_slice perf_events_strings(const struct perf_events *events);

/* True if there are records of mappings. */
bool perf_events_has_maps(const struct perf_events *events);

/* True if the pattern of an index matched a tracepoint. */
bool perf_events_has_matched(const struct perf_events *events, size_t pattern);

/* Starts the events. Those of children start at their exec. */
void perf_events_enable(struct perf_events *events);

/* Stops the events, and counts how often each happened. */
void perf_events_disable(struct perf_events *events);

/*
 * Starts the records of names, and with stacks of mappings, and passes on those of the threads that
 * run now, as records. Then perf_events_enable: so that each thread has its name. Returns what
 * `receive` returned.
 */
int perf_events_describe_threads(struct perf_events *events, perf_events_receive *receive,
                                 void *context);

/* The same for a process that the kernel does not describe: one that ran before. */
int perf_events_describe_process(struct perf_events *events, uint32_t pid,
                                 perf_events_receive *receive, void *context);

/* Reads all rings. Returns what `receive` returned; ret_moved is added to. */
int perf_events_drain(struct perf_events *events, perf_events_receive *receive, void *context,
                      size_t *ret_moved);

/* The rings, and the descriptor of one, which can be polled: it is ready when half of it is full.
 */
uint32_t perf_events_ring_count(const struct perf_events *events);
int perf_events_ring_fd(const struct perf_events *events, uint32_t index);

/* The number of CPUs that are online now and were not when the events were opened, or the reverse:
 * their events are missing from then on. */
uint32_t perf_events_changed_cpus(const struct perf_events *events);

/* The number of events that the kernel dropped because a ring was full. 0: it does not count them
 * (before Linux 6.0). */
uint64_t perf_events_lost(const struct perf_events *events);

#endif
