/* SPDX-License-Identifier: MIT */
/*
 * Filters that others change while the program runs (`cairn filter`). A request is found by
 * whatever thread next reaches a call site: one that no layer wants, or one whose event is passed
 * to layers. That thread applies it, and waits for nobody. It allocates memory and takes the
 * registry's lock, so an event that may be in a signal handler leaves the request to the next event
 * or span.
 */
#ifndef TRACING_REMOTE_H
#define TRACING_REMOTE_H

#include "tracing/thread.h"

#include <cairn/tracepoint.h>

/* Enabled while there is a request: the gate of call sites that no layer wants. */
extern struct cairn_tracepoint tracing_remote_gate __attribute__((visibility("hidden")));

/* Begins to take requests, if the local engine is in use. Requires the registry's lock. */
void tracing_remote_open(void);

/* The gate of a call site that no layer wants: NULL while requests are not taken. */
const struct cairn_tracepoint *tracing_remote_unwanted(void);

/* Shows the filter in force, after layers or filters have changed. Requires the registry's lock. */
void tracing_remote_show(void);

/* Applies a request. Does nothing in a layer's callback. Not in signal handlers. */
void tracing_remote_take(void);

/* The same, and does nothing if the thread may be in a signal handler, or is NULL. */
void tracing_remote_take_in_event(const struct tracing_thread *thread);

/* Before a span is passed to layers: signal handlers must not use spans. */
static inline void tracing_remote_look(void)
{
    if (cairn_unlikely(cairn_tracepoint_is_enabled(&tracing_remote_gate)))
        tracing_remote_take();
}

/* Before an event is passed to layers. */
static inline void tracing_remote_look_in_event(const struct tracing_thread *thread)
{
    if (cairn_unlikely(cairn_tracepoint_is_enabled(&tracing_remote_gate)))
        tracing_remote_take_in_event(thread);
}

#endif
