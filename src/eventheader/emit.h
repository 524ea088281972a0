/* SPDX-License-Identifier: MIT */
/* Writes an event whose values are encoded, to all backends that are enabled. */
#ifndef EVENTHEADER_EMIT_H
#define EVENTHEADER_EMIT_H

#include "engine/descriptors.h"
#include "eventheader/copy.h"

#include <cairn/eventheader/values.h>

struct eventheader_event {
    const struct cairn_tracepoint *tracepoint;
    const struct cairn_i_event *constant;
    const void *activity_id; /* NULL: none, and no related one */
    const void *related_id;
    const void *values;
    uint32_t values_bytes;
    /* With these constants and the tracepoint's sample id; ENGINE_ID_NONE: all events of the
     * tracepoint have these constants, and it has the descriptor. */
    uint32_t descriptor;
    bool is_whole;      /* there is no descriptor: the record contains the whole event */
    const void *caller; /* where the program continues */
};

static inline uint32_t eventheader_variant_of(const void *activity_id, const void *related_id)
{
    if (!activity_id)
        return 0;
    return related_id ? ENGINE_ID_RELATED : ENGINE_ID_ACTIVITY;
}

/* Writes the ids: in a record they precede the values. */
static inline uint8_t *eventheader_put_ids(uint8_t *to, const void *activity_id,
                                           const void *related_id)
{
    if (activity_id) {
        eventheader_copy_16(to, activity_id);
        to += CAIRN_ACTIVITY_ID_BYTES;
    }
    if (activity_id && related_id) {
        eventheader_copy_16(to, related_id);
        to += CAIRN_ACTIVITY_ID_BYTES;
    }
    return to;
}

/* Returns what user_events_emit_by does. */
int eventheader_emit(const struct eventheader_event *event);

#endif
