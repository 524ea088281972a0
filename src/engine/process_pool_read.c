/* SPDX-License-Identifier: MIT */
/*
 * Reading a process's pool. Writers may be hostile or dead: every value from shared memory is read
 * once, checked, and only then used.
 */
#include "core/atomic.h"
#include "core/pool.h"
#include "engine/process_pool.h"
#include "os/thread.h"

#include <errno.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

int engine_process_pool_reader_open(struct engine_process_pool_reader *reader,
                                    const struct engine_process_pool *pool, uint64_t session)
{
    uint32_t count = pool->large.chunk_count + pool->small.chunk_count;

    *reader =
        (struct engine_process_pool_reader){.pool = *pool, .session = session, .count = count};
    reader->consumed = calloc(count + 1, sizeof(*reader->consumed));
    reader->order = calloc(count + 1, sizeof(*reader->order));
    reader->keys = calloc(count + 1, sizeof(*reader->keys));
    reader->merged_order = calloc(count + 1, sizeof(*reader->merged_order));
    reader->merged_keys = calloc(count + 1, sizeof(*reader->merged_keys));
    reader->seen_filtered = calloc(count + 1, sizeof(*reader->seen_filtered));
    reader->seen_sequence = calloc(count + 1, sizeof(*reader->seen_sequence));
    reader->held = calloc(count + 1, sizeof(*reader->held));
    return reader->consumed && reader->order && reader->keys && reader->merged_order &&
                   reader->merged_keys && reader->seen_filtered && reader->seen_sequence &&
                   reader->held
               ? 0
               : ENOMEM;
}

void engine_process_pool_reader_close(struct engine_process_pool_reader *reader)
{
    free(reader->consumed);
    free(reader->order);
    free(reader->keys);
    free(reader->merged_order);
    free(reader->merged_keys);
    free(reader->seen_filtered);
    free(reader->seen_sequence);
    free(reader->held);
    *reader = (struct engine_process_pool_reader){0};
}

struct cairn_chunk *engine_process_pool_chunk(const struct engine_process_pool *pool,
                                              uint32_t chunk)
{
    return chunk < pool->large.chunk_count ? &pool->large.chunks[chunk]
                                           : &pool->small.chunks[chunk - pool->large.chunk_count];
}

typedef uint64_t descriptor_word __attribute__((may_alias));

struct cairn_chunk engine_process_pool_copy_chunk(const struct cairn_chunk *chunk)
{
    uint64_t units[sizeof(*chunk) / sizeof(uint64_t)];
    const descriptor_word *from = (const void *)chunk;
    struct cairn_chunk copy;

    for (uint32_t i = 0; i < sizeof(units) / sizeof(*units); i++)
        units[i] = core_load_relaxed(&from[i]);
    memcpy(&copy, units, sizeof(copy));
    return copy;
}

/* Returns a reader for the view that contains a chunk. */
static struct core_pool_reader view_of(const struct engine_process_pool_reader *reader,
                                       uint32_t chunk, uint32_t *ret_index)
{
    uint32_t first_small = reader->pool.large.chunk_count;
    bool is_small = chunk >= first_small;

    *ret_index = is_small ? chunk - first_small : chunk;
    return (struct core_pool_reader){
        .pool = is_small ? reader->pool.small : reader->pool.large,
        .consumed = reader->consumed + (is_small ? first_small : 0),
    };
}

/* A small chunk is free again; with the last one of them the large one is. */
static void give_small(struct engine_process_pool_reader *reader, uint32_t index)
{
    struct engine_process_pool *pool = &reader->pool;
    struct cairn_chunk *large = &pool->large.chunks[index / pool->small_chunks];
    uint64_t bit = UINT64_C(1) << index % pool->small_chunks;
    uint64_t all = engine_process_pool_all_small(pool);
    uint64_t taken;

    /* Pairs with the acquire in claim_of. */
    taken = core_or_fetch_release(&large->taken, bit);
    if ((taken & all) != all || !core_compare_exchange_acquire(&large->taken, &taken, 0))
        return;
    core_store_release(&large->state, CAIRN_CHUNK_FREE);
    core_fetch_add_relaxed(&pool->large.header->free_chunks, 1);
}

/* A writer counts in its chunk the events that it has filtered. The count begins anew with each
 * use. */
static void count_filtered(struct engine_process_pool_reader *reader, uint32_t chunk,
                           const struct cairn_chunk *descriptor, uint64_t sequence)
{
    uint32_t filtered = core_load_relaxed(&descriptor->events);

    if (reader->seen_sequence[chunk] != sequence)
        reader->seen_filtered[chunk] = 0;
    reader->filtered += filtered - reader->seen_filtered[chunk];
    reader->seen_filtered[chunk] = filtered;
    reader->seen_sequence[chunk] = sequence;
}

