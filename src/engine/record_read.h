/* SPDX-License-Identifier: MIT */
/* Reads the compact records of a chunk: bytes that another process wrote, in a private copy. */
#ifndef ENGINE_RECORD_READ_H
#define ENGINE_RECORD_READ_H

#include "core/private_api.h"
#include "engine/abi.h"
#include "engine/baseline.h"

#include <stdbool.h>
#include <stddef.h>

struct engine_record {
    uint32_t size_bytes;    /* with its padding: the next record follows */
    uint32_t id;            /* of its descriptor, or ENGINE_ID_NONE */
    uint64_t sample_id;     /* without a descriptor, of its tracepoint */
    uint64_t counter;       /* in the unit of the baseline */
    const uint8_t *payload; /* NULL: a control record */
    uint32_t payload_bytes;
    bool is_stack; /* a control record that belongs to the next event */
};

/*
 * Reads the record at the start of `left` bytes. A control record changes the baseline, which
 * begins as zeros at the start of a chunk. False: the bytes are no valid record.
 */
bool engine_record_read(struct engine_baseline *baseline, const uint8_t *at, size_t left,
                        struct engine_record *ret_record) CORE_PRIVATE_API(engine_record_read);

#endif
