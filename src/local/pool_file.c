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
static bool back_range(const char *name, size_t offset, size_t size_bytes)
{
    int fd = cairn_directory_open(&cairn_i_engine.local.directory, name, O_RDWR);
    int error = fd < 0 ? errno : posix_fallocate(fd, (off_t)offset, (off_t)size_bytes);

    if (fd >= 0)
        close(fd);
    return !error;
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
    mine->backed[chunk] = back_range(mine->name, offset, pool->chunk_bytes);
    if (mine->backed[chunk])
        (void)madvise((uint8_t *)pool->header + offset, pool->chunk_bytes, MADV_POPULATE_WRITE);
    cairn_engine_unlock(&guard);
    return mine->backed[chunk];
}

/* Header and descriptors; chunks get their memory when they are first claimed. */
static void *map_pool(const char *name, size_t size_bytes, size_t head_bytes)
{
    int fd = cairn_directory_open(&cairn_i_engine.local.directory, name, O_RDWR | O_CREAT | O_EXCL);
    void *memory = MAP_FAILED;

    if (fd < 0)
        return NULL;
    if (!posix_fallocate(fd, 0, (off_t)head_bytes) && !ftruncate(fd, (off_t)size_bytes))
        memory = mmap(NULL, size_bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    close(fd);
    if (memory == MAP_FAILED)
        return NULL;
    /* A forked child has no business in its parent's buffers. */
    (void)madvise(memory, size_bytes, MADV_DONTFORK);
    return memory;
}

/* Named SESSION.PID.NUMBER, after the process's own file: its lock tells whether the writer lives.
 */
static void name_pool(struct cairn_process_pool *mine)
{
    const char *process = strchr(cairn_i_engine.process_name, '/');

    (void)snprintf(mine->name, sizeof(mine->name), "pools/%" PRIu64 ".%s", mine->session,
                   process ? process + 1 : "");
}

static int make_pool(struct cairn_process_pool *mine, const struct cairn_session_slot *slot)
{
    uint32_t chunk_bytes = slot->chunk_bytes;
    uint32_t chunk_count = slot->chunk_count;
    struct cairn_pool shape = {.chunk_count = chunk_count, .chunk_bytes = chunk_bytes};
    void *memory;
    int error;

    mine->size_bytes = cairn_pool_size(chunk_bytes, chunk_count);
    name_pool(mine);
    memory = map_pool(mine->name, mine->size_bytes, cairn_pool_chunk_offset(&shape, 0));
    if (!memory)
        return errno;
    error = cairn_pool_format(memory, chunk_bytes, chunk_count, mine->session,
                              cairn_i_engine.process->pid, &mine->pool);
    if (error) {
        munmap(memory, mine->size_bytes);
        return error;
    }
    mine->pool.back = back_chunk;
    mine->pool.back_data = mine;
    return 0;
}

/* Anonymous memory, not the program's heap: a signal handler may be the first to write. */
static struct cairn_process_pool *new_pool(uint32_t slot, uint64_t session)
{
    struct cairn_process_pool *mine =
        mmap(NULL, sizeof(*mine), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);

    if (mine == MAP_FAILED)
        return NULL;
    mine->session = session;
    mine->references = 1;
    if (make_pool(mine, &cairn_i_engine.local.slots[slot])) {
        munmap(mine, sizeof(*mine));
        return NULL;
    }
    __atomic_fetch_add(&cairn_i_engine.local.registry->pools, 1, __ATOMIC_RELEASE);
    return mine;
}

struct cairn_process_pool *cairn_engine_pool(uint32_t slot, uint64_t session)
{
    struct cairn_process_pool **place = &cairn_i_engine.pools[slot];

    cairn_engine_check_process();
    if (*place && (*place)->session == session)
        return *place;
    if (*place)
        cairn_engine_drop_pool(*place);
    *place = cairn_i_engine.process ? new_pool(slot, session) : NULL;
    return *place;
}

void cairn_engine_drop_pool(struct cairn_process_pool *mine)
{
    if (--mine->references)
        return;
    munmap(mine->pool.header, mine->size_bytes);
    munmap(mine, sizeof(*mine));
}
