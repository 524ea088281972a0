/* SPDX-License-Identifier: MIT */
/* Creating a pool in its range, allocating memory of chunks, ending its use. */
#include "core/atomic.h"
#include "core/pool.h"
#include "engine/descriptors.h"
#include "engine/loss.h"
#include "engine/pool_assign.h"
#include "engine/pool_range.h"
#include "engine/doorbell.h"
#include "os/file.h"
#include "os/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- the file ---- */

int engine_pool_file_open(int directory, const char *name, int *ret_fd,
                          struct engine_pool_file **ret_file)
{
    struct engine_pool_file *file = NULL;
    void *memory;
    struct stat st;
    int error;
    int fd;

    if (strchr(name, '/')) /* a process file may contain any name, also one outside the directory */
        return EBADMSG;
    fd = openat(directory, name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        return errno;
    error = fstat(fd, &st) ? errno : 0;
    if (!error && (!S_ISREG(st.st_mode) || st.st_size < (off_t)ENGINE_POOL_FILE_BYTES))
        error = EBADMSG;
    if (!error)
        error = os_memory_map(fd, 0, ENGINE_POOLS_OFFSET, &memory);
    if (!error)
        file = memory;
    /* Pairs with the release of the process that created it. */
    if (!error && (core_load_acquire(&file->magic) != ENGINE_POOL_FILE_MAGIC ||
                   file->version != ENGINE_REGISTRY_VERSION)) {
        os_memory_unmap(file, ENGINE_POOLS_OFFSET);
        error = EBADMSG;
    }
    if (error) {
        close(fd);
        return error;
    }
    *ret_fd = fd;
    *ret_file = file;
    return 0;
}

void engine_pool_file_close(int fd, struct engine_pool_file *file)
{
    os_memory_unmap(file, ENGINE_POOLS_OFFSET);
    close(fd);
}

void engine_pool_file_remove(const struct engine_registry *local, int directory, const char *name,
                             const struct engine_pool_file *file)
{
    for (uint32_t i = 0; i < ENGINE_SESSION_MAX; i++) {
        uint64_t session = core_load_relaxed(&file->ranges[i].session);

        if (session && session == core_load_relaxed(&local->slots[i].generation))
            return;
    }
    (void)unlinkat(directory, name, 0);
}

/* ---- a range of it ---- */

static int map_range(int fd, const struct engine_pool_range *range, void **ret_memory)
{
    if (!engine_pool_range_is_sane(range))
        return EBADMSG;
    return os_memory_map(fd, range->offset, range->size_bytes, ret_memory);
}

int engine_pool_range_map(int fd, const struct engine_pool_range *range, void **ret_memory,
                          struct engine_process_pool *ret_pool)
{
    struct stat st;
    void *memory = NULL;
    int error;

    /* Everything before the data has memory: the file does not end before it. */
    if (fstat(fd, &st) || !engine_pool_range_is_sane(range) ||
        (uint64_t)st.st_size < range->offset + range->table_bytes + CAIRN_POOL_HEADER_BYTES)
        return EBADMSG;
    error = map_range(fd, range, &memory);
    if (error)
        return error;
    error = engine_process_pool_attach(memory, range->size_bytes, range->table_bytes, ret_pool);
    if (error) {
        os_memory_unmap(memory, range->size_bytes);
        return error;
    }
    *ret_memory = memory;
    return 0;
}

/* ---- memory of chunks ---- */

static uint64_t data_offset(const struct engine_pool_range *range,
                            const struct engine_process_pool *pool, uint32_t chunk)
{
    return range->offset + (uint64_t)(pool->large.data - (uint8_t *)pool->large.header) +
           range->table_bytes + (uint64_t)chunk * pool->large.chunk_bytes;
}

uint32_t engine_pool_range_back(int fd, const struct engine_pool_range *range,
                                struct engine_process_pool *pool, uint32_t chunks, int *ret_error)
{
    uint32_t done = 0;

