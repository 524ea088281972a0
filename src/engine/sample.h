/* SPDX-License-Identifier: MIT */
/* Expands a compact record to a sample: the record of cairn/record.h, with all of an event's data.
 */
#ifndef ENGINE_SAMPLE_H
#define ENGINE_SAMPLE_H

#include "core/private_api.h"
#include "engine/record_read.h"

/* Data of a sample that the record does not contain. */
struct engine_sample_origin {
    uint64_t time_ns;
    uint32_t cpu;
    uint32_t pid;
    uint32_t tid;
};

/* The bytes of activity ids at the beginning of the payload of records with an id. */
uint32_t engine_sample_activity_bytes(uint32_t id) CORE_PRIVATE_API(engine_sample_activity_bytes);

/* The most that a record with this id of a descriptor may have as payload. */
uint32_t engine_sample_payload_max(const struct engine_descriptor *descriptor, uint32_t id)
    CORE_PRIVATE_API(engine_sample_payload_max);

/*
 * Writes the sample to `to`, which has space for CAIRN_RECORD_MAX_BYTES.
 *
 * descriptor  that of record->id; NULL: there is none
 *
 * Returns its size; 0: the record does not fit its descriptor, or lacks it.
 */
uint32_t engine_sample_expand(const struct engine_record *record,
                              const struct engine_descriptor *descriptor,
                              const struct engine_sample_origin *origin, uint8_t *to)
    CORE_PRIVATE_API(engine_sample_expand);

#endif
