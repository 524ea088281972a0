/* SPDX-License-Identifier: MIT */
/* Records of a recording before they are decoded. */
#ifndef DECODE_RECORD_H
#define DECODE_RECORD_H

#include "perf_data/bytes.h"
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

void decode_records_free(struct decode_records *records);

#endif