    *ret_error = 0;
    for (uint32_t i = 0; i < pool->large.chunk_count && done < chunks; i++) {
        uint32_t *state = &pool->large.chunks[i].state;

        if (core_load_relaxed(state) != CAIRN_CHUNK_BARE)
            continue;
        *ret_error = os_file_back(fd, data_offset(range, pool, i), pool->large.chunk_bytes);
        if (*ret_error)
            break;
        /* Pairs with the acquire of a claim: the memory comes first. */
        core_store_release(state, CAIRN_CHUNK_FREE);
        core_fetch_add_relaxed(&pool->large.header->free_chunks, 1);
        done++;
    }
    return done;
}

static void take_memory(int fd, const struct engine_pool_range *range,
                        const struct engine_process_pool *pool, uint32_t chunk)
{
    os_file_release(fd, data_offset(range, pool, chunk), pool->large.chunk_bytes);
}

/* ---- beginning and ending a session's use ---- */

/* A chunk that a thread owns is left to it; all others are reset. */
static void clear_chunk(struct cairn_chunk *chunk, uint32_t state)
{
    core_store_relaxed(&chunk->sequence, 0);
    core_store_relaxed(&chunk->committed, 0);
    core_store_release(&chunk->state, state);
}

/* Takes back the parts of a divided chunk. True: no thread held a part of it, and none can be
 * claimed any more. A late writer of the session that has ended may claim parts concurrently:
 * only parts that were released are taken from it. */
static bool clear_small(struct engine_process_pool *pool, uint32_t large)
{
    uint64_t *taken = &pool->large.chunks[large].taken;
    uint64_t all = ENGINE_SPLIT_MARK | engine_process_pool_all_small(pool);
    uint64_t free_parts = 0;

    for (uint32_t i = 0; i < pool->small_chunks; i++) {
        struct cairn_chunk *chunk = &pool->small.chunks[large * pool->small_chunks + i];

        if (core_load_acquire(&chunk->state) != CAIRN_CHUNK_READY)
            continue;
        clear_chunk(chunk, CAIRN_CHUNK_FREE);
        free_parts |= UINT64_C(1) << i;
    }
    (void)core_or_fetch_release(taken, free_parts);
    return core_compare_exchange_acquire(taken, &all, 0);
}

static void clear(int fd, const struct engine_pool_range *range, struct engine_process_pool *pool)
{
    for (uint32_t i = 0; i < pool->large.chunk_count; i++) {
        struct cairn_chunk *chunk = &pool->large.chunks[i];
        uint32_t state = core_load_acquire(&chunk->state);

        if (state == CAIRN_CHUNK_BARE || state == CAIRN_CHUNK_OWNED ||
            (state == CAIRN_CHUNK_SPLIT && (!pool->small_chunks || !clear_small(pool, i))))
            continue;
        /* A late writer of the session that has ended may claim it concurrently. */
        if (!core_compare_exchange_acquire(&chunk->state, &state, CAIRN_CHUNK_OWNED))
            continue;
        core_store_relaxed(&chunk->taken, 0);
        clear_chunk(chunk, CAIRN_CHUNK_BARE);
        take_memory(fd, range, pool, i); /* last: a death in it leaves a chunk that can be used */
    }
    core_store_relaxed(&pool->large.header->free_chunks, 0);
}

void engine_pool_range_retire(int fd, struct engine_pool_file *file, uint32_t slot)
{
    struct engine_pool_range range = file->ranges[slot];
    struct engine_process_pool pool;
    void *memory;

    core_store_release(&file->ranges[slot].session, 0);
    if (!range.size_bytes || engine_pool_range_map(fd, &range, &memory, &pool))
        return;
    pool.large.chunk_count = pool.all_chunks;
    clear(fd, &range, &pool);
    os_memory_unmap(memory, range.size_bytes);
}

/* The chunks that the session may use, and memory for the first of them. `range` is a private copy:
 * its owner may change the file at any time. */
static int start(int fd, const struct engine_pool_range *range,
                 const struct engine_pool_shape *shape, uint64_t session, size_t first_bytes)
{
    struct engine_process_pool pool;
    uint32_t first = (uint32_t)(first_bytes / shape->chunk_bytes);
    uint32_t backed;
    void *memory;
    int error = engine_pool_range_map(fd, range, &memory, &pool);

    if (error)
        return error;
    if (shape->usable_chunks > pool.all_chunks) {
        os_memory_unmap(memory, range->size_bytes);
        return EBADMSG;
    }
    pool.large.header->session = session;
    engine_pool_losses_begin(pool.large.header, session);
    core_store_relaxed(&pool.large.header->usable_chunks, shape->usable_chunks);
    pool.large.chunk_count = shape->usable_chunks;
    backed = engine_pool_range_back(fd, range, &pool, first ? first : 1, &error);
    os_memory_unmap(memory, range->size_bytes);
    return backed ? 0 : error;
}

static int make(const struct engine_session_slot *slot, int fd, struct engine_pool_file *file,
                uint32_t number, size_t first_bytes)
{
    struct engine_pool_range range;
    struct engine_pool_shape shape = {
        .chunk_bytes = core_load_relaxed(&slot->chunk_bytes),
        .usable_chunks = core_load_relaxed(&slot->chunk_count),
        .small_chunks = core_load_relaxed(&slot->small_chunks),
    };
    int error;

    if (!core_pool_shape_is_sane(shape.chunk_bytes, shape.usable_chunks) ||
        shape.small_chunks > ENGINE_SMALL_CHUNKS_MAX)
        return EINVAL;
    error = engine_pool_assign(fd, file, number, &shape, slot->generation);
    if (error)
        return error;
    range = file->ranges[number];
    return start(fd, &range, &shape, slot->generation, first_bytes);
}

/* Pairs with the acquire in engine_pool_range_copy: the description of the pool comes first. */
static void publish(const struct engine_registry *local, struct engine_pool_range *range,
                    uint32_t slot, int error)
{
    core_store_release(&range->error, (uint32_t)error);
    core_store_release(&range->session, local->slots[slot].generation);
    core_fetch_add_release(&local->registry->pools, 1);
    engine_doorbell_ring(&local->slots[slot]);
}

void engine_pool_range_refuse(const struct engine_registry *local, struct engine_pool_file *file,
                              uint32_t slot, int error)
{
    publish(local, &file->ranges[slot], slot, error);
}

int engine_pool_range_provide(const struct engine_registry *local, int fd,
                              struct engine_pool_file *file, uint32_t slot, size_t first_bytes)
{
    const struct engine_session_slot *s = &local->slots[slot];
    struct engine_pool_range *range = &file->ranges[slot];
    int error;

