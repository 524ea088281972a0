/* SPDX-License-Identifier: MIT */
/* Expands a compact record to a sample. */
#include "engine/sample.h"

#include <cairn/record.h>
#include <string.h>

#define ACTIVITY_ID_BYTES 16u

/* Precedes activity ids in an EventHeader event. */
struct sample_extension {
    uint16_t size_bytes;
    uint16_t kind;
};

uint32_t engine_sample_activity_bytes(uint32_t id)
{
    return id % ENGINE_ID_VARIANTS * ACTIVITY_ID_BYTES;
}

static bool is_eventheader(const struct engine_descriptor *descriptor)
{
    return descriptor && descriptor->kind == ENGINE_DESCRIPTOR_EVENTHEADER;
}

/* The bytes of an event's payload that its record does not have. */
static uint32_t constant_bytes(const struct engine_descriptor *descriptor, uint32_t activity)
{
    if (!is_eventheader(descriptor))
        return 0;
    return (uint32_t)sizeof(descriptor->header) + descriptor->metadata_bytes +
           (activity ? (uint32_t)sizeof(struct sample_extension) : 0);
}

uint32_t engine_sample_payload_max(const struct engine_descriptor *descriptor, uint32_t id)
{
    uint32_t constant = constant_bytes(descriptor, engine_sample_activity_bytes(id));

    return constant < CAIRN_PAYLOAD_MAX_BYTES ? CAIRN_PAYLOAD_MAX_BYTES - constant : 0;
}

/* Computes the size of the payload with its constant part. False: the size is not possible. */
static bool size_payload(const struct engine_record *record,
                         const struct engine_descriptor *descriptor, uint32_t *ret_bytes)
{
    uint32_t activity = engine_sample_activity_bytes(record->id);

    *ret_bytes = record->payload_bytes + constant_bytes(descriptor, activity);
    if (!is_eventheader(descriptor))
        return activity == 0;
    return activity <= 2 * ACTIVITY_ID_BYTES && activity <= record->payload_bytes &&
           *ret_bytes <= CAIRN_PAYLOAD_MAX_BYTES;
}

static uint8_t *append(uint8_t *to, const void *bytes, size_t size)
{
    memcpy(to, bytes, size);
    return to + size;
}

static uint8_t *put_payload(uint8_t *to, const struct engine_record *record,
                            const struct engine_descriptor *descriptor)
{
    uint32_t activity = engine_sample_activity_bytes(record->id);

    if (!is_eventheader(descriptor))
        return append(to, record->payload, record->payload_bytes);
    to = append(to, descriptor->header, sizeof(descriptor->header));
    if (activity) {
        const struct sample_extension extension = {(uint16_t)activity, ENGINE_EXTENSION_ACTIVITY};

        to = append(to, &extension, sizeof(extension));
        to = append(to, record->payload, activity);
    }
    to = append(to, descriptor->texts, descriptor->metadata_bytes);
    return append(to, record->payload + activity, record->payload_bytes - activity);
}

uint32_t engine_sample_expand(const struct engine_record *record,
                              const struct engine_descriptor *descriptor,
                              const struct engine_sample_origin *origin, uint8_t *to)
{
    uint64_t sample_id = descriptor ? descriptor->sample_id : record->sample_id;
    struct cairn_record_head head;
    uint32_t payload_bytes;
    uint32_t size_bytes;
    uint8_t *end;

    if ((record->id != ENGINE_ID_NONE && !descriptor) ||
        !size_payload(record, descriptor, &payload_bytes))
        return 0;
    size_bytes = cairn_record_size(payload_bytes);
    head = (struct cairn_record_head){
        .type = CAIRN_RECORD_SAMPLE,
        .misc = CAIRN_RECORD_MISC_USER,
        .size_bytes = (uint16_t)size_bytes,
        .id = sample_id,
        .pid = origin->pid,
        .tid = origin->tid,
        .time_ns = origin->time_ns,
        .cpu = origin->cpu,
        .raw_size_bytes = size_bytes - (uint32_t)offsetof(struct cairn_record_head, common_type),
        .common_type = (uint16_t)sample_id,
        .common_pid = (int32_t)origin->tid,
    };
    end = put_payload(append(to, &head, sizeof(head)), record, descriptor);
    memset(end, 0, (size_t)(to + size_bytes - end));
    return size_bytes;
}
