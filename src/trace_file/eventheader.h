/* SPDX-License-Identifier: MIT */
/* The parts of an EventHeader event. */
#ifndef TRACE_FILE_EVENTHEADER_H
#define TRACE_FILE_EVENTHEADER_H

#include <cairn/eventheader_abi.h>
#include <cairn/schema.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* The parts of an EventHeader event. Pointers refer to the event's bytes. */
struct trace_file_eventheader {
    const uint8_t *bytes;            /* the first byte */
    struct cairn_eventheader header; /* in this machine's byte order */
    bool swap;                       /* the event has the opposite byte order */
    const uint8_t *metadata;         /* NULL when it has none */
    uint32_t metadata_bytes;
    const uint8_t *activity_id; /* or NULL */
    const uint8_t *related_id;  /* or NULL */
    const uint8_t *data;        /* after the extensions */
    uint32_t data_bytes;
};

/*
 * ret_parts  filled in place, to avoid a copy; undefined on failure
 * Returns 0; EBADMSG the header or an extension is invalid.
 */
int trace_file_eventheader_parse(const void *event, size_t size_bytes,
                                 struct trace_file_eventheader *ret_parts);

/* True if the fields of a tracepoint are those of an EventHeader event. */
bool trace_file_eventheader_is_in(const struct cairn_schema *schema);

#endif
