/* SPDX-License-Identifier: MIT */
/* The scheduler's events, read by the names of their fields. */
#ifndef TIMELINE_SCHED_EVENT_H
#define TIMELINE_SCHED_EVENT_H

#include "timeline/states.h"

enum timeline_sched_kind {
    TIMELINE_SCHED_NONE,
    TIMELINE_SCHED_SWITCH,
    TIMELINE_SCHED_WAKE,
};

struct timeline_sched_thread {
    uint32_t tid;
    int32_t priority;
    char comm[TIMELINE_COMM_BYTES];
};

struct timeline_sched_event {
    struct timeline_sched_thread prev; /* of a switch */
    struct timeline_sched_thread next; /* of a switch; the thread that is woken */
    uint64_t prev_state;
    uint32_t target_cpu; /* of a wakeup: where the thread is to run; UINT32_MAX: unknown */
};

/* Returns what an event is, by its system and its name. */
enum timeline_sched_kind timeline_sched_kind_of(const struct cairn_event_type *type);

/* Reads the fields. False: some that are needed are missing. */
bool timeline_sched_read(struct cairn_items *items, const struct cairn_event *event,
                         enum timeline_sched_kind kind, struct timeline_sched_event *ret_event);

/* The state of a thread that left its CPU: `prev_state` of sched_switch. */
enum timeline_state_kind timeline_sched_state(uint64_t prev_state);

#endif
