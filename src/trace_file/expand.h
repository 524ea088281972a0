/* SPDX-License-Identifier: MIT */
/* Expands a record to the bytes that a tracepoint's event has: adds what its descriptor contains.
 */
#ifndef TRACE_FILE_EXPAND_H
#define TRACE_FILE_EXPAND_H

#include "perf_data/bytes.h"
#include "trace_file/reader.h"

/* Returns the size of the activity's ids in a payload, by the flags of its descriptor. */
static inline uint32_t trace_file_activity_bytes(uint32_t flags)
{
    if (!(flags & TRACE_FILE_HAS_ACTIVITY))
        return 0;
    return flags & TRACE_FILE_HAS_RELATED ? 2 * CAIRN_ACTIVITY_ID_BYTES : CAIRN_ACTIVITY_ID_BYTES;
}

/* Returns the size of what precedes the values in a payload. */
static inline uint32_t trace_file_payload_least(const struct trace_file_descriptor *descriptor)
{
    uint32_t common = descriptor->flags & TRACE_FILE_HAS_COMMON ? CAIRN_COMMON_BYTES : 0;

    if (descriptor->kind != TRACE_FILE_EVENTHEADER)
        return common;
    return common + trace_file_activity_bytes(descriptor->flags);
}

/* Returns the tracepoint of a descriptor; NULL: a later version's kind. */
const struct trace_file_descriptor *
trace_file_tracepoint_of(const struct trace_file_descriptor *descriptor);

/*
 * Makes the raw part of an event: common fields, EventHeader and extensions, fields.
 *
 * swap  the file has the opposite byte order
 * raw   its contents are replaced
 *
 * Returns 0; EBADMSG the payload is too short for the descriptor; ENOMEM.
 */
int trace_file_expand(const struct trace_file_event *event, bool swap, struct cairn_bytes *raw);

/*
 * Writes the bytes of an EventHeader event that precede its fields: header, activity, metadata. A
 * writer of descriptors calls it too: an event whose bytes it does not reproduce gets no descriptor
 * of its own.
 *
 * activity  16 bytes, or 32 with the related id, or none
 */
void trace_file_put_eventheader(struct cairn_bytes *to, const uint8_t *header,
                                struct cairn_slice metadata, const void *activity,
                                uint32_t activity_bytes);

#endif
