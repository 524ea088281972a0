/* SPDX-License-Identifier: MIT */
/* The scheduler's events, read by the names of their fields. */
#ifndef TIMELINE_SCHED_EVENT_H
#define TIMELINE_SCHED_EVENT_H

#include "timeline/states.h"

enum timeline_sched_kind {
    TIMELINE_SCHED_NONE,
    TIMELINE_SCHED_SWITCH,
    TIMELINE_SCHED_WAKE,
    TIMELINE_SCHED_HALF, /* one thread's part of a switch: it left its CPU, or continued */
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

/* The bytes of a field in the events of a type. */
struct timeline_sched_location {
    uint32_t offset;
    uint32_t size_bytes; /* 0: the type has no such field */
};

struct timeline_sched_locations {
    struct timeline_sched_location tid;
    struct timeline_sched_location priority;
    struct timeline_sched_location comm;
};

/* The locations of the fields in the events of a type. */
struct timeline_sched_layout {
    uint64_t serial; /* of the layout; 0: none yet */
    enum timeline_sched_kind kind;
    bool is_direct; /* all fields that are used have locations; otherwise they are searched */
    uint32_t end;   /* an event that is shorter lacks some */
    struct timeline_sched_locations prev;
    struct timeline_sched_locations next;
    struct timeline_sched_location state;
    struct timeline_sched_location target_cpu;
};

#define TIMELINE_SCHED_LAYOUTS 8u

/* Reads events of any types. Begins as zeros. */
struct timeline_sched_reader {
    struct timeline_sched_layout layouts[TIMELINE_SCHED_LAYOUTS]; /* by serial: the last ones */
};

/* Returns what an event is, and reads its fields: those of a half have data of their own
 * (struct decode_switch_data). TIMELINE_SCHED_NONE also if some that are needed are missing.
 * `items` is used meanwhile. */
enum timeline_sched_kind timeline_sched_read(struct timeline_sched_reader *reader,
                                             struct cairn_items *items,
                                             const struct cairn_event *event,
                                             struct timeline_sched_event *ret_event);

/* The state of a thread that left its CPU: `prev_state` of sched_switch. */
enum timeline_state_kind timeline_sched_state(uint64_t prev_state);

#endif
