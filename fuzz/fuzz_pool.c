/* SPDX-License-Identifier: MIT */
/* Fuzzes the reader of pools with any bytes as a pool's memory: it takes valid records and rejects
 * all else. */
#include "core/pool.h"

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define MEMORY_MAX_BYTES ((size_t)1 << 20)

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* Reads each record of a block to its last byte, as a session does: the sanitizer reports reads
 * outside of the block. */
static void walk_records(const uint8_t *block, uint32_t size_bytes)
{
    uint32_t at = 0;

    while (at < size_bytes) {
        uint32_t record_bytes = cairn_record_check(block + at, size_bytes - at);
        uint64_t sum = 0;

        if (!record_bytes)
            return;
        assert(record_bytes % 8 == 0 && record_bytes <= size_bytes - at);
        for (uint32_t i = 0; i < record_bytes; i += 8) {
            uint64_t word;

            memcpy(&word, block + at + i, sizeof(word));
            sum += word;
        }
        __asm__ volatile("" : : "r"(sum));
        at += record_bytes;
    }
}

static void drain(struct core_pool_reader *reader)
{
    uint32_t chunk_bytes = reader->pool.chunk_bytes;
    uint32_t count = core_pool_scan(reader);

    assert(count <= reader->pool.chunk_count);
    for (uint32_t i = 0; i < count; i++) {
        uint8_t *block = malloc(chunk_bytes); /* exact, so that an overflow is reported */
        uint32_t taken;

        assert(block && reader->order[i] < reader->pool.chunk_count);
        assert(!i || reader->keys[i - 1] <= reader->keys[i]);
        taken = core_pool_take(reader, reader->order[i], block);
        assert(taken <= chunk_bytes - CAIRN_POOL_SLACK_BYTES);
        walk_records(block, taken);
        free(block);
    }
}

/* Changes the pool between two reads as a hostile writer can: lengths shrink, sequences change. */
static void corrupt(struct core_pool_reader *reader)
{
    for (uint32_t i = 0; i < reader->pool.chunk_count; i++) {
        struct cairn_chunk *chunk = &reader->pool.chunks[i];

        chunk->committed = ~chunk->committed;
        chunk->sequence = ~chunk->sequence;
        chunk->state++;
    }
    reader->pool.header->last_sequence = UINT64_MAX;
    reader->pool.header->chunk_bytes = UINT32_MAX;
    reader->pool.header->chunk_count = UINT32_MAX;
}

static void read_pool(void *memory, size_t size)
{
    struct core_pool_reader reader = {0};
    uint32_t count;

    if (core_pool_attach(memory, size, &reader.pool))
        return;
    count = reader.pool.chunk_count;
    assert(core_pool_size(reader.pool.chunk_bytes, count) <= size);
    reader.consumed = calloc(count, sizeof(*reader.consumed));
    reader.order = calloc(count, sizeof(*reader.order));
    reader.keys = calloc(count, sizeof(*reader.keys));
    assert(reader.consumed && reader.order && reader.keys);
    drain(&reader);
    corrupt(&reader);
    drain(&reader);
    corrupt(&reader);
    drain(&reader);
    (void)core_pool_lost(&reader.pool);
    free(reader.consumed);
    free(reader.order);
    free(reader.keys);
}

/* Copies the next bytes of the input into the pool, at most size_max. */
static void copy_input(uint8_t *to, size_t size_max, const uint8_t **data, size_t *size)
{
    size_t bytes = *size < size_max ? *size : size_max;

    memcpy(to, *data, bytes);
    *data += bytes;
    *size -= bytes;
}

/*
 * Fills a pool from the input, which is much smaller: header, descriptors, and an equal share of
 * the rest for each chunk. After an invalid header, or that of a pool larger than the memory,
 * nothing more is copied.
 */
static void fill_pool(uint8_t *memory, size_t memory_size, const uint8_t *data, size_t size)
{
    struct cairn_pool_header header = {0};
    struct cairn_pool shape = {0};
    size_t share;

    memset(memory, 0, memory_size);
    copy_input(memory, sizeof(header), &data, &size);
    memcpy(&header, memory, sizeof(header));
    if (!core_pool_shape_is_sane(header.chunk_bytes, header.chunk_count) ||
        core_pool_size(header.chunk_bytes, header.chunk_count) > memory_size)
        return;
    shape.chunk_bytes = header.chunk_bytes;
    shape.chunk_count = header.chunk_count;
    copy_input(memory + CAIRN_POOL_HEADER_BYTES, shape.chunk_count * sizeof(struct cairn_chunk),
               &data, &size);
    share = size / shape.chunk_count;
    for (uint32_t i = 0; i < shape.chunk_count; i++) {
        size_t bytes = share < shape.chunk_bytes ? share : shape.chunk_bytes;

        copy_input(memory + core_pool_chunk_offset(&shape, i), bytes, &data, &size);
    }
}

/* The size of the pool in the header, limited: a pool may claim to be larger than its memory. */
static size_t memory_size_of(const uint8_t *data, size_t size)
{
    struct cairn_pool_header header = {0};
    size_t wanted;

    memcpy(&header, data, size < sizeof(header) ? size : sizeof(header));
    if (!core_pool_shape_is_sane(header.chunk_bytes, header.chunk_count))
        return CAIRN_POOL_HEADER_BYTES;
    wanted = core_pool_size(header.chunk_bytes, header.chunk_count);
    return wanted < MEMORY_MAX_BYTES ? wanted : MEMORY_MAX_BYTES;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    size_t memory_size = memory_size_of(data, size);
    void *memory = NULL;

    assert(!posix_memalign(&memory, 4096, memory_size));
    fill_pool(memory, memory_size, data, size);
    read_pool(memory, memory_size);
    free(memory);
    return 0;
}
