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

#define PERF_DATA_BLOCK_BYTES (1u << 20)

struct perf_data_block {
    struct perf_data_block *next; /* list of spare blocks */
    size_t references;
    uint64_t offset; /* of its bytes in the file */
    bool unpacked;   /* decompressed: all its records have the position `offset` */
    uint8_t bytes[];
};

#define PERF_DATA_BLOCK_ROOM (PERF_DATA_BLOCK_BYTES - offsetof(struct perf_data_block, bytes))

/* All zeros is an empty pool. */
struct perf_data_block_pool {
    struct perf_data_block *spare;
    size_t in_use; /* number of blocks */
};

/* The part of a block that was filled and not yet read. All zeros is an empty one. */
struct perf_data_window {
    struct perf_data_block *block;
    uint8_t *at;
    size_t left;
};

static inline struct perf_data_block *perf_data_block_of(const uint8_t *data)
{
    return (struct perf_data_block *)((uintptr_t)data & ~((uintptr_t)PERF_DATA_BLOCK_BYTES - 1));
}

/* The position of a record of the block in the file. */
static inline uint64_t perf_data_block_offset(const struct perf_data_block *block,
                                              const uint8_t *data)
{
    return block->offset + (block->unpacked ? 0 : (uint64_t)(data - block->bytes));
}

/* Releases a reference. Accepts NULL. */
void perf_data_block_release(struct perf_data_block_pool *pool, struct perf_data_block *block);

/*
 * Reserves space after the rest of the window, in a new block if necessary.
 *
 * want       the minimum of bytes, at most half a block
 * offset     of the first byte left, or of the first to come, in the file
 * ret_room   the number of bytes
 *
 * Returns the address of the first byte, or NULL: no memory.
 */
uint8_t *perf_data_window_room(struct perf_data_block_pool *pool, struct perf_data_window *window,
                               size_t want, uint64_t offset, size_t *ret_room);

void perf_data_block_pool_free(struct perf_data_block_pool *pool);

#endif
