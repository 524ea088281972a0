/* SPDX-License-Identifier: MIT */
/* Blocks of record bytes, reference-counted. */
#include "perf_data/block.h"

#include <stdlib.h>
#include <string.h>

static struct perf_data_block *block_take(struct perf_data_block_pool *pool)
{
    struct perf_data_block *block = pool->spare;

    if (block)
        pool->spare = block->next;
    else
        block = aligned_alloc(PERF_DATA_BLOCK_BYTES, PERF_DATA_BLOCK_BYTES);
    if (!block)
        return NULL;
    *block = (struct perf_data_block){.references = 1};
    pool->in_use++;
    return block;
}

void perf_data_block_release(struct perf_data_block_pool *pool, struct perf_data_block *block)
{
    if (!block || --block->references)
        return;
    block->next = pool->spare;
    pool->spare = block;
    pool->in_use--;
}

uint8_t *perf_data_window_room(struct perf_data_block_pool *pool, struct perf_data_window *window,
                               size_t want, uint64_t offset, size_t *ret_room)
{
    struct perf_data_block *old = window->block;
    size_t used = old ? (size_t)(window->at + window->left - old->bytes) : PERF_DATA_BLOCK_ROOM;

    if (PERF_DATA_BLOCK_ROOM - used < want) {
        struct perf_data_block *block = block_take(pool);

        if (!block)
            return NULL;
        block->offset = offset;
        if (window->left)
            memcpy(block->bytes, window->at, window->left);
        window->block = block;
        window->at = block->bytes;
        used = window->left;
        perf_data_block_release(pool, old);
    }
    *ret_room = PERF_DATA_BLOCK_ROOM - used;
    return window->block->bytes + used;
}

void perf_data_block_pool_free(struct perf_data_block_pool *pool)
{
    while (pool->spare) {
        struct perf_data_block *next = pool->spare->next;

        free(pool->spare);
        pool->spare = next;
    }
}
