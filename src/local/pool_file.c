/* SPDX-License-Identifier: MIT */
/* A traced process makes its pools: a file each, with memory behind what is used of it. */
#include "local/engine.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

/* A full file system must say so here: touching memory that cannot be had would kill the program.
 */
static int back_range(const char *name, size_t offset, size_t size_bytes)
{
    int fd = cairn_directory_open(&cairn_i_engine.local.directory, name, O_RDWR);
    int error = fd < 0 ? errno : cairn_file_back(fd, offset, size_bytes);

    if (fd >= 0)
        close(fd);
    return error;
}

/* Called in the middle of a write, the chunk being ours: with the lock for what the lock keeps
 * away, signals, cancellation and changes of errno. */
static bool back_chunk(struct cairn_pool *pool, uint32_t chunk)
{
    struct cairn_process_pool *mine = pool->back_data;
    size_t offset = cairn_pool_chunk_offset(pool, chunk);
    cairn_engine_guard guard;

    if (mine->backed[chunk])
        return true;
    cairn_engine_lock(&guard);
    mine->back_error = back_range(mine->name, offset, pool->chunk_bytes);
    mine->backed[chunk] = !mine->back_error;
    if (mine->backed[chunk])
        (void)madvise((uint8_t *)pool->header + offset, pool->chunk_bytes, MADV_POPULATE_WRITE);
    cairn_engine_unlock(&guard);
    return mine->backed[chunk];
}

static void remove_file(const char *name)
{
    char path[CAIRN_PATH_MAX + 96];

    (void)snprintf(path, sizeof(path), "%s/%s", cairn_i_engine.local.directory.path, name);
    (void)unlink(path);
}

/* Header and descriptors; chunks get their memory when they are first claimed. */
static int map_pool(const char *name, size_t size_bytes, size_t head_bytes, void **ret_memory)
{
    int fd = cairn_directory_open(&cairn_i_engine.local.directory, name, O_RDWR | O_CREAT | O_EXCL);
    void *memory = MAP_FAILED;
    int error;

    if (fd < 0)
        return errno;
    error = cairn_file_back(fd, 0, head_bytes);
    if (!error)
        error = cairn_file_extend(fd, size_bytes);
    if (!error) {
        memory = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
        error = memory == MAP_FAILED ? errno : 0;
    }
    close(fd);
    if (error) {
        remove_file(name); /* or it would be in the way for ever */
        return error;
    }
    /* A forked child has no business in its parent's buffers. */
    (void)madvise(memory, size_bytes, MADV_DONTFORK);
    *ret_memory = memory;
    return 0;
}

/* Named SESSION.PID.NUMBER, after the process's own file: its lock tells whether the writer lives.
 */
static void name_pool(struct cairn_process_pool *mine)
{
    const char *process = strchr(cairn_i_engine.process_name, '/');

    (void)snprintf(mine->name, sizeof(mine->name), "pools/%" PRIu64 ".%s", mine->session,
                   process ? process + 1 : "");
}

/* The slot may hold anything: its shape is read once and checked before it costs memory. */
static int make_pool(struct cairn_process_pool *mine, const struct cairn_session_slot *slot)
{
    uint32_t chunk_bytes = __atomic_load_n(&slot->chunk_bytes, __ATOMIC_RELAXED);
    uint32_t chunk_count = __atomic_load_n(&slot->chunk_count, __ATOMIC_RELAXED);
    struct cairn_pool shape = {.chunk_count = chunk_count, .chunk_bytes = chunk_bytes};
    void *memory = NULL;
    int error;

    if (!cairn_pool_shape_is_sane(chunk_bytes, chunk_count))
        return EINVAL;
    mine->size_bytes = cairn_pool_size(chunk_bytes, chunk_count);
    name_pool(mine);
    error = map_pool(mine->name, mine->size_bytes, cairn_pool_chunk_offset(&shape, 0), &memory);
    if (error)
        return error;
    (void)cairn_pool_format(memory, chunk_bytes, chunk_count, mine->session,
                            cairn_i_engine.process->pid, &mine->pool);
    mine->pool.back = back_chunk;
    mine->pool.back_data = mine;
    return 0;
}

/* Whoever ended the session meanwhile has looked for its pools already, and not seen this one. */
static bool has_ended(const struct cairn_process_pool *mine, uint32_t slot)
{
    return __atomic_load_n(&cairn_i_engine.local.slots[slot].generation, __ATOMIC_ACQUIRE) !=
           mine->session;
}

/* Anonymous memory, not the program's heap: a signal handler may be the first to write. */
static struct cairn_process_pool *new_pool(uint32_t slot, uint64_t session, int *ret_error)
{
    struct cairn_process_pool *mine =
        mmap(NULL, sizeof(*mine), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    *ret_error = mine == MAP_FAILED ? errno : 0;
    if (*ret_error)
        return NULL;
    mine->session = session;
    mine->references = 1;
    *ret_error = make_pool(mine, &cairn_i_engine.local.slots[slot]);
    if (*ret_error) {
        munmap(mine, sizeof(*mine));
        return NULL;
    }
    if (has_ended(mine, slot)) {
        remove_file(mine->name);
        cairn_engine_drop_pool(mine);
        return NULL;
    }
    __atomic_fetch_add(&cairn_i_engine.local.registry->pools, 1, __ATOMIC_RELEASE);
    return mine;
}

struct cairn_process_pool *cairn_engine_pool(uint32_t slot, uint64_t session, int *ret_error)
{
    struct cairn_process_pool **place = &cairn_i_engine.pools[slot];

    cairn_engine_check_process();
    if (*place && (*place)->session == session)
        return *place;
    if (*place)
        cairn_engine_drop_pool(*place);
    *ret_error = ESRCH; /* a child that could not make its process file */
    *place = cairn_i_engine.process ? new_pool(slot, session, ret_error) : NULL;
    return *place;
}

void cairn_engine_drop_pool(struct cairn_process_pool *mine)
{
    if (--mine->references)
        return;
    munmap(mine->pool.header, mine->size_bytes);
    munmap(mine, sizeof(*mine));
}
