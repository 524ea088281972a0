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

static void refill(struct tracing_span_pool *pool)
{
    char *blocks;

    /* Pairs with the release in give: a thread that frees a block has finished with it. */
    pool->free = core_exchange_acquire(&pool->returned, NULL);
    if (pool->free)
        return;
    blocks = calloc(BLOCKS_AT_ONCE, TRACING_SPAN_BLOCK_BYTES);
    for (uint32_t i = 0; blocks && i < BLOCKS_AT_ONCE; i++) {
        struct cairn_span *span =
            (struct cairn_span *)(blocks + (size_t)i * TRACING_SPAN_BLOCK_BYTES);

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
    memset(span, 0, sizeof(*span));
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
