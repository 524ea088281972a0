/* SPDX-License-Identifier: MIT */
/* Memory for spans. A thread takes blocks from its own pool without atomics. A thread that frees
 * another thread's block adds it to that pool's list of returned blocks, which the owner takes as a
 * whole. Pools are never freed: the pool of a thread that has ended is used by the next thread. */
#include "core/atomic.h"
#include "tracing/span.h"

#include "tracing/registry.h"
#include "tracing/thread.h"

#include <stdlib.h>
#include <string.h>

#define BLOCKS_AT_ONCE 16u

struct tracing_span_pool {
    struct cairn_span *free;
    struct cairn_span *returned; /* by other threads */
    struct tracing_span_pool *next_idle;
};

/* Blocks that were allocated together, which follow it. They are never freed. */
struct tracing_span_blocks {
    struct tracing_span_blocks *next;
    uint64_t reserved[7]; /* blocks begin with a cache line */
};

static struct tracing_span_blocks *all_blocks;

static struct tracing_span_pool *idle; /* protected by the registry's lock */

static struct tracing_span_pool *find_pool(void)
{
    struct tracing_span_pool *pool;

    tracing_registry_lock();
    pool = idle;
    if (pool)
        idle = pool->next_idle;
    tracing_registry_unlock();
    return pool ? pool : calloc(1, sizeof(*pool));
}

void tracing_span_pool_leave(struct tracing_span_pool *pool)
{
    if (!pool)
        return;
    tracing_registry_lock();
    pool->next_idle = idle;
    idle = pool;
    tracing_registry_unlock();
}

static struct cairn_span *block_at(struct tracing_span_blocks *blocks, uint32_t i)
{
    return (struct cairn_span *)((char *)(blocks + 1) + (size_t)i * TRACING_SPAN_BLOCK_BYTES);
}

static struct tracing_span_blocks *make_blocks(void)
{
    struct tracing_span_blocks *blocks =
        calloc(1, sizeof(*blocks) + (size_t)BLOCKS_AT_ONCE * TRACING_SPAN_BLOCK_BYTES);

    if (!blocks)
        return NULL;
    blocks->next = core_load_relaxed(&all_blocks);
    while (!core_compare_exchange_release(&all_blocks, &blocks->next, blocks))
        ;
    return blocks;
}

static void refill(struct tracing_span_pool *pool)
{
    struct tracing_span_blocks *blocks;

    /* Pairs with the release in give: a thread that frees a block has finished with it. */
    pool->free = core_exchange_acquire(&pool->returned, NULL);
    if (pool->free)
        return;
    blocks = make_blocks();
    for (uint32_t i = 0; blocks && i < BLOCKS_AT_ONCE; i++) {
        struct cairn_span *span = block_at(blocks, i);

        span->next_free = pool->free;
        pool->free = span;
    }
}

struct cairn_span *tracing_span_pool_take(struct tracing_thread *thread)
{
    struct cairn_span *span;

    if (!thread->pool)
        thread->pool = find_pool();
    if (!thread->pool)
        return NULL;
    if (!thread->pool->free)
        refill(thread->pool);
    span = thread->pool->free;
    if (!span)
        return NULL;
    thread->pool->free = span->next_free;
    /* Others may look at the number of holders, which is 0. */
    memset(&span->tid, 0, sizeof(*span) - offsetof(struct cairn_span, tid));
    span->pool = thread->pool;
    return span;
}

void tracing_span_pool_give(struct cairn_span *span)
{
    struct tracing_span_pool *pool = span->pool;

    if (tracing_thread_self && tracing_thread_self->pool == pool) {
        span->next_free = pool->free;
        pool->free = span;
        return;
    }
    span->next_free = core_load_relaxed(&pool->returned);
    while (!core_compare_exchange_release(&pool->returned, &span->next_free, span))
        ;
}

/* False: the block is free, or its span is not complete. */
static bool try_to_hold(struct cairn_span *span)
{
    uint32_t holders = core_load_relaxed(&span->holders);

    while (holders)
        if (core_compare_exchange_acquire(&span->holders, &holders, holders + 1))
            return true;
    return false;
}

/* Calls a function for each open span; `drop` drops the reference that is held meanwhile. */
static inline void each_open(void (*each)(struct cairn_span *span, void *arg), void *arg,
                             void (*drop)(struct cairn_span *span))
{
    struct tracing_span_blocks *blocks = core_load_acquire(&all_blocks);

    for (; blocks; blocks = blocks->next) {
        for (uint32_t i = 0; i < BLOCKS_AT_ONCE; i++) {
            struct cairn_span *span = block_at(blocks, i);

            if (!try_to_hold(span))
                continue;
            each(span, arg);
            drop(span);
        }
    }
}

struct cairn_span *tracing_span_dropped;

/* The last reference is kept: ending a span would free memory and call other layers. */
static void drop(struct cairn_span *span)
{
    uint32_t holders = core_load_relaxed(&span->holders);

    while (holders > 1)
        if (core_compare_exchange_release(&span->holders, &holders, holders - 1))
            return;
    span->next_free = core_load_relaxed(&tracing_span_dropped);
    while (!core_compare_exchange_release(&tracing_span_dropped, &span->next_free, span))
        ;
}

void tracing_span_each(void (*each)(struct cairn_span *span, void *arg), void *arg)
{
    each_open(each, arg, drop);
}

void tracing_span_end_dropped(void)
{
    struct cairn_span *span = core_exchange_acquire(&tracing_span_dropped, NULL);

    while (span) {
        struct cairn_span *next = span->next_free;

        cairn_span_close(span);
        span = next;
    }
}

/* The call site of spans whose own one is no longer there. */
static const struct cairn_callsite unloaded_site = {
    .name = "", .target = "", .file = "", .kind = CAIRN_CALLSITE_SPAN, .is_known = true};

static void forget_site(struct cairn_span *span, void *arg)
{
    if (core_load_relaxed(&span->site)->object != arg)
        return;
    core_store_relaxed(&span->layers, 0);
    core_store_relaxed(&span->site, &unloaded_site);
}

void tracing_span_unload(struct cairn_i_tracing_object *object)
{
    each_open(forget_site, object, cairn_span_close);
}