uint32_t engine_process_pool_take(struct engine_process_pool_reader *reader, uint32_t chunk,
                                  void *to)
{
    const struct cairn_chunk *descriptor = engine_process_pool_chunk(&reader->pool, chunk);
    uint64_t *freed = &reader->pool.large.header->freed;
    uint64_t freed_before = core_load_relaxed(freed);
    uint32_t index;
    struct core_pool_reader view = view_of(reader, chunk, &index);
    uint32_t size_bytes;

    /* Pairs with the release of the writer: a chunk that is ready has its final count. It is freed
     * only if it was ready before that was read. */
    if (core_load_acquire(&descriptor->state) != CAIRN_CHUNK_READY)
        return core_pool_copy(&view, index, to);
    if (core_load_relaxed(&descriptor->session) == reader->session)
        count_filtered(reader, chunk, descriptor, core_load_relaxed(&descriptor->sequence));
    size_bytes = core_pool_take(&view, index, to);
    /* Only readers free chunks: if it became free, this call freed it. */
    if (core_load_relaxed(freed) == freed_before)
        return size_bytes;
    if (chunk >= reader->pool.large.chunk_count)
        give_small(reader, index);
    else
        core_fetch_add_relaxed(&reader->pool.large.header->free_chunks, 1);
    return size_bytes;
}

uint32_t engine_process_pool_copy(struct engine_process_pool_reader *reader, uint32_t chunk,
                                  void *to, bool *ret_is_held)
{
    const struct cairn_chunk *descriptor = engine_process_pool_chunk(&reader->pool, chunk);
    /* As in engine_process_pool_take: the state before the count. */
    bool is_ready = core_load_acquire(&descriptor->state) == CAIRN_CHUNK_READY;
    uint32_t index;
    struct core_pool_reader view = view_of(reader, chunk, &index);

    reader->held[chunk] = is_ready;
    *ret_is_held = is_ready;
    return core_pool_copy(&view, index, to);
}

/* Nothing is left to be copied. */
void engine_process_pool_free(struct engine_process_pool_reader *reader, uint32_t chunk)
{
    reader->held[chunk] = 0;
    reader->consumed[chunk] = UINT32_MAX;
    (void)engine_process_pool_take(reader, chunk, reader->merged_order);
}

/* The members of a chunk are cleared before its state: only a reader leaves it so. */
static bool is_half_free(const struct cairn_chunk *chunk)
{
    return core_load_acquire(&chunk->state) == CAIRN_CHUNK_READY &&
           !core_load_relaxed(&chunk->sequence);
}

void engine_process_pool_mend(struct engine_process_pool_reader *reader)
{
    struct engine_process_pool *pool = &reader->pool;

    for (uint32_t i = 0; i < reader->count; i++) {
        if (is_half_free(engine_process_pool_chunk(pool, i)))
            engine_process_pool_free(reader, i);
    }
    for (uint32_t i = 0; i < pool->large.chunk_count; i++) {
        struct cairn_chunk *large = &pool->large.chunks[i];

        if (core_load_acquire(&large->state) != CAIRN_CHUNK_SPLIT ||
            core_load_relaxed(&large->taken) & ENGINE_SPLIT_MARK)
            continue;
        core_store_release(&large->state, CAIRN_CHUNK_FREE);
        core_fetch_add_relaxed(&pool->large.header->free_chunks, 1);
    }
}

/* Releases a chunk that was filled for another session and passed on: no reader needs it any
 * more. */
static void drop_stale(struct engine_process_pool_reader *reader, uint32_t chunk, uint32_t state)
{
    if (state != CAIRN_CHUNK_READY)
        return;
    reader->consumed[chunk] = UINT32_MAX; /* nothing is left of it */
    (void)engine_process_pool_take(reader, chunk, reader->order);
}

static bool has_news(const struct engine_process_pool_reader *reader, uint32_t chunk,
                     const struct cairn_chunk *descriptor, uint32_t state)
{
    /* Acquire as in core_pool_take: a chunk that is owned is read when more was committed. */
    return (state == CAIRN_CHUNK_READY && !reader->held[chunk]) ||
           (state == CAIRN_CHUNK_OWNED &&
            core_load_acquire(&descriptor->committed) > reader->consumed[chunk]);
}

/* ---- in the order in which they were claimed ---- */

/* Returns the end of the run of ordered chunks that begins at `at`. */
static uint32_t end_of_run(const uint64_t *keys, uint32_t at, uint32_t count)
{
    if (at == count)
        return count;
    for (at++; at < count && keys[at - 1] <= keys[at]; at++)
        ;
    return at;
}

/* Merges two adjacent runs. */
static void merge(struct engine_process_pool_reader *reader, uint32_t first, uint32_t second,
                  uint32_t end)
{
    uint32_t second_begin = second;

    for (uint32_t to = first, from; to < end; to++) {
        bool is_first =
            first < second_begin && (second == end || reader->keys[first] <= reader->keys[second]);

        from = is_first ? first++ : second++;
        reader->merged_keys[to] = reader->keys[from];
        reader->merged_order[to] = reader->order[from];
    }
}

