/* SPDX-License-Identifier: MIT */
/*
 * The states of threads, from the scheduler's events: sched_switch, sched_waking, sched_wakeup and
 * sched_wakeup_new; and from records of switches, which a recording of some threads has. The idle
 * threads of the CPUs have none.
 */
#ifndef TIMELINE_STATES_H
#define TIMELINE_STATES_H

#include "timeline/time.h"

#include <stdbool.h>
#include <stdint.h>

#define TIMELINE_COMM_BYTES 16u

enum timeline_state_kind {
    TIMELINE_RUNNING,
    TIMELINE_RUNNABLE, /* preempted, or woken: waits for a CPU */
    TIMELINE_SLEEPING, /* S: a signal ends it */
    TIMELINE_BLOCKED,  /* D: uninterruptible, mostly I/O */
    TIMELINE_STOPPED,  /* T, t: by a signal or a debugger */
    TIMELINE_DEAD,     /* X, Z */
    TIMELINE_PARKED,   /* P, I: a kernel thread without work */
};

/* One state of one thread, from a time to a time. */
struct timeline_state {
    uint32_t tid;
    char comm[TIMELINE_COMM_BYTES]; /* "": unknown */
    enum timeline_state_kind kind;
    struct timeline_moment start;
    uint64_t stop_ns; /* the start's ns plus the duration; if it is open: up to the last scheduler
                         event */
    uint32_t cpu;     /* that it runs on, or ran on last; UINT32_MAX: unknown */
    int32_t priority; /* the kernel's; 120 is nice 0 */
    uint32_t waker;   /* of RUNNABLE: the thread that woke it; 0: preempted, or unknown */
    bool preempted;   /* of RUNNABLE */
    bool is_open;     /* at the end of the recording */
};

/* Receives a state that ended. Returns 0; another result is passed on. */
typedef int timeline_state_fn(void *context, const struct timeline_state *state);

struct timeline_states;

/* Destroyed by the caller. Returns 0, ENOMEM. */
int timeline_states_create(timeline_state_fn *fn, void *context,
                           struct timeline_states **ret_states);

/* Accepts NULL. */
void timeline_states_destroy(struct timeline_states *states);

/*
 * Passes the next event, in the order of time; events that are not the scheduler's are ignored.
 * Returns 0, ENOMEM, or what the function returned.
 */
int timeline_states_event(struct timeline_states *states, const struct cairn_event *event);

/* Passes the states that have not ended to the function. Returns 0, or what it returned. */
int timeline_states_finish(struct timeline_states *states);

/* "running", "runnable", ...; a constant. */
const char *timeline_state_name(enum timeline_state_kind kind);

#endif
