/* SPDX-License-Identifier: MIT */
/* The pool file of this process. */
#include "core/atomic.h"
#include "core/pool.h"
#include "engine/engine.h"
#include "engine/pool_range.h"
#include "os/file.h"
#include "os/memory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

/* Address space for the pools of all current and later sessions. It takes no memory. */
#define MAPPED_BYTES     ((size_t)256 << 20)
#define MAPPED_MIN_BYTES (2 * ENGINE_POOLS_OFFSET)

/* It is named after the process's own file. */
static void name_file(void)
{
    struct engine *e = &engine_self;
    const char *process = strchr(e->process_name, '/');

    (void)snprintf(e->pool_name, sizeof(e->pool_name), "%s", process ? process + 1 : "");
}

static int open_file(int flags)
{
    char path[80];

    (void)snprintf(path, sizeof(path), "pools/%s", engine_self.pool_name);
    return engine_directory_open(&engine_self.local.directory, path, O_RDWR | flags);
}

/* A session may want a larger buffer than usual. */
static size_t mapping_size(const struct engine_registry *local)
{
    size_t size = MAPPED_BYTES;

    for (uint32_t i = 0; i < ENGINE_SESSION_MAX; i++) {
        const struct engine_session_slot *slot = &local->slots[i];
        uint32_t table;

        if (slot->generation && core_pool_shape_is_sane(slot->chunk_bytes, slot->chunk_count))
            size += 2 * engine_process_pool_size(slot->chunk_bytes, slot->chunk_count,
                                                 slot->small_chunks % (ENGINE_SMALL_CHUNKS_MAX + 1),
                                                 &table);
    }
    return sizeof(void *) < 8 ? size / 8 : size;
}

/* Near a limit of the address space, smaller mappings are tried. */
static int map_file(int fd, size_t *size_bytes, void **ret_memory)
{
    int error = ENOMEM;

    for (; error == ENOMEM && *size_bytes >= MAPPED_MIN_BYTES; *size_bytes /= 2) {
        error = os_memory_map_ahead(fd, *size_bytes, ret_memory);
        if (!error)
            return 0;
        *size_bytes &= ~(size_t)(2 * ENGINE_PAGE_BYTES - 1);
    }
    return error;
}

int engine_make_pool_file(void)
{
    struct engine *e = &engine_self;
    size_t size_bytes = mapping_size(&e->local);
    struct engine_pool_file *file;
    void *memory;
    int error;
    int fd;

    name_file();
    fd = open_file(O_CREAT | O_EXCL);
    error = fd < 0 ? errno : os_file_back(fd, 0, ENGINE_POOL_FILE_BYTES);
    if (!error)
        error = map_file(fd, &size_bytes, &memory);
    if (fd >= 0)
        close(fd);
    if (error)
        return error;
    file = memory;
    file->version = ENGINE_REGISTRY_VERSION;
    file->pid = e->pid;
    file->pid_namespace = e->process->pid_namespace;
    file->mapped_bytes = size_bytes;
    *engine_pool_file_table(file) = (struct engine_descriptor_table){
        .used_units = ENGINE_TABLE_HEAD_UNITS,
        .backed_units = ENGINE_PAGE_BYTES / ENGINE_DESCRIPTOR_UNIT,
    };
    /* Pairs with the acquire in engine_pool_file_open. */
    core_store_release(&file->magic, ENGINE_POOL_FILE_MAGIC);
    e->pool_file = file;
    memcpy(e->process->pool_name, e->pool_name, sizeof(e->pool_name));
    return 0;
}

static bool is_provided(uint32_t slot)
{
    const struct engine_pool_range *range = &engine_self.pool_file->ranges[slot];
    const struct engine_session_slot *s = &engine_self.local.slots[slot];
    uint64_t session = s->generation;

    /* The recorder that takes the place of a killed one makes the pools that are missing. */
    if (s->flags & ENGINE_SESSION_KEPT && !core_load_relaxed(&s->status_bit))
        return true;
    return !session || (range->session == session && !range->error);
}

/* The process's first event of the session takes no page fault in what it accesses: the first small
 * chunks' descriptors, the header, those of large chunks, and the beginning of the first chunk. */
static void touch(uint32_t slot)
{
    struct engine_process_pool pool;
    uint8_t *start;

    if (engine_find_pool(slot, engine_self.local.slots[slot].generation, &pool))
        return;
    start = (uint8_t *)pool.large.header;
    os_memory_touch(pool.small.chunks, ENGINE_PAGE_BYTES);
    os_memory_touch(start, (size_t)(pool.large.data - start) + ENGINE_PAGE_BYTES);
}

void engine_provide_pools(uint64_t sessions)
{
    struct engine *e = &engine_self;
    int fd = -1;
    int error = 0;

    for (; sessions; sessions &= sessions - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(sessions);

        if (is_provided(slot))
            continue;
        if (fd < 0 && !error) {
            fd = open_file(0);
            error = fd < 0 ? errno : 0;
        }
        if (error) /* its recorder creates the pool */
            engine_pool_range_refuse(&e->local, e->pool_file, slot, error);
        else if (!engine_pool_range_provide(&e->local, fd, e->pool_file, slot,
                                            ENGINE_POOL_FIRST_BYTES))
            touch(slot);
    }
    if (fd >= 0)
        close(fd);
}

/* ---- without the lock ---- */

int engine_find_pool(uint32_t slot, uint64_t session, struct engine_process_pool *ret_pool)
{
    struct engine_pool_file *file = engine_self.pool_file;
    struct engine_pool_range range;

    if (!engine_pool_range_copy(file, slot, session, &range))
        return EACCES;
    if (range.error)
        return (int)range.error;
    if (range.offset % ENGINE_PAGE_BYTES || range.offset < ENGINE_POOLS_OFFSET ||
        range.size_bytes > file->mapped_bytes ||
        range.offset > file->mapped_bytes - range.size_bytes)
        return EBADMSG;
    return engine_process_pool_attach((uint8_t *)file + range.offset, range.size_bytes,
                                      range.table_bytes, ret_pool);
}

bool engine_has_written(uint32_t slot)
{
    uint64_t session = engine_self.local.slots[slot].generation;
    struct engine_process_pool pool;

    return session && engine_self.pool_file && !engine_find_pool(slot, session, &pool) &&
           core_load_relaxed(&pool.large.header->last_sequence);
}
