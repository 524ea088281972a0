/* SPDX-License-Identifier: MIT */
/* Positions of pools in a pool file. */
#include "engine/pool_assign.h"
#include "core/atomic.h"
#include "core/pool.h"
#include "engine/pool_range.h"
#include "os/file.h"
#include "os/memory.h"

#include <errno.h>

static struct engine_pool_range range_of(const struct engine_pool_spare *spare)
{
    return (struct engine_pool_range){.offset = spare->offset,
                                      .size_bytes = (uint64_t)spare->size_pages * ENGINE_PAGE_BYTES,
                                      .table_bytes = spare->table_bytes};
}

static uint64_t later_end(const struct engine_pool_range *range, uint64_t end)
{
    return range->size_bytes && engine_pool_range_is_sane(range) &&
                   range->offset + range->size_bytes > end
               ? range->offset + range->size_bytes
               : end;
}

/* Returns the end of the last range: ranges are never moved, and never overlap. */
static uint64_t end_of_ranges(const struct engine_pool_file *file)
{
    uint64_t end = ENGINE_POOLS_OFFSET;

    for (uint32_t i = 0; i < ENGINE_SESSION_MAX; i++)
        end = later_end(&file->ranges[i], end);
    for (uint32_t i = 0; i < ENGINE_POOL_SPARES; i++) {
        struct engine_pool_range range = range_of(&file->spares[i]);

        end = later_end(&range, end);
    }
    return end;
}

/* A larger pool than requested serves the next session that requests more; one that does not fit
 * into the process's mapping is made smaller. Returns its chunks; 0: no space. */
static uint32_t assign(const struct engine_pool_file *file, const struct engine_pool_shape *shape,
                       struct engine_pool_range *ret_range)
{
    struct engine_pool_range range = {.offset = end_of_ranges(file)};
    uint32_t chunks = 1;

    while (chunks < shape->usable_chunks)
        chunks *= 2;
    for (; chunks; chunks /= 2) {
        range.size_bytes = engine_process_pool_size(shape->chunk_bytes, chunks, shape->small_chunks,
                                                    &range.table_bytes);
        if (range.offset + range.size_bytes <= file->mapped_bytes)
            break;
    }
    *ret_range = range;
    return chunks;
}

static int format(int fd, const struct engine_pool_range *range,
                  const struct engine_pool_shape *shape, uint32_t chunks, uint64_t session,
                  uint32_t pid)
{
    struct cairn_pool pool;
    void *memory;
    /* Table, header and descriptors, but not the data. */
    size_t head_bytes = range->size_bytes - (size_t)chunks * shape->chunk_bytes;
    int error = os_file_back(fd, range->offset, head_bytes);

    if (error)
        return error;
    error = os_memory_map(fd, range->offset, range->size_bytes, &memory);
    if (error)
        return error;
    error = core_pool_format((uint8_t *)memory + range->table_bytes, shape->chunk_bytes, chunks,
                             session, pid, &pool);
    for (uint32_t i = 0; !error && i < chunks; i++)
        pool.chunks[i].state = CAIRN_CHUNK_BARE;
    if (!error)
        pool.header->small_chunks = shape->small_chunks;
    os_memory_unmap(memory, range->size_bytes);
    return error;
}

/* Returns the number of chunks of an earlier session's pool; 0: it has another shape. */
static uint32_t chunks_there(int fd, const struct engine_pool_range *range,
                             const struct engine_pool_shape *shape)
{
    struct engine_process_pool pool;
    uint32_t chunks = 0;
    void *memory;

    if (!range->size_bytes || engine_pool_range_map(fd, range, &memory, &pool))
        return 0;
    if (pool.large.chunk_bytes == shape->chunk_bytes && pool.small_chunks == shape->small_chunks)
        chunks = pool.all_chunks;
    os_memory_unmap(memory, range->size_bytes);
    return chunks;
}

/* ---- ranges that no slot has ---- */

/* Returns an unused element for a spare; ENGINE_POOL_SPARES: there is none. */
static uint32_t free_spare(const struct engine_pool_file *file)
{
    uint32_t i = 0;

    while (i < ENGINE_POOL_SPARES && file->spares[i].size_pages)
        i++;
    return i;
}