    if (range->session == s->generation && !range->error)
        return 0;
    if (range->session && range->session != s->generation)
        engine_pool_range_retire(fd, file, slot);
    error = make(s, fd, file, slot, first_bytes);
    /* Without more memory for descriptors, records are larger. */
    (void)engine_descriptors_back(fd, engine_pool_file_table(file), ENGINE_TABLE_FIRST_BYTES);
    publish(local, range, slot, error);
    return error;
}

bool engine_pool_range_copy(const struct engine_pool_file *file, uint32_t slot, uint64_t session,
                            struct engine_pool_range *ret_range)
{
    const struct engine_pool_range *range = &file->ranges[slot];

    /* Both pair with the releases in engine_pool_range_provide: after an error it may create the
     * pool later, and clears the error last. */
    if (core_load_acquire(&range->session) != session)
        return false;
    ret_range->session = session;
    ret_range->error = core_load_acquire(&range->error);
    ret_range->offset = core_load_relaxed(&range->offset);
    ret_range->size_bytes = core_load_relaxed(&range->size_bytes);
    ret_range->table_bytes = core_load_relaxed(&range->table_bytes);
    /* The slot is another session's now: the copy may be a mixture. */
    core_fence_acquire();
    return core_load_relaxed(&range->session) == session;
}
