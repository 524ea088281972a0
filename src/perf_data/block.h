/* SPDX-License-Identifier: MIT */
/*
 * Blocks: memory of record bytes that are not in a mapped file, read from a pipe or decompressed.
 *
 * A block is aligned to its size, so the block of a record is found from the record's address. It
 * is reference-counted: one reference for the window that fills it, one for each record that waits
 * to be returned in order.
 */
#ifndef PERF_DATA_BLOCK_H
#define PERF_DATA_BLOCK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define CAIRN_BLOCK_BYTES (1u << 20)

struct cairn_block {
    struct cairn_block *next; /* list of spare blocks */
    size_t references;
    uint64_t offset; /* of its bytes in the file */
    bool unpacked;   /* decompressed: all its records have the position `offset` */
    uint8_t bytes[];
};

#define CAIRN_BLOCK_ROOM (CAIRN_BLOCK_BYTES - offsetof(struct cairn_block, bytes))

/* All zeros is an empty pool. */
struct cairn_block_pool {
    struct cairn_block *spare;
    size_t in_use; /* number of blocks */
};

/* The part of a block that was filled and not yet read. All zeros is an empty one. */
struct cairn_window {
    struct cairn_block *block;
    uint8_t *at;
    size_t left;
};

static inline struct cairn_block *cairn_block_of(const uint8_t *data)
{
    return (struct cairn_block *)((uintptr_t)data & ~((uintptr_t)CAIRN_BLOCK_BYTES - 1));
}

/* The position of a record of the block in the file. */
static inline uint64_t cairn_block_offset(const struct cairn_block *block, const uint8_t *data)
{
    return block->offset + (block->unpacked ? 0 : (uint64_t)(data - block->bytes));
}

/* Releases a reference. Accepts NULL. */
void cairn_block_release(struct cairn_block_pool *pool, struct cairn_block *block);

/*
 * Reserves space after the rest of the window, in a new block if necessary.
 *
 * want       at least so many bytes, at most half a block
 * offset     of the first byte left, or of the first to come, in the file
 * ret_room   the number of bytes
 *
 * Returns the address of the first byte, or NULL: no memory.
 */
uint8_t *cairn_window_room(struct cairn_block_pool *pool, struct cairn_window *window, size_t want,
                           uint64_t offset, size_t *ret_room);

void cairn_block_pool_free(struct cairn_block_pool *pool);

#endif
