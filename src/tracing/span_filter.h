/* SPDX-License-Identifier: MIT */
/*
 * Evaluates directives in brackets for a span. The result depends on the span itself and all its
 * ancestors. It is computed once for each span and cached in it, so that an event costs the same at
 * any depth. It is computed again when filters change, and when a recorded value changes whether a
 * span matches: for this span alone, or, if it has children, for all spans.
 */
#ifndef TRACING_SPAN_FILTER_H
#define TRACING_SPAN_FILTER_H

#include "tracing/span.h"

/* The slots of the layers whose filter lets `level` through in the span; the span may be NULL.
 * Requires a read-side section. */
uint32_t tracing_span_filter_slots(struct cairn_span *span, uint8_t level);

/* Called for each new child, before other threads know it. */
void tracing_span_filter_child(struct cairn_span *parent);

/* Layers or their filters have changed: invalidates all cached results. */
void tracing_span_filter_change_all(void);

/* Sets and returns whether any filter depends on values of fields. Set under the registry's lock;
 * values that are recorded in a read-side section that begins later use the new state. */
void tracing_span_filter_ask_values(bool on);
bool tracing_span_filter_asks_values(void);

/* True if a filter distinguishes two values of a field. Requires a read-side section. */
bool tracing_span_filter_distinguishes(const struct cairn_span *span, uint32_t index,
                                       const struct cairn_tracing_value *old,
                                       const struct cairn_tracing_value *value);

/* Invalidates the results that depend on the old value, after the new one is stored. */
void tracing_span_filter_change(struct cairn_span *span);

#endif
