/* SPDX-License-Identifier: MIT */
/* Describes how the payload of an event is written. engine/emit.h describes `fill`. */
#ifndef ENGINE_WRITING_H
#define ENGINE_WRITING_H

#include "engine/descriptors.h"

typedef uint8_t *engine_fill(uint8_t *to, uint8_t *limit, const void *arg);

/*
 * The functions that write the payload of an event. An EventHeader event of constant names and
 * types has a descriptor with its constant part: then `fill_values` writes the record's payload,
 * the activity ids of the variant and the values, and `fill` is used only where there is no
 * descriptor.
 */
struct engine_writing {
    engine_fill *fill;        /* writes the whole payload */
    uint32_t least_bytes;     /* of it */
    engine_fill *fill_values; /* NULL: the payload has no constant part */
    const struct engine_constants *constants;
    uint32_t variant; /* enum engine_id_variant */
    /* The id of a descriptor with these constants; ENGINE_ID_NONE: that of the tracepoint, all of
     * whose events have them. */
    uint32_t descriptor;
    const void *caller; /* where the program continues: its stack begins there; NULL: not known */
};

#endif
