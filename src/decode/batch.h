/* SPDX-License-Identifier: MIT */
/* Records that were copied from a reader, to be decoded by another thread. */
#ifndef DECODE_BATCH_H
#define DECODE_BATCH_H

#include "decode/reader.h"

struct decode_batch_entry;

/* Begins as zeros. */
struct decode_batch {
    struct decode_batch_entry *entries;
    uint32_t count;
    uint32_t capacity;
    uint8_t *bytes; /* of records, and the names of threads */
    size_t size_bytes;
    size_t capacity_bytes;
    struct cairn_frame *frames; /* of all stacks */
    uint32_t frame_count;
    uint32_t frame_capacity;
    size_t comm_at; /* of the name that was added last; 0: none was */

    /* The decoders of the thread, by the source of events. */
    struct decode_records *records;
    size_t source_count;
    bool is_paused;            /* a stream has no more events for now */
    struct cairn_event event;  /* that was returned last, */
    struct decode_stack stack; /* and its stack */
};

/*
 * Reads the next records of a reader, in place of those before. Other threads must not use the
 * reader meanwhile.
 *
 * Returns 0; or the error of reading, after the records that were added before: EAGAIN is none.
 */
int decode_batch_fill(struct decode_batch *batch, struct cairn_reader *reader);

/*
 * Decodes a record, by its index.
 *
 * ret_event  valid until the next call
 *
 * Returns 0; ENOMEM.
 */
int decode_batch_event(struct decode_batch *batch, uint32_t index,
                       const struct cairn_event **ret_event, size_t *ret_source);

void decode_batch_free(struct decode_batch *batch);

#endif
