/* SPDX-License-Identifier: MIT */
/* The layout of a pool's memory: header, descriptors, chunks. */
#include "core/atomic.h"
#include "core/errno.h"

#include "core/pool.h"

static size_t data_offset(uint32_t chunk_count)
{
    size_t table = (size_t)chunk_count * sizeof(struct cairn_chunk);

    return CAIRN_POOL_HEADER_BYTES + ((table + 4095u) & ~(size_t)4095u);
}

bool core_pool_shape_is_sane(uint32_t chunk_bytes, uint32_t chunk_count)
{
    return chunk_bytes >= CAIRN_POOL_CHUNK_MIN_BYTES && chunk_bytes <= CAIRN_POOL_CHUNK_MAX_BYTES &&
           chunk_bytes % 4096u == 0 && chunk_count > 0 && chunk_count <= CAIRN_POOL_CHUNK_COUNT_MAX;
}

static struct cairn_pool view_of(void *memory, uint32_t chunk_bytes, uint32_t chunk_count)
{
    uint8_t *bytes = memory;

    return (struct cairn_pool){
        .header = memory,
        .chunks = (struct cairn_chunk *)(void *)(bytes + CAIRN_POOL_HEADER_BYTES),
        .data = bytes + data_offset(chunk_count),
        .chunk_bytes = chunk_bytes,
        .chunk_count = chunk_count,
    };
}

size_t core_pool_size(uint32_t chunk_bytes, uint32_t chunk_count)
{
    return data_offset(chunk_count) + (size_t)chunk_count * chunk_bytes;
}

size_t core_pool_chunk_offset(const struct cairn_pool *pool, uint32_t chunk)
{
    return data_offset(pool->chunk_count) + (size_t)chunk * pool->chunk_bytes;
}

int core_pool_format(void *memory, uint32_t chunk_bytes, uint32_t chunk_count, uint64_t session,
                     uint32_t pid, struct cairn_pool *ret_pool)
{
    struct cairn_pool_header *header = memory;

    if (!core_pool_shape_is_sane(chunk_bytes, chunk_count))
        return EINVAL;
    header->version = CAIRN_POOL_VERSION;
    header->header_bytes = sizeof(*header);
    header->chunk_bytes = chunk_bytes;
    header->chunk_count = chunk_count;
    header->session = session;
    header->pid = pid;
    /* Pairs with the acquire in core_pool_attach: the magic comes last. */
    core_store_release(&header->magic, CAIRN_POOL_MAGIC);
    *ret_pool = view_of(memory, chunk_bytes, chunk_count);
    return 0;
}

int core_pool_attach(void *memory, size_t size_bytes, struct cairn_pool *ret_pool)
{
    struct cairn_pool_header *header = memory;
    uint32_t chunk_bytes;
    uint32_t chunk_count;

    if (size_bytes < CAIRN_POOL_HEADER_BYTES ||
        core_load_acquire(&header->magic) != CAIRN_POOL_MAGIC)
        return EBADMSG;
    chunk_bytes = core_load_relaxed(&header->chunk_bytes);
    chunk_count = core_load_relaxed(&header->chunk_count);
    if (header->version != CAIRN_POOL_VERSION || header->header_bytes != sizeof(*header) ||
        !core_pool_shape_is_sane(chunk_bytes, chunk_count) ||
        core_pool_size(chunk_bytes, chunk_count) > size_bytes)
        return EBADMSG;
    *ret_pool = view_of(memory, chunk_bytes, chunk_count);
    return 0;
}