/* The chunks are read in the order of their positions. Chunks that were claimed in sequence are
 * mostly neighbours, so runs are long and few. */
static void sort(struct engine_process_pool_reader *reader, uint32_t count)
{
    while (end_of_run(reader->keys, 0, count) < count) {
        uint32_t *order = reader->order;
        uint64_t *keys = reader->keys;

        for (uint32_t at = 0, end; at < count; at = end) {
            uint32_t second = end_of_run(keys, at, count);

            end = end_of_run(keys, second, count);
            merge(reader, at, second, end);
        }
        reader->order = reader->merged_order;
        reader->keys = reader->merged_keys;
        reader->merged_order = order;
        reader->merged_keys = keys;
    }
}

/* ---- looking ---- */

/* The keys are read once: they may change. */
static uint32_t add(struct engine_process_pool_reader *reader, uint32_t count, uint32_t chunk,
                    uint64_t sequence)
{
    reader->keys[count] = sequence;
    reader->order[count] = chunk;
    return count + 1;
}

static uint32_t look_at(struct engine_process_pool_reader *reader, uint32_t count, uint32_t chunk,
                        uint64_t limit)
{
    const struct cairn_chunk *descriptor = engine_process_pool_chunk(&reader->pool, chunk);
    uint32_t state = core_load_acquire(&descriptor->state);
    uint64_t sequence = core_load_acquire(&descriptor->sequence);

    if (!sequence || sequence > limit)
        return count;
    if (core_load_relaxed(&descriptor->session) != reader->session) {
        drop_stale(reader, chunk, state);
        return count;
    }
    if (core_load_relaxed(&descriptor->events))
        count_filtered(reader, chunk, descriptor, sequence);
    return has_news(reader, chunk, descriptor, state) ? add(reader, count, chunk, sequence) : count;
}

static uint32_t look_at_small(struct engine_process_pool_reader *reader, uint32_t count,
                              uint32_t large, uint64_t limit)
{
    const struct engine_process_pool *pool = &reader->pool;
    uint64_t free_parts = core_load_relaxed(&pool->large.chunks[large].taken);
    uint32_t first = pool->large.chunk_count + large * pool->small_chunks;

    for (uint32_t i = 0; i < pool->small_chunks; i++) {
        if (!(free_parts >> i & 1))
            count = look_at(reader, count, first + i, limit);
    }
    return count;
}

/*
 * A thread that divides a chunk may be preempted before it has changed the state, when another one,
 * that has seen the chunk divided before, claims a part, fills it, and continues with a part of
 * another chunk: the first part must not be overlooked.
 */
static bool is_divided(const struct cairn_chunk *large, uint32_t state)
{
    return state == CAIRN_CHUNK_SPLIT ||
           (state == CAIRN_CHUNK_OWNED && core_load_relaxed(&large->taken) & ENGINE_SPLIT_MARK);
}

/* As in core_pool_scan, chunks that are claimed during the scan are left for the next one. */
uint32_t engine_process_pool_scan(struct engine_process_pool_reader *reader)
{
    /* Pairs with the release in claiming: what came before a claim below the limit is visible. */
    uint64_t limit = core_load_acquire(&reader->pool.large.header->last_sequence);
    uint32_t count = 0;

    for (uint32_t i = 0; i < reader->pool.large.chunk_count; i++) {
        const struct cairn_chunk *large = &reader->pool.large.chunks[i];
        uint32_t state = core_load_acquire(&large->state);

        if (reader->pool.small_chunks && is_divided(large, state))
            count = look_at_small(reader, count, i, limit);
        else if (state == CAIRN_CHUNK_OWNED || state == CAIRN_CHUNK_READY)
            count = look_at(reader, count, i, limit);
    }
    sort(reader, count);
    return count;
}

bool engine_chunk_owner_is_dead(const struct cairn_chunk *chunk, void *unused)
{
    (void)unused;
    return chunk->owner & CAIRN_OWNER_IS_KNOWN && chunk->pid && chunk->tid &&
           os_thread_has_ended(chunk->pid, chunk->tid);
}

void engine_process_pool_take_back(struct engine_process_pool_reader *reader,
                                   bool (*is_dead)(const struct cairn_chunk *chunk, void *arg),
                                   void *arg)
{
    for (uint32_t i = 0; i < reader->count; i++) {
        struct cairn_chunk *chunk = engine_process_pool_chunk(&reader->pool, i);
        uint32_t owned = CAIRN_CHUNK_OWNED;
        struct cairn_chunk copy;

        if (core_load_relaxed(&chunk->state) != CAIRN_CHUNK_OWNED ||
            !core_load_acquire(&chunk->sequence))
            continue;
        copy = engine_process_pool_copy_chunk(chunk);
        if (is_dead(&copy, arg))
            (void)core_compare_exchange_release(&chunk->state, &owned, CAIRN_CHUNK_READY);
    }
}
