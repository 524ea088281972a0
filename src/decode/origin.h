/* SPDX-License-Identifier: MIT */
/* A tracepoint as a recording describes it. */
#ifndef DECODE_ORIGIN_H
#define DECODE_ORIGIN_H

#include "decode/layout.h"
#include "decode/tracepoint_name.h"

struct decode_origin {
    struct decode_layout *layout;              /* by the format text, for events of all kinds */
    struct cairn_event_tracepoint *tracepoint; /* at an address that does not change */
    uint32_t long_size_bytes;
    bool swap;
    bool is_eventheader;                /* the two below are set */
    uint32_t header_offset;             /* of the EventHeader in the record */
    struct decode_tracepoint_name name; /* slices refer to the layout's identity */
};

/*
 * ret_origin  closed by the caller
 *
 * Returns 0; EBADMSG not a format text; ENOMEM.
 */
int decode_origin_open(const struct cairn_decoder_format *format, struct decode_origin *ret_origin);

/* Accepts an origin of zeros. */
void decode_origin_close(struct decode_origin *origin);

/*
 * Adds a format text's fields to a layout, except the common ones.
 * schema  its text must live as long as the layout
 * Returns 0, ENOMEM.
 */
int decode_layout_compile_format(struct decode_layout *layout, const struct cairn_schema *schema,
                                 uint32_t long_size_bytes);

/* Makes a field's value all its bytes. */
void decode_layout_set_bytes(struct decode_layout_field *field);

/* Adds the field of records without a description: `raw`, all bytes. Returns 0, ENOMEM. */
int decode_layout_compile_raw(struct decode_layout *layout);

#endif
