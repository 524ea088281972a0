/* SPDX-License-Identifier: MIT */
/* Blocks of record bytes, reference-counted. */
#include "perf_data/block.h"

#include <stdlib.h>
#include <string.h>

static struct cairn_block *block_take(struct cairn_block_pool *pool)
{
    struct cairn_block *block = pool->spare;

    if (block)
        pool->spare = block->next;
    else
        block = aligned_alloc(CAIRN_BLOCK_BYTES, CAIRN_BLOCK_BYTES);
    if (!block)
        return NULL;
    *block = (struct cairn_block){.references = 1};
    pool->in_use++;
    return block;
}

void cairn_block_release(struct cairn_block_pool *pool, struct cairn_block *block)
{
    if (!block || --block->references)
        return;
    block->next = pool->spare;
    pool->spare = block;
    pool->in_use--;
}

uint8_t *cairn_window_room(struct cairn_block_pool *pool, struct cairn_window *window, size_t want,
                           uint64_t offset, size_t *ret_room)
{
    struct cairn_block *old = window->block;
    size_t used = old ? (size_t)(window->at + window->left - old->bytes) : CAIRN_BLOCK_ROOM;

    if (CAIRN_BLOCK_ROOM - used < want) {
        struct cairn_block *block = block_take(pool);

        if (!block)
            return NULL;
        block->offset = offset;
        if (window->left)
            memcpy(block->bytes, window->at, window->left);
        window->block = block;
        window->at = block->bytes;
        used = window->left;
        cairn_block_release(pool, old);
    }
    *ret_room = CAIRN_BLOCK_ROOM - used;
    return window->block->bytes + used;
}

void cairn_block_pool_free(struct cairn_block_pool *pool)
{
    while (pool->spare) {
        struct cairn_block *next = pool->spare->next;

        free(pool->spare);
        pool->spare = next;
    }
}
