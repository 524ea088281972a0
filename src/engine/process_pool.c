/* SPDX-License-Identifier: MIT */
/* A process's pool: its shape, and how writers claim its chunks. */
#include "engine/process_pool.h"

#include "core/atomic.h"
#include "core/pool.h"

#include <errno.h>

/* The share of large chunks (one of QUIET_SHARE) that is reserved for being divided: busy
 * threads that find fewer free ones take small chunks, too. */
#define QUIET_SHARE 4u

/* Attempts to find a small chunk while other threads divide large ones. */
#define DIVIDING_TRIES 256u

#define PAGE_MASK (ENGINE_PAGE_BYTES - 1)

size_t engine_process_pool_size(uint32_t chunk_bytes, uint32_t chunk_count, uint32_t small_chunks,
                                uint32_t *ret_table_bytes)
{
    size_t table = (size_t)chunk_count * small_chunks * sizeof(struct cairn_chunk);

    *ret_table_bytes = (uint32_t)((table + PAGE_MASK) & ~(size_t)PAGE_MASK);
    return *ret_table_bytes + core_pool_size(chunk_bytes, chunk_count);
}

static bool small_shape_is_sane(const struct cairn_pool *large, uint32_t small_chunks,
                                uint32_t table_bytes)
{
    return !small_chunks ||
           (small_chunks <= ENGINE_SMALL_CHUNKS_MAX && large->chunk_bytes % small_chunks == 0 &&
            large->chunk_bytes / small_chunks >= CAIRN_POOL_CHUNK_MIN_BYTES &&
            (size_t)large->chunk_count * small_chunks * sizeof(struct cairn_chunk) <= table_bytes);
}

int engine_process_pool_attach(void *memory, size_t size_bytes, uint32_t table_bytes,
                               struct engine_process_pool *ret_pool)
{
    struct engine_process_pool pool = {0};
    uint32_t usable;
    int error;

    if (table_bytes % ENGINE_PAGE_BYTES || table_bytes >= size_bytes)
        return EBADMSG;
    error =
        core_pool_attach((uint8_t *)memory + table_bytes, size_bytes - table_bytes, &pool.large);
    if (error)
        return error;
    usable = core_load_relaxed(&pool.large.header->usable_chunks);
    pool.small_chunks = core_load_relaxed(&pool.large.header->small_chunks);
    if (!small_shape_is_sane(&pool.large, pool.small_chunks, table_bytes) ||
        usable > pool.large.chunk_count)
        return EBADMSG;
    pool.all_chunks = pool.large.chunk_count;
    pool.large.chunk_count = usable;
    pool.small = pool.large;
    pool.small.chunks = memory;
    pool.small.chunk_count = usable * pool.small_chunks;
    if (pool.small_chunks)
        pool.small.chunk_bytes = pool.large.chunk_bytes / pool.small_chunks;
    *ret_pool = pool;
    return 0;
}

/* ---- claiming ---- */

/*
 * The first free chunk from the thread's home on: memory that it used a moment ago is still in the
 * cache of its processor, and not in that of another.
 */
static bool claim_large(struct engine_process_pool *pool, uint32_t home, uint32_t *ret_index)
{
    uint32_t count = pool->large.chunk_count;

    for (uint32_t n = 0; n < count; n++) {
        uint32_t i = (home + n) % count;
        uint32_t *state = &pool->large.chunks[i].state;
        uint32_t expected = CAIRN_CHUNK_FREE;

        if (core_load_relaxed(state) != CAIRN_CHUNK_FREE)
            continue;
        /* Acquire pairs with the release of the reader, which is done with the bytes. */
        if (!core_compare_exchange_acquire(state, &expected, CAIRN_CHUNK_OWNED))
            continue;
        core_fetch_sub_relaxed(&pool->large.header->free_chunks, 1);
        *ret_index = i;
        return true;
    }
    return false;
}

