/* SPDX-License-Identifier: MIT */
/*
 * What directives in brackets let through in a span: what the span itself, or one of its ancestors,
 * fits. That is found once for each span and kept with it, so that an event costs the same however
 * deep it is. It is found again when filters change, and when a value is recorded with which a span
 * begins or ceases to fit: in the span alone, or, when there are spans in it, in all spans.
 */
#ifndef TRACING_SPAN_FILTER_H
#define TRACING_SPAN_FILTER_H

#include "tracing/span.h"

/* The slots of the layers whose filter lets `level` through in the span, or NULL. In a readers'
 * section. */
uint32_t cairn_span_filter_slots(struct cairn_span *span, uint8_t level);

/* A child was made: before anybody knows it. */
void cairn_span_filter_child(struct cairn_span *parent);

/* Layers or their filters have changed: what was found before is not looked at any more. */
void cairn_span_filter_change_all(void);

/* Whether a filter asks for values of fields at all. Under the registry's lock; what is recorded in
 * a readers' section that begins later finds it so. */
void cairn_span_filter_ask_values(bool on);
bool cairn_span_filter_asks_values(void);

/* Whether a filter tells one value of a field from another. In a readers' section. */
bool cairn_span_filter_tells(const struct cairn_span *span, uint32_t index,
                             const struct cairn_tracing_value *old,
                             const struct cairn_tracing_value *value);

/* ... and the new one is there. */
void cairn_span_filter_change(struct cairn_span *span);

#endif
