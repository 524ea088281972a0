/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes what a recorder does with the bytes of another process: the first half is its table of
 * descriptors, the second the records of a chunk. Each record is expanded, or rejected.
 */
#include "engine/sample.h"

#include "engine/descriptors.h"

#include <cairn/kernel/pool.h>

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define UNITS_MAX 512u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* A table with memory for as many units as there are bytes for, whatever its head says. */
static struct engine_descriptor_table *make_table(const uint8_t *data, size_t size)
{
    uint32_t units = (uint32_t)(size / ENGINE_DESCRIPTOR_UNIT);
    struct engine_descriptor_table *table;

    if (units > UNITS_MAX)
        units = UNITS_MAX;
    table = calloc(ENGINE_TABLE_HEAD_UNITS + units, ENGINE_DESCRIPTOR_UNIT);
    assert(table);
    memcpy(table + 1, data, (size_t)units * ENGINE_DESCRIPTOR_UNIT);
    table->used_units = ENGINE_TABLE_HEAD_UNITS + units;
    table->backed_units = ENGINE_TABLE_HEAD_UNITS + units;
    return table;
}

static void expand(const struct engine_descriptor_table *table, const struct engine_record *record,
                   uint8_t *sample)
{
    const struct engine_sample_origin origin = {.time_ns = record->counter, .pid = 1, .tid = 2};
    struct engine_descriptor *descriptor = NULL;
    uint32_t size_bytes;
    int error = record->id ? engine_descriptor_copy(table, record->id, &descriptor) : 0;

    if (error) {
        assert(error == ENOENT || error == EBADMSG);
        return;
    }
    size_bytes = engine_sample_expand(record, descriptor, &origin, sample);
    assert(size_bytes <= CAIRN_RECORD_MAX_BYTES);
    assert(!size_bytes || cairn_record_check(sample, size_bytes) == size_bytes);
    free(descriptor);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t half = size / 2;
    struct engine_descriptor_table *table = make_table(data, half);
    uint8_t *chunk = malloc(size - half + 1); /* exact but for one, so that an overflow is found */
    uint8_t *sample = malloc(CAIRN_RECORD_MAX_BYTES);
    struct engine_baseline baseline = {0};
    struct engine_record record;

    assert(chunk && sample);
    memcpy(chunk, data + half, size - half);
    for (size_t at = 0; at < size - half; at += record.size_bytes) {
        if (!engine_record_read(&baseline, chunk + at, size - half - at, &record))
            break;
        assert(record.size_bytes >= 8 && record.size_bytes % 4 == 0);
        if (record.payload)
            expand(table, &record, sample);
    }
    free(sample);
    free(chunk);
    free(table);
    return 0;
}
