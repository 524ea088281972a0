/* SPDX-License-Identifier: MIT */
/* Records of a recording before they are decoded. */
#ifndef DECODE_RECORD_H
#define DECODE_RECORD_H

#include "decode/decoder.h"
#include "perf_data/bytes.h"
#include "trace_file/expand.h"
#include "trace_file/tables.h"

#include <cairn/decode.h>

struct decode_record {
    uint32_t tracepoint; /* the decoder's number */
    uint32_t size_bytes;
    const uint8_t *bytes; /* NULL: there are none */
    /* NULL: the bytes are an event of the tracepoint. Otherwise they are the payload of a trace
     * file's record: the descriptor lives as long as the file's tables. */
    const struct trace_file_descriptor *descriptor;
    bool swap; /* the trace file has the other byte order */
};

struct decode_record_layout;

/* The state of decoding the records of one source. Starts as zeros and a decoder. */
struct decode_records {
    struct cairn_decoder *decoder; /* the caller's */
    bool without_raw; /* EventHeader events of trace files need no `raw`, which saves time */
    struct cairn_bytes expanded;          /* the last record, as an event of its tracepoint */
    struct decode_record_layout *layouts; /* by the descriptor's index */
    uint32_t layout_count;
    /* The last one that was decoded by such a layout: the event, and its record's descriptor. */
    struct cairn_event *event; /* NULL: nothing was */
    const struct trace_file_descriptor *descriptor;
    uint64_t generation; /* of the decoder */
};

/*
 * Makes an event of a record.
 *
 * event  its members of the sample are set; the others become so, valid until the next call
 *
 * Returns 0; EBADMSG the payload is too short for the descriptor; ENOMEM.
 */
int decode_record_event(struct decode_records *records, const struct decode_record *record,
                        struct cairn_event *event);

/* Sets what is of the record alone: pointers into it. */
static inline void decode_record_point(const struct decode_record *record,
                                       struct cairn_event *event)
{
    uint32_t flags = record->descriptor->flags;
    const uint8_t *at = record->bytes + (flags & TRACE_FILE_HAS_COMMON ? CAIRN_COMMON_BYTES : 0);
    uint32_t id_bytes = trace_file_activity_bytes(flags);

    event->activity_id = id_bytes ? at : NULL;
    event->related_id = id_bytes > CAIRN_ACTIVITY_ID_BYTES ? at + CAIRN_ACTIVITY_ID_BYTES : NULL;
    event->data = at + id_bytes;
    event->data_bytes = record->size_bytes - (uint32_t)(event->data - record->bytes);
}

/* The same as decode_record_event; cheaper if the event is still that of the record before, and
 * both are alike. */
static inline int decode_record_next(struct decode_records *records,
                                     const struct decode_record *record, struct cairn_event *event)
{
    if (cairn_likely(records->event == event && records->descriptor == record->descriptor &&
                     record->size_bytes >= trace_file_payload_least(record->descriptor) &&
                     records->generation == decode_decoder_generation(records->decoder))) {
        decode_record_point(record, event);
        return 0;
    }
    return decode_record_event(records, record, event);
}

void decode_records_free(struct decode_records *records);

#endif
