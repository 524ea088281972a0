/* SPDX-License-Identifier: MIT */
/* Events that are larger than a record may be. */
#ifndef TRACING_EVENTHEADER_CUT_H
#define TRACING_EVENTHEADER_CUT_H

#include "tracing/provider.h"

#include <cairn/eventheader_dynamic.h>

/*
 * Writes an event that a backend has refused with E2BIG, to that backend: its longest texts and
 * counted bytes are cut as far as they must be, and a last field, `truncated_bytes`, says how many
 * bytes are missing. What the other backend has taken is not written to it again.
 *
 * Returns 0 or an errno code: E2BIG even then it is too large.
 */
int cairn_eventheader_write_cut(struct cairn_builder *builder, const struct cairn_event_set *set,
                                const struct cairn_provider_event *event);

/* Makes the builder's metadata and data of an event. Returns 0 or the builder's error. */
int cairn_eventheader_build(struct cairn_builder *builder,
                            const struct cairn_provider_event *event);

#endif
