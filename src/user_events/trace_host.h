/* SPDX-License-Identifier: MIT */
/* A program as the host of its own typed tracepoints: callbacks, but no rings. */
#ifndef USER_EVENTS_TRACE_HOST_H
#define USER_EVENTS_TRACE_HOST_H

#include <cairn/schema.h>
#include <cairn/typed_tracepoint.h>

/* All typed tracepoints of the process belong to this trace, from their registration on. */
extern struct cairn_trace user_events_trace_user;

/* Initializes it, once. Any thread; not in signal handlers. */
void user_events_trace_user_prepare(void);

/* A tracepoint while it is registered. */
struct user_events_trace_registered {
    struct cairn_trace_event *event;
    struct user_events_trace_registered *next;
    struct user_events_trace_registered **link; /* the pointer that leads to this one */
    char command[CAIRN_COMMAND_MAX_BYTES];
};

/* Protected by ENGINE_LOCK_TRACEPOINTS: a forked child completes the changes of events that other
 * threads of its parent had started. */
extern struct user_events_trace_registered *user_events_trace_registered;

#endif
