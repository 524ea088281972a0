/* SPDX-License-Identifier: MIT */
/* Where the bytes of a perf.data come from: a mapped file, memory, or a stream that is read once.
 */
#ifndef PERF_DATA_SOURCE_H
#define PERF_DATA_SOURCE_H

#include "perf_data/block.h"
#include "perf_data/keep.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct cairn_source {
    const uint8_t *map; /* the whole file, or NULL: a stream */
    size_t map_bytes;
    bool own_map;               /* to be unmapped */
    uint64_t paged_in;          /* so many bytes of it were asked for */
    int fd;                     /* of a stream */
    bool own_fd;                /* to be closed */
    uint64_t offset;            /* of the next byte in the file */
    uint64_t end;               /* reading ends there; UINT64_MAX in a stream */
    struct cairn_window window; /* of a stream */
};

/*
 * The next size_bytes bytes, at most CAIRN_RECORD_LIMIT_BYTES, in one piece, not taken yet. They
 * stay until the next call; as long as their block is referenced, or the map is there, for longer.
 *
 * Returns 0; ENODATA the end is here; EBADMSG the end comes in the middle of them; ENOMEM; or what
 * read said.
 */
int cairn_source_peek(struct cairn_source *source, struct cairn_block_pool *pool, size_t size_bytes,
                      const uint8_t **ret_data);

/* Brings in the pages of the map that come next. */
void cairn_source_page_in(struct cairn_source *source);

/* Takes what was peeked. */
static inline void cairn_source_take(struct cairn_source *source, size_t size_bytes)
{
    source->offset += size_bytes;
    if (source->map) {
        if (source->offset >= source->paged_in && source->own_map)
            cairn_source_page_in(source);
    } else {
        source->window.at += size_bytes;
        source->window.left -= size_bytes;
    }
}

/* Takes size_bytes bytes, any number, and forgets them. Codes as peek. */
int cairn_source_skip(struct cairn_source *source, struct cairn_block_pool *pool,
                      uint64_t size_bytes);

/*
 * Takes size_bytes bytes, any number, to stay until the source is closed and `keep` is freed.
 * Memory is asked for as the bytes come, not as the number promises. Codes as peek.
 */
int cairn_source_collect(struct cairn_source *source, struct cairn_block_pool *pool,
                         struct cairn_keep *keep, uint64_t size_bytes, const uint8_t **ret_data);

/* The block in which record bytes stand, or NULL: they are in the map. */
static inline struct cairn_block *cairn_source_block_of(const struct cairn_source *source,
                                                        const uint8_t *data)
{
    bool mapped = (uintptr_t)data - (uintptr_t)source->map < source->map_bytes;

    return mapped ? NULL : cairn_block_of(data);
}

/* Record bytes stay until their block is released. Returns the block, or NULL: nothing to do. */
static inline struct cairn_block *cairn_source_hold(const struct cairn_source *source,
                                                    const uint8_t *data)
{
    struct cairn_block *block = cairn_source_block_of(source, data);

    if (block)
        block->references++;
    return block;
}

/* What was peeked, to stay like what is collected. Returns NULL: no memory. */
static inline const uint8_t *cairn_source_keep(const struct cairn_source *source,
                                               struct cairn_keep *keep, const uint8_t *data,
                                               size_t size_bytes)
{
    return source->map ? data
                       : (const uint8_t *)cairn_keep_text(keep, (const char *)data, size_bytes);
}

/* Maps the file of an open descriptor. Returns 0; what fstat or mmap said. */
int cairn_source_map(struct cairn_source *source, int fd);

/* Copies the rest of a stream to a temporary file and maps that. Returns 0; what the system said.
 */
int cairn_source_spool(struct cairn_source *source, struct cairn_block_pool *pool);

void cairn_source_close(struct cairn_source *source, struct cairn_block_pool *pool);

#endif
