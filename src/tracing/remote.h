/* SPDX-License-Identifier: MIT */
/*
 * Filters that others change while the program runs (`cairn filter`). A request is found by
 * whatever thread next reaches a call site: one that no layer wants, or one whose event is passed
 * to layers. That thread applies it, and waits for nobody.
 */
#ifndef TRACING_REMOTE_H
#define TRACING_REMOTE_H

#include <cairn/tracepoint.h>

/* Enabled while there is a request: the gate of call sites that no layer wants. */
extern struct cairn_tracepoint tracing_remote_gate __attribute__((visibility("hidden")));

/* Begins to take requests, if the local engine is in use. Requires the registry's lock. */
void tracing_remote_open(void);

/* The gate of a call site that no layer wants: NULL while requests are not taken. */
const struct cairn_tracepoint *tracing_remote_unwanted(void);

/* Shows the filter in force, after layers or filters have changed. Requires the registry's lock. */
void tracing_remote_show(void);

/* Applies a request. Does nothing in a layer's callback. */
void tracing_remote_take(void);

/* Before an event or a span is passed to layers. */
static inline void tracing_remote_look(void)
{
    if (cairn_unlikely(cairn_tracepoint_is_enabled(&tracing_remote_gate)))
        tracing_remote_take();
}

#endif
