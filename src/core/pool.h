/* SPDX-License-Identifier: MIT */
/*
 * Writing and reading a pool (cairn/kernel/pool.h): the ring of one CPU in a kernel, and the buffer
 * of one family of programs for one session. Freestanding; nothing here allocates.
 */
#ifndef CORE_POOL_H
#define CORE_POOL_H

#include "core/private_api.h"

#include <cairn/kernel/pool.h>

/* ---- shape ---- */

/* True if a pool can have this shape: chunks of whole pages, sizes and numbers within the limits.
 */
bool core_pool_shape_is_sane(uint32_t chunk_bytes, uint32_t chunk_count);

/* The size of a pool of this shape. */
size_t core_pool_size(uint32_t chunk_bytes, uint32_t chunk_count);

/* The offset of chunk number `chunk` from the start of the pool. */
size_t core_pool_chunk_offset(const struct cairn_pool *pool, uint32_t chunk);

/*
 * Makes an empty pool in memory of core_pool_size() bytes that holds zeros.
 * Returns 0; EINVAL a shape outside the limits.
 */
int core_pool_format(void *memory, uint32_t chunk_bytes, uint32_t chunk_count, uint64_t session,
                     uint32_t pid, struct cairn_pool *ret_pool);

/*
 * Attaches to a pool that another process made. Everything in it is checked before use. Returns 0;
 * EBADMSG not a pool, another version, or an invalid size.
 */
int core_pool_attach(void *memory, size_t size_bytes, struct cairn_pool *ret_pool);

/* ---- writing ---- */

/*
 * A writer that loses events searches for a chunk once per this many events, even if the reader has
 * freed none: a chunk may have been backed with memory.
 */
#define CORE_POOL_STARVED_TRIES 1024u

/* The slow path of core_pool_reserve: releases the full chunk and claims another. */
void *core_pool_reserve_slow(struct cairn_pool *pool, struct cairn_writer *writer,
                             const struct cairn_writer_name *name, uint32_t size_bytes);

/*
 * Reserves memory for a record of size_bytes (a multiple of 8, at most CAIRN_RECORD_MAX_BYTES and
 * the size of a chunk). Returns NULL if the event is lost, which is counted. Nothing is visible to
 * the reader before core_pool_commit; a reservation that is not committed is reused.
 */
static inline void *core_pool_reserve(struct cairn_pool *pool, struct cairn_writer *writer,
                                      const struct cairn_writer_name *name, uint32_t size_bytes)
{
    if (cairn_likely((size_t)(writer->end - writer->next) >= size_bytes))
        return writer->next;
    return core_pool_reserve_slow(pool, writer, name, size_bytes);
}

/* Makes the record just written visible. */
static inline void core_pool_commit(struct cairn_writer *writer, uint32_t size_bytes)
{
    cairn_i_pool_commit(writer, writer->next, size_bytes);
}

/* Assigns chunk number `index`, which the caller has claimed, to the writer: it is empty. */
void core_writer_own(struct cairn_pool *pool, struct cairn_writer *writer,
                     const struct cairn_writer_name *name, uint32_t index);

/* Releases the writer's chunk, when its context ends. The writer can be used again. */
void core_writer_close(struct cairn_writer *writer);

/* ---- reading ---- */

struct core_pool_reader {
    struct cairn_pool pool;
    uint32_t *consumed; /* bytes already read, of each chunk: chunk_count of the caller's, zeroed */
    uint32_t *order;    /* chunks that may have something new, oldest first: chunk_count of them */
    uint64_t *keys;     /* and their sequences: chunk_count of the caller's */
};

/* Finds the chunks in use, puts them into reader->order and returns how many they are. */
uint32_t core_pool_scan(struct core_pool_reader *reader);

/*
 * Copies new records of a chunk, if any, to `to` (at least chunk_bytes long) and frees the chunk
 * when it is ready and read to its end. Returns the number of bytes. The bytes are untrusted: check
 * each record with cairn_record_check.
 */
uint32_t core_pool_take(struct core_pool_reader *reader, uint32_t chunk, void *to);

/* The number of events that this pool's writers have lost so far. */
uint64_t core_pool_lost(const struct cairn_pool *pool) CORE_PRIVATE_API(core_pool_lost);

/* As core_pool_take, but the chunk is not freed. */
uint32_t core_pool_copy(struct core_pool_reader *reader, uint32_t chunk, void *to);

#endif
