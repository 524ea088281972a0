/* SPDX-License-Identifier: MIT */
/* Memory for one event: blocks, of which a normal event needs one. */
#include "exchange/arena.h"

#include <stdalign.h>
#include <stdlib.h>

#define BLOCK_BYTES ((size_t)64 * 1024)

/* Blocks that are kept for what comes next: those of a batch of events. */
#define SPARE_MAX 64u

struct exchange_arena_block {
    struct exchange_arena_block *before;
    size_t size_bytes;
    alignas(max_align_t) char memory[];
};

static struct exchange_arena_block *take_block(struct exchange_arena *arena, size_t size_bytes)
{
    struct exchange_arena_block *block = arena->spare;

    if (block && size_bytes <= BLOCK_BYTES) {
        arena->spare = block->before;
        arena->spare_count--;
        return block;
    }
    size_bytes = size_bytes > BLOCK_BYTES ? size_bytes : BLOCK_BYTES;
    block = (struct exchange_arena_block *)malloc(sizeof(*block) + size_bytes);
    if (block)
        block->size_bytes = size_bytes;
    return block;
}

static int add_block(struct exchange_arena *arena, size_t size_bytes)
{
    struct exchange_arena_block *block = take_block(arena, size_bytes);

    if (!block)
        return -1;
    block->before = arena->blocks;
    arena->blocks = block;
    arena->at = block->memory;
    arena->left = block->size_bytes;
    return 0;
}

void *exchange_arena_take(struct exchange_arena *arena, size_t size_bytes)
{
    void *taken;

    size_bytes = (size_bytes + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    if ((!arena->blocks || arena->left < size_bytes) && add_block(arena, size_bytes))
        return NULL;
    taken = arena->at;
    arena->at += size_bytes;
    arena->left -= size_bytes;
    return taken;
}

void exchange_arena_reset(struct exchange_arena *arena)
{
    while (arena->blocks) {
        struct exchange_arena_block *block = arena->blocks;

        arena->blocks = block->before;
        if (block->size_bytes != BLOCK_BYTES || arena->spare_count == SPARE_MAX) {
            free(block);
            continue;
        }
        block->before = arena->spare;
        arena->spare = block;
        arena->spare_count++;
    }
    arena->left = 0;
}

void exchange_arena_free(struct exchange_arena *arena)
{
    exchange_arena_reset(arena);
    while (arena->spare) {
        struct exchange_arena_block *block = arena->spare;

        arena->spare = block->before;
        free(block);
    }
    *arena = (struct exchange_arena){0};
}
