/* SPDX-License-Identifier: MIT */
/* Truncates events that are larger than a record. */
#ifndef TRACING_EVENTHEADER_CUT_H
#define TRACING_EVENTHEADER_CUT_H

#include "tracing/provider.h"

#include <cairn/eventheader_dynamic.h>

/*
 * Writes an event that a backend has refused with E2BIG to that backend: truncates its longest
 * texts and counted bytes as far as necessary, and adds a last field, `truncated_bytes`, with the
 * number of missing bytes. The event is not written again to a backend that has accepted it.
 *
 * Returns 0 or an errno code: E2BIG it is too large even then.
 */
int tracing_eventheader_write_cut(struct cairn_builder *builder, const struct cairn_event_set *set,
                                  const struct tracing_provider_event *event);

/*
 * Truncates texts and counted bytes so that all together have at most `space` bytes: the longest
 * ones, to one length; text at the end of a character. Returns how many bytes were removed.
 */
uint64_t tracing_eventheader_cut_values(struct tracing_provider_event *event, uint32_t space);

/* Builds the metadata and data of an event. Returns 0 or the builder's error. */
int tracing_eventheader_build(struct cairn_builder *builder,
                              const struct tracing_provider_event *event);

#endif
