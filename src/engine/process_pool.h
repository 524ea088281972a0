/* SPDX-License-Identifier: MIT */
/*
 * The pool of a process for one session: a pool of cairn/kernel/pool.h whose chunks can be divided.
 *
 * A large chunk is filled by a busy thread; its descriptor is in the pool. A small chunk is an
 * equal part of a large one, with a descriptor of its own in a table before the pool; quiet threads
 * have small chunks.
 *
 * A large chunk that is divided has the state CAIRN_CHUNK_SPLIT, and in `taken` ENGINE_SPLIT_MARK
 * and a bit for each of its small chunks that is free: a writer claims one by clearing its bit.
 * When all bits are set, the reader makes it a large chunk again. The mark is cleared in the same
 * step, so a writer that has an outdated view of the chunk claims nothing.
 *
 * Chunk numbers: first the large ones that the session may use, then the small ones.
 */
#ifndef ENGINE_PROCESS_POOL_H
#define ENGINE_PROCESS_POOL_H

#include "core/pool.h"
#include "core/private_api.h"
#include "engine/abi.h"

/* Every small chunk's bit is in the lower half of a word. */
#define ENGINE_SMALL_CHUNKS_MAX 32u

/* `taken` of a large chunk that a writer fills is its sequence, which never grows so large. */
#define ENGINE_SPLIT_MARK (UINT64_C(1) << 63)

/* One side's view: its geometry was checked once. */
struct engine_process_pool {
    struct cairn_pool large;
    struct cairn_pool small; /* the same data; no chunks where large ones are not divided */
    uint32_t small_chunks;   /* of a large chunk */
    uint32_t all_chunks;     /* large ones, also those that the session may not use */
};

/* The bits of all small chunks of a divided one. */
static inline uint64_t engine_process_pool_all_small(const struct engine_process_pool *pool)
{
    return (UINT64_C(1) << pool->small_chunks) - 1;
}

/* Bytes of a pool of this shape with its table, which takes *ret_table_bytes of them. */
size_t engine_process_pool_size(uint32_t chunk_bytes, uint32_t chunk_count, uint32_t small_chunks,
                                uint32_t *ret_table_bytes);

/*
 * Makes a view of the pool in `memory`, whose table takes table_bytes. All of it is checked.
 * Returns 0; EBADMSG it is not a pool, or its sizes disagree.
 */
int engine_process_pool_attach(void *memory, size_t size_bytes, uint32_t table_bytes,
                               struct engine_process_pool *ret_pool);

/*
 * Claims a chunk for a record of size_bytes: a large one if `large` is set and there are enough,
 * otherwise a small one. Large ones are looked for from number `home` on, small ones from the first
 * on. Then *ret_view and *ret_index name it, for core_writer_own. False: none
 * is free. Any thread, any signal handler.
 */
bool engine_process_pool_claim(struct engine_process_pool *pool, bool large, uint32_t home,
                               uint32_t size_bytes, struct cairn_pool **ret_view,
                               uint32_t *ret_index);

/* ---- reading ---- */

struct engine_process_pool_reader {
    struct engine_process_pool pool;
    uint64_t session; /* chunks of other sessions are given back unread */
    uint32_t count;   /* of chunks, of both kinds */
    uint32_t *consumed;
    uint32_t *order;
    uint64_t *keys;
    uint32_t *merged_order; /* memory for sorting those: a scan may exchange them */
    uint64_t *merged_keys;
    /* Events that writers have filtered; of each chunk: how many of them it had at the last look,
     * and in which use. */
    uint64_t filtered;
    uint32_t *seen_filtered;
    uint64_t *seen_sequence;
    uint8_t *held; /* of each chunk: it was copied to its end, and is not to be freed yet */
};

/* Returns 0 or ENOMEM. To be freed in any case; a reader of zeros may be. */
int engine_process_pool_reader_open(struct engine_process_pool_reader *reader,
                                    const struct engine_process_pool *pool, uint64_t session)
    CORE_PRIVATE_API(engine_process_pool_reader_open);
void engine_process_pool_reader_close(struct engine_process_pool_reader *reader)
    CORE_PRIVATE_API(engine_process_pool_reader_close);

/* Finds the chunks that may have something new, puts their numbers into reader->order in the order
 * in which they were claimed, and returns how many they are. */
uint32_t engine_process_pool_scan(struct engine_process_pool_reader *reader)
    CORE_PRIVATE_API(engine_process_pool_scan);

/* The descriptor of a chunk. */
struct cairn_chunk *engine_process_pool_chunk(const struct engine_process_pool *pool,
                                              uint32_t chunk)
    CORE_PRIVATE_API(engine_process_pool_chunk);

/* A copy of a descriptor that may change meanwhile. */
struct cairn_chunk engine_process_pool_copy_chunk(const struct cairn_chunk *chunk)
    CORE_PRIVATE_API(engine_process_pool_copy_chunk);

/* As core_pool_take. */
uint32_t engine_process_pool_take(struct engine_process_pool_reader *reader, uint32_t chunk,
                                  void *to) CORE_PRIVATE_API(engine_process_pool_take);

/* The same, but the chunk is not freed. False in *ret_is_held: there may be more in it later;
 * otherwise the caller frees it by engine_process_pool_free. */
uint32_t engine_process_pool_copy(struct engine_process_pool_reader *reader, uint32_t chunk,
                                  void *to, bool *ret_is_held)
    CORE_PRIVATE_API(engine_process_pool_copy);
void engine_process_pool_free(struct engine_process_pool_reader *reader, uint32_t chunk)
    CORE_PRIVATE_API(engine_process_pool_free);

/* Completes the freeing of chunks in which another reader was killed: of large ones; one that was
 * small is left. */
void engine_process_pool_mend(struct engine_process_pool_reader *reader)
    CORE_PRIVATE_API(engine_process_pool_mend);

/* True if the thread that owns a chunk has ended, by its number in the pid namespace of the
 * caller: if another thread has the number now, it counts as living. For a pool of that
 * namespace. */
bool engine_chunk_owner_is_dead(const struct cairn_chunk *chunk, void *unused)
    CORE_PRIVATE_API(engine_chunk_owner_is_dead);

/* Takes chunks back from threads that `is_dead` says have ended, by the sequence, pid, tid and
 * owner of a copy of the descriptor: what they committed is read as that of a chunk that was given
 * away. */
void engine_process_pool_take_back(struct engine_process_pool_reader *reader,
                                   bool (*is_dead)(const struct cairn_chunk *chunk, void *arg),
                                   void *arg) CORE_PRIVATE_API(engine_process_pool_take_back);

#endif