/* Claims a small chunk of a large one that is divided already, and still is. */
static bool claim_of(struct engine_process_pool *pool, uint32_t large, uint32_t *ret_index)
{
    uint64_t all = engine_process_pool_all_small(pool);
    uint64_t *parts = &pool->large.chunks[large].taken;
    uint64_t taken = core_load_relaxed(parts);

    while (taken & ENGINE_SPLIT_MARK && taken & all) {
        uint64_t bit = (taken & all) & -(taken & all);

        /* Acquire pairs with the release in give_small: the reader is done with the bytes. */
        if (core_compare_exchange_acquire(parts, &taken, taken & ~bit)) {
            *ret_index = large * pool->small_chunks + (uint32_t)__builtin_ctzll(bit);
            return true;
        }
    }
    return false;
}

/* Divides a large chunk and returns its first part. */
static bool claim_by_dividing(struct engine_process_pool *pool, uint32_t *ret_index)
{
    struct cairn_chunk *chunk;
    uint32_t large;

    if (!claim_large(pool, 0, &large))
        return false;
    chunk = &pool->large.chunks[large];
    /* Release: a thread that claims a part sees that the reader is done with the bytes, as we
     * do. */
    core_store_release(&chunk->taken,
                       ENGINE_SPLIT_MARK | (engine_process_pool_all_small(pool) & ~UINT64_C(1)));
    /* Release: a thread that finds it divided finds its bits. */
    core_store_release(&chunk->state, CAIRN_CHUNK_SPLIT);
    *ret_index = large * pool->small_chunks;
    return true;
}

static bool claim_divided(struct engine_process_pool *pool, uint32_t *ret_index)
{
    bool claimed = false;

    for (uint32_t i = 0; i < pool->large.chunk_count && !claimed; i++) {
        if (core_load_acquire(&pool->large.chunks[i].state) == CAIRN_CHUNK_SPLIT)
            claimed = claim_of(pool, i, ret_index);
    }
    return claimed;
}

/* True if a chunk is free, or was just claimed by a thread that may be dividing it. */
static bool any_may_be_divided(const struct engine_process_pool *pool)
{
    for (uint32_t i = 0; i < pool->large.chunk_count; i++) {
        const struct cairn_chunk *chunk = &pool->large.chunks[i];
        uint32_t state = core_load_acquire(&chunk->state);

        if (state == CAIRN_CHUNK_FREE ||
            (state == CAIRN_CHUNK_OWNED && !core_load_relaxed(&chunk->sequence)))
            return true;
    }
    return false;
}

/* Another thread may divide the last free chunk after we searched for a part and before we search
 * for a whole one; then we search again. A thread that is preempted meanwhile is not waited for. */
static bool claim_small(struct engine_process_pool *pool, uint32_t *ret_index)
{
    bool claimed = false;
    bool look_again = true;

    for (uint32_t i = 0; look_again && !claimed && i < DIVIDING_TRIES; i++) {
        claimed = claim_divided(pool, ret_index);
        look_again = !claimed && any_may_be_divided(pool);
        claimed = claimed || claim_by_dividing(pool, ret_index);
    }
    if (!claimed)
        claimed = claim_divided(pool, ret_index);
    /* Nobody else accesses it before it has a sequence. */
    if (claimed)
        core_store_relaxed(&pool->small.chunks[*ret_index].state, CAIRN_CHUNK_OWNED);
    return claimed;
}

bool engine_process_pool_claim(struct engine_process_pool *pool, bool large, uint32_t home,
                               uint32_t size_bytes, struct cairn_pool **ret_view,
                               uint32_t *ret_index)
{
    int32_t free_chunks = (int32_t)core_load_relaxed(&pool->large.header->free_chunks);
    bool fits_small = pool->small.chunk_count > 0 &&
                      size_bytes <= pool->small.chunk_bytes - CAIRN_POOL_SLACK_BYTES;

    *ret_view = &pool->large;
    if ((!fits_small ||
         (large && free_chunks > (int32_t)(pool->large.chunk_count / QUIET_SHARE))) &&
        claim_large(pool, home, ret_index))
        return true;
    if (fits_small && claim_small(pool, ret_index)) {
        *ret_view = &pool->small;
        return true;
    }
    return false;
}
