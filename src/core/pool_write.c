/* SPDX-License-Identifier: MIT */
/* The writer's slow path: releasing and claiming chunks. */
#include "core/atomic.h"

#include "core/pool.h"

/* Attempts of an overwriting writer when readers take chunks first. */
#define OVERWRITE_TRIES 64

void cairn_i_pool_count_lost(struct cairn_pool *pool)
{
    core_fetch_add_relaxed(&pool->header->lost, 1);
}

void core_writer_close(struct cairn_writer *writer)
{
    if (writer->chunk) {
        /* Pairs with the acquire in core_pool_take: commits are visible before the state. */
        core_store_release(&writer->chunk->state, CAIRN_CHUNK_READY);
    }
    *writer = (struct cairn_writer){0};
}

/* The lowest free chunk: recently used memory is still in the cache. */
static bool claim(struct cairn_pool *pool, uint32_t *ret_chunk)
{
    for (uint32_t i = 0; i < pool->chunk_count; i++) {
        uint32_t *state = &pool->chunks[i].state;
        uint32_t expected = CAIRN_CHUNK_FREE;

        if (core_load_relaxed(state) != CAIRN_CHUNK_FREE)
            continue;
        /*
         * Acquire pairs with the release in core_pool_take: the reader does not read the bytes any
         * more.
         */
        if (!core_compare_exchange_acquire(state, &expected, CAIRN_CHUNK_OWNED))
            continue;
        *ret_chunk = i;
        return true;
    }
    return false;
}

/* The ready chunk with the lowest sequence, or chunk_count: there is none. */
static uint32_t oldest_ready(const struct cairn_pool *pool, uint64_t *ret_taken)
{
    uint32_t oldest = pool->chunk_count;
    uint64_t lowest = UINT64_MAX;

    for (uint32_t i = 0; i < pool->chunk_count; i++) {
        const struct cairn_chunk *chunk = &pool->chunks[i];
        uint64_t taken;

        if (core_load_relaxed(&chunk->state) != CAIRN_CHUNK_READY)
            continue;
        taken = core_load_relaxed(&chunk->taken);
        if (taken && taken >> CAIRN_POOL_TAKEN_BITS < lowest) {
            lowest = taken >> CAIRN_POOL_TAKEN_BITS;
            oldest = i;
            *ret_taken = taken;
        }
    }
    return oldest;
}

/* Takes the oldest ready chunk. False: there is none, or a reader took it first. */
static bool claim_oldest(struct cairn_pool *pool, uint32_t *ret_chunk)
{
    uint64_t taken = 0;
    uint32_t index = oldest_ready(pool, &taken);
    struct cairn_chunk *chunk = &pool->chunks[index];
    uint64_t consumed = taken & CAIRN_POOL_TAKEN_MASK;

    /*
     * Release: a reader that sees a new byte sees that the chunk was taken (fence in
     * core_writer_own). /
     */
    if (index == pool->chunk_count || !core_compare_exchange_acq_rel(&chunk->taken, &taken, 0))
        return false;
    core_store_relaxed(&chunk->state, CAIRN_CHUNK_OWNED);
    if (chunk->events > consumed)
        core_fetch_add_relaxed(&pool->header->overwritten, chunk->events - consumed);
    *ret_chunk = index;
    return true;
}

/* Prefetches the lines that cairn_i_fetch_ahead does not. */
static void fetch_beginning(const uint8_t *chunk)
{
    for (uint32_t i = 0; i < CAIRN_I_FETCH_AHEAD_BYTES; i += 64)
        cairn_i_fetch_line(chunk + i);
}

void core_writer_own(struct cairn_pool *pool, struct cairn_writer *writer,
                     const struct cairn_writer_name *name, uint32_t index)
{
    struct cairn_chunk *chunk = &pool->chunks[index];
    uint64_t sequence;

    fetch_beginning(pool->data + (size_t)index * pool->chunk_bytes);
    /*
     * Pairs with the acquire fence of a reader that has copied bytes: bytes change only after
     * chunk->taken.
     */
    core_fence_release();
    core_store_relaxed(&chunk->sequence, 0);
    core_store_relaxed(&chunk->committed, 0);
    core_store_relaxed(&chunk->section, name->session);
    core_store_relaxed(&chunk->before, name->owner);
    chunk->pid = name->pid;
    chunk->tid = name->tid;
    __builtin_memcpy(chunk->comm, name->comm, sizeof(chunk->comm));
    /* Release pairs with the acquire in core_pool_scan: the chunk before this one is complete. */
    sequence = core_add_fetch_release(&pool->header->last_sequence, 1);
    /* Release: a reader that finds the chunk finds it empty, and owned by this writer. */
    core_store_release(&chunk->taken, sequence << CAIRN_POOL_TAKEN_BITS);
    core_store_release(&chunk->sequence, sequence);
    writer->chunk = chunk;
    writer->start = pool->data + (size_t)index * pool->chunk_bytes;
    writer->next = writer->start;
    writer->end = writer->start + pool->chunk_bytes - CAIRN_POOL_SLACK_BYTES;
}

/*
 * An overwriting writer tries again if a reader consumed an event of the oldest chunk before the
 * compare-and-swap, or freed the chunk. The attempts are bounded: a writer cannot wait for readers.
 */
static bool claim_any(struct cairn_pool *pool, bool overwrite, uint32_t *ret_chunk)
{
    bool claimed = claim(pool, ret_chunk);

    for (int tries = 0; !claimed && overwrite && tries < OVERWRITE_TRIES; tries++)
        claimed = claim_oldest(pool, ret_chunk) || claim(pool, ret_chunk);
    return claimed;
}

void *core_pool_reserve_slow(struct cairn_pool *pool, struct cairn_writer *writer,
                             const struct cairn_writer_name *name, uint32_t size_bytes)
{
    /* Pairs with the release in free_chunk: a chunk that is counted as freed is visibly free. */
    uint64_t freed = core_load_acquire(&pool->header->freed);
    bool overwrite = core_load_relaxed(&pool->overwrite);
    uint32_t starved = writer->starved;
    uint32_t index;

    if (size_bytes > CAIRN_RECORD_MAX_BYTES ||
        size_bytes > pool->chunk_bytes - CAIRN_POOL_SLACK_BYTES) {
        cairn_i_pool_count_lost(pool);
        return NULL;
    }
    /* After a failure, search again only if the reader has freed a chunk since. */
    if (starved % CORE_POOL_STARVED_TRIES && writer->freed == freed && !overwrite) {
        writer->starved = starved + 1;
        cairn_i_pool_count_lost(pool);
        return NULL;
    }
    core_writer_close(writer);
    if (!claim_any(pool, overwrite, &index)) {
        writer->starved = starved + 1;
        writer->freed = freed;
        cairn_i_pool_count_lost(pool);
        return NULL;
    }
    core_writer_own(pool, writer, name, index);
    return writer->next;
}