static void add_spare(struct engine_pool_file *file, const struct engine_pool_range *range)
{
    uint32_t spare = free_spare(file);

    if (!range->size_bytes || spare == ENGINE_POOL_SPARES)
        return;
    file->spares[spare] = (struct engine_pool_spare){
        .offset = range->offset,
        .size_pages = (uint32_t)(range->size_bytes / ENGINE_PAGE_BYTES),
        .table_bytes = range->table_bytes,
    };
}

/* A build without spares may have created a pool there. */
static bool is_taken(const struct engine_pool_file *file, const struct engine_pool_range *spare)
{
    for (uint32_t i = 0; i < ENGINE_SESSION_MAX; i++) {
        const struct engine_pool_range *range = &file->ranges[i];

        if (range->size_bytes && range->offset < spare->offset + spare->size_bytes &&
            spare->offset < range->offset + range->size_bytes)
            return true;
    }
    return false;
}

/* Finds the smallest spare of a shape with at least this many chunks. Returns the number of chunks;
 * 0: none. */
static uint32_t find_spare(int fd, const struct engine_pool_file *file,
                           const struct engine_pool_shape *shape, uint32_t least_chunks,
                           uint32_t *ret_spare)
{
    uint32_t best = 0;

    for (uint32_t i = 0; i < ENGINE_POOL_SPARES; i++) {
        struct engine_pool_range range = range_of(&file->spares[i]);
        uint32_t chunks =
            range.size_bytes && !is_taken(file, &range) ? chunks_there(fd, &range, shape) : 0;

        if (chunks < least_chunks || !chunks || (best && chunks >= best))
            continue;
        best = chunks;
        *ret_spare = i;
    }
    return best;
}

static void take_spare(struct engine_pool_file *file, uint32_t spare,
                       struct engine_pool_range *ret_range)
{
    *ret_range = range_of(&file->spares[spare]);
    file->spares[spare] = (struct engine_pool_spare){0};
}

/* Returns a range for a shape: a spare or a new one. Makes the shape smaller if there is no
 * space for all of it. ENOMEM: it would have no more chunks than those that exist. */
static int find_range(int fd, struct engine_pool_file *file, struct engine_pool_shape *shape,
                      uint32_t there, uint64_t session, struct engine_pool_range *ret_range)
{
    uint32_t placed = 0;
    uint32_t spare;
    uint32_t chunks = find_spare(fd, file, shape, shape->usable_chunks, &spare);
    int error = 0;

    if (!chunks) {
        placed = assign(file, shape, ret_range);
        if (placed < shape->usable_chunks)
            chunks = find_spare(fd, file, shape, (placed > there ? placed : there) + 1, &spare);
    }
    if (chunks)
        take_spare(file, spare, ret_range);
    else if (placed <= there)
        error = ENOMEM;
    else
        error = format(fd, ret_range, shape, placed, session, file->pid);
    chunks = chunks ? chunks : placed;
    if (shape->usable_chunks > chunks)
        shape->usable_chunks = chunks;
    return error;
}

int engine_pool_assign(int fd, struct engine_pool_file *file, uint32_t slot,
                       struct engine_pool_shape *shape, uint64_t session)
{
    struct engine_pool_range *range = &file->ranges[slot];
    const struct engine_pool_range former = *range; /* its owner may change it at any time */
    uint32_t there = chunks_there(fd, &former, shape);
    struct engine_pool_range found;
    int error;

    if (there >= shape->usable_chunks)
        return 0;
    if (former.size_bytes && free_spare(file) == ENGINE_POOL_SPARES)
        return ENOMEM;
    error = find_range(fd, file, shape, there, session, &found);
    if (error == ENOMEM && there) { /* a smaller pool than requested */
        shape->usable_chunks = there;
        return 0;
    }
    if (error)
        return error;
    add_spare(file, &former);
    core_store_relaxed(&range->offset, found.offset);
    core_store_relaxed(&range->table_bytes, found.table_bytes);
    core_store_relaxed(&range->size_bytes, found.size_bytes);
    return 0;
}
