/* SPDX-License-Identifier: MIT */
/* Reads compact records. */
#include "engine/record_read.h"
#include "core/compact_record.h"

#include <cairn/record.h>
#include <stdbool.h>
#include <string.h>

static uint16_t u16_at(const uint8_t *at)
{
    uint16_t value;

    memcpy(&value, at, sizeof(value));
    return value;
}

static uint32_t u32_at(const uint8_t *at)
{
    uint32_t value;

    memcpy(&value, at, sizeof(value));
    return value;
}

static uint64_t u64_at(const uint8_t *at)
{
    uint64_t value;

    memcpy(&value, at, sizeof(value));
    return value;
}

/* True for whole addresses, and not more than writers put there. */
static bool is_stack(uint32_t size_bytes)
{
    return size_bytes <= CORE_CONTROL_STACK_MAX_BYTES &&
           (size_bytes - CORE_CONTROL_STACK_HEAD) % sizeof(uint64_t) == 0;
}

/* Each other kind has one size: writers and readers in memory are of one version of the layout. */
static bool apply_control(struct engine_baseline *baseline, const uint8_t *at, uint32_t size_bytes)
{
    const uint8_t *value = at + CORE_RECORD_HEAD_BYTES + sizeof(uint32_t);
    uint32_t kind;

    if (size_bytes < CORE_CONTROL_CPU_BYTES)
        return false;
    kind = u32_at(at + CORE_RECORD_HEAD_BYTES);
    if (kind == CORE_CONTROL_STACK)
        return is_stack(size_bytes);
    if (kind == CORE_CONTROL_CPU && size_bytes == CORE_CONTROL_CPU_BYTES) {
        baseline->cpu = u32_at(value);
        return true;
    }
    if ((kind != CORE_CONTROL_BASE && kind != CORE_CONTROL_BASE_NS) ||
        size_bytes != CORE_CONTROL_BASE_BYTES)
        return false;
    baseline->base = u64_at(value);
    baseline->unit = kind == CORE_CONTROL_BASE ? ENGINE_UNIT_TICKS : ENGINE_UNIT_NS;
    return true;
}

/* Sets the id, and returns the size of the head; 0: there is not enough for one. */
static uint32_t read_head(const uint8_t *at, size_t left, struct engine_record *record,
                          uint32_t *ret_size_bytes)
{
    if (left < CORE_RECORD_HEAD_BYTES)
        return 0;
    record->id = u16_at(at);
    *ret_size_bytes = u16_at(at + 2);
    if (record->id != CORE_RECORD_LONG)
        return CORE_RECORD_HEAD_BYTES;
    if (left < CORE_RECORD_LONG_BYTES)
        return 0;
    record->id = u32_at(at + CORE_RECORD_HEAD_BYTES);
    *ret_size_bytes = u32_at(at + CORE_RECORD_HEAD_BYTES + sizeof(uint32_t));
    if (record->id != ENGINE_ID_NONE)
        return CORE_RECORD_LONG_BYTES;
    if (left < CORE_RECORD_LONG_BYTES + sizeof(record->sample_id))
        return 0;
    record->sample_id = u64_at(at + CORE_RECORD_LONG_BYTES);
    return CORE_RECORD_LONG_BYTES + (uint32_t)sizeof(record->sample_id);
}

bool engine_record_read(struct engine_baseline *baseline, const uint8_t *at, size_t left,
                        struct engine_record *ret_record)
{
    struct engine_record record = {0};
    uint32_t size_bytes = 0;
    uint32_t head_bytes = read_head(at, left, &record, &size_bytes);

    if (!head_bytes || size_bytes < head_bytes || size_bytes > left)
        return false;
    record.size_bytes = core_record_padded(size_bytes);
    if (record.size_bytes > left)
        return false;
    if (u16_at(at) == CORE_RECORD_CONTROL) {
        record.is_stack = size_bytes >= CORE_CONTROL_STACK_HEAD &&
                          u32_at(at + CORE_RECORD_HEAD_BYTES) == CORE_CONTROL_STACK;
        *ret_record = record;
        return apply_control(baseline, at, size_bytes);
    }
    record.payload = at + head_bytes;
    record.payload_bytes = size_bytes - head_bytes;
    record.counter = baseline->base + u32_at(at + 4);
    *ret_record = record;
    return baseline->unit != ENGINE_UNIT_NONE && record.payload_bytes <= CAIRN_PAYLOAD_MAX_BYTES;
}
