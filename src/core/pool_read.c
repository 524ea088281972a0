/* SPDX-License-Identifier: MIT */
/*
 * Reading a pool. Writers may be hostile or dead: every value in shared memory is read once into a
 * local variable, checked, and only then used.
 */
#include "core/atomic.h"
#include "core/pool.h"

static uint32_t committed_bytes(const struct core_pool_reader *reader, uint32_t chunk)
{
    /* Pairs with the release in core_pool_commit: the bytes come before the length. */
    uint32_t committed = core_load_acquire(&reader->pool.chunks[chunk].committed);
    uint32_t usable = reader->pool.chunk_bytes - CAIRN_POOL_SLACK_BYTES;

    return committed < usable ? committed : usable;
}

static uint64_t sequence_of(const struct core_pool_reader *reader, uint32_t chunk)
{
    return core_load_acquire(&reader->pool.chunks[chunk].sequence);
}

/*
 * Insertion sort: chunks are few and nearly in order. Keys are read once, because they may change.
 */
static void insert_by_sequence(struct core_pool_reader *reader, uint32_t count, uint32_t chunk,
                               uint64_t sequence)
{
    uint32_t at = count;

    for (; at > 0 && reader->keys[at - 1] > sequence; at--) {
        reader->keys[at] = reader->keys[at - 1];
        reader->order[at] = reader->order[at - 1];
    }
    reader->keys[at] = sequence;
    reader->order[at] = chunk;
}

/*
 * Chunks that are claimed during the scan are left for the next scan: otherwise the second of two
 * chunks of one writer might be seen without the first. Chunks that are taken have a sequence below
 * the limit, and come after all chunks that their writer filled earlier.
 */
uint32_t core_pool_scan(struct core_pool_reader *reader)
{
    /*
     * Pairs with the release in claiming: what was written before a claim below the limit is
     * visible.
     */
    uint64_t limit = core_load_acquire(&reader->pool.header->last_sequence);
    uint32_t count = 0;

    for (uint32_t i = 0; i < reader->pool.chunk_count; i++) {
        uint32_t state = core_load_acquire(&reader->pool.chunks[i].state);
        uint64_t sequence = sequence_of(reader, i);

        if (state != CAIRN_CHUNK_FREE && sequence && sequence <= limit)
            insert_by_sequence(reader, count++, i, sequence);
    }
    return count;
}

static void free_chunk(struct core_pool_reader *reader, uint32_t chunk)
{
    struct cairn_chunk *descriptor = &reader->pool.chunks[chunk];

    reader->consumed[chunk] = 0;
    /* First: a recorder that is killed after it leaves a chunk that has nothing. */
    core_store_relaxed(&descriptor->sequence, 0);
    core_interrupt_barrier();
    core_store_relaxed(&descriptor->committed, 0);
    core_store_relaxed(&descriptor->taken, 0);
    /* Pairs with the acquire of the claim: the bytes are not read any more. */
    core_store_release(&descriptor->state, CAIRN_CHUNK_FREE);
    /* Pairs with the acquire in core_pool_reserve_slow. */
    core_fetch_add_release(&reader->pool.header->freed, 1);
}

uint32_t core_pool_copy(struct core_pool_reader *reader, uint32_t chunk, void *to)
{
    uint32_t end = committed_bytes(reader, chunk);
    uint32_t begin = reader->consumed[chunk];
    uint32_t size_bytes = end > begin ? end - begin : 0;

    __builtin_memcpy(to, reader->pool.data + (size_t)chunk * reader->pool.chunk_bytes + begin,
                     size_bytes);
    reader->consumed[chunk] = begin + size_bytes;
    return size_bytes;
}

uint32_t core_pool_take(struct core_pool_reader *reader, uint32_t chunk, void *to)
{
    /*
     * The state first: a chunk that is ready has its final length. Pairs with core_writer_close.
     */
    uint32_t state = core_load_acquire(&reader->pool.chunks[chunk].state);
    uint32_t size_bytes = core_pool_copy(reader, chunk, to);

    if (state == CAIRN_CHUNK_READY)
        free_chunk(reader, chunk);
    return size_bytes;
}

uint64_t core_pool_lost(const struct cairn_pool *pool)
{
    return core_load_relaxed(&pool->header->lost);
}
