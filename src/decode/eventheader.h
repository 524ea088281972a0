/* SPDX-License-Identifier: MIT */
/* The parts of an EventHeader event. */
#ifndef DECODE_EVENTHEADER_H
#define DECODE_EVENTHEADER_H

#include "decode/layout.h"
#include "decode/tracepoint_name.h"

/* The parts of an EventHeader event. Pointers refer to the event's bytes. */
struct decode_eventheader_parts {
    const uint8_t *bytes;            /* the first byte */
    struct cairn_eventheader header; /* in this machine's byte order */
    bool swap;                       /* the event has the other byte order */
    const uint8_t *metadata;         /* NULL when it has none */
    uint32_t metadata_bytes;
    const uint8_t *activity_id; /* or NULL */
    const uint8_t *related_id;  /* or NULL */
    const uint8_t *data;        /* after the extensions */
    uint32_t data_bytes;
};

/*
 * ret_parts  filled in place, to avoid a copy: undefined on failure
 * Returns 0; EBADMSG the header or an extension is invalid.
 */
int decode_eventheader_parse(const void *event, size_t size_bytes,
                             struct decode_eventheader_parts *ret_parts);

/*
 * Fills an empty layout from an event's metadata. Invalid metadata is not a failure: the layout
 * then ends in a broken field, or has an error if even the event's name is missing.
 *
 * parts  its metadata must live as long as the layout
 * name   of the tracepoint; its slices must too
 *
 * Returns 0, ENOMEM.
 */
int decode_layout_compile_eventheader(struct decode_layout *layout,
                                      const struct decode_eventheader_parts *parts,
                                      const struct decode_tracepoint_name *name);

#endif
