/* SPDX-License-Identifier: MIT */
/* Memory for one event: blocks, of which a normal event needs one. */
#include "exchange/arena.h"

#include <stdalign.h>
#include <stdlib.h>

#define BLOCK_BYTES ((size_t)64 * 1024)

struct exchange_arena_block {
    struct exchange_arena_block *before;
    size_t size_bytes;
    alignas(max_align_t) char memory[];
};

static void use(struct exchange_arena *arena, struct exchange_arena_block *block)
{
    arena->at = block->memory;
    arena->left = block->size_bytes;
}

static int add_block(struct exchange_arena *arena, size_t size_bytes)
{
    size_t space = size_bytes > BLOCK_BYTES ? size_bytes : BLOCK_BYTES;
    struct exchange_arena_block *block =
        (struct exchange_arena_block *)malloc(sizeof(*block) + space);

    if (!block)
        return -1;
    block->before = arena->blocks;
    block->size_bytes = space;
    arena->blocks = block;
    use(arena, block);
    return 0;
}

void *exchange_arena_take(struct exchange_arena *arena, size_t size_bytes)
{
    void *taken;

    size_bytes = (size_bytes + alignof(max_align_t) - 1) & ~(alignof(max_align_t) - 1);
    if (arena->left < size_bytes && add_block(arena, size_bytes))
        return NULL;
    taken = arena->at;
    arena->at += size_bytes;
    arena->left -= size_bytes;
    return taken;
}

void exchange_arena_reset(struct exchange_arena *arena)
{
    while (arena->blocks && arena->blocks->before) {
        struct exchange_arena_block *before = arena->blocks->before;

        free(arena->blocks);
        arena->blocks = before;
    }
    if (arena->blocks)
        use(arena, arena->blocks);
}

void exchange_arena_free(struct exchange_arena *arena)
{
    exchange_arena_reset(arena);
    free(arena->blocks);
    *arena = (struct exchange_arena){0};
}
