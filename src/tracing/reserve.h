/* SPDX-License-Identifier: MIT */
/*
 * Memory with which an event writes more than itself without allocating: the first one after a
 * recorder has begun is preceded by the open spans, and it may be an event of a signal handler,
 * which has interrupted malloc. There is one for the process: a thread that does not get it leaves
 * the spans to another event.
 */
#ifndef TRACING_RESERVE_H
#define TRACING_RESERVE_H

#include "tracing/thread.h"

/* Allocates it, once. Without memory it is never taken. Requires the registry's lock. */
void tracing_reserve_prepare(void);

/* In a callback of a layer: the thread uses the builder and the scratch of the reserve instead of
 * its own. False: another thread does, or there is none. */
bool tracing_reserve_take(struct tracing_thread *thread);

void tracing_reserve_give(struct tracing_thread *thread);

#endif
