/* SPDX-License-Identifier: MIT */
/* A program as the host of its own typed tracepoints: callbacks without rings. */
#ifndef USER_EVENTS_TRACE_HOST_H
#define USER_EVENTS_TRACE_HOST_H

#include <cairn/schema.h>
#include <cairn/typed_tracepoint.h>

/* All typed tracepoints of the process are of this trace, from their registration on. */
extern struct cairn_trace cairn_i_trace_user;

/* Makes it ready, once. Any thread; not in signal handlers. */
void cairn_trace_user_prepare(void);

/* A tracepoint while it is registered. */
struct cairn_trace_registered {
    struct cairn_trace_event *event;
    struct cairn_trace_registered *next;
    struct cairn_trace_registered **link; /* what points to this one */
    char command[CAIRN_COMMAND_MAX_BYTES];
};

/* Under CAIRN_LOCK_TRACEPOINTS: a forked child sees to the events that other threads of its parent
 * were changing. */
extern struct cairn_trace_registered *cairn_i_trace_registered;

#endif
