/* SPDX-License-Identifier: MIT */
/*
 * The source of the bytes of a perf.data: a mapped file, memory, or a stream that is read once. /
 */
#ifndef PERF_DATA_SOURCE_H
#define PERF_DATA_SOURCE_H

#include "perf_data/block.h"
#include "perf_data/arena.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* Bytes of a file that were read. */
struct perf_data_piece {
    uint8_t *bytes;
    uint64_t at; /* their offset in the file */
    size_t size_bytes;
};

static inline bool perf_data_piece_has(const struct perf_data_piece *piece, uint64_t at,
                                       size_t size_bytes)
{
    return at - piece->at < piece->size_bytes && piece->size_bytes - (at - piece->at) >= size_bytes;
}

/* Bytes of a stream that were read, and are to be read again. All zeros: there are none. */
struct perf_data_returned {
    uint8_t *bytes;
    size_t size_bytes;
    size_t taken_bytes; /* of them: these were read again */
};

struct perf_data_source {
    const uint8_t *map; /* the whole file, or NULL: a stream */
    size_t map_bytes;
    bool own_map;    /* to be unmapped, and map_fd closed */
    bool is_paged;   /* pages of the map are those of a file: they are read ahead, and given back */
    bool has_map_fd; /* of the mapped file: what is read in order is read by it */
    int map_fd;      /* valid if has_map_fd */
    struct perf_data_piece *pieces; /* that were read by it, in turn */
    uint32_t piece_count;
    size_t piece_limit_bytes;
    struct perf_data_piece *ahead;  /* the last of them; NULL: the map is used */
    uint64_t paged_in;              /* at this offset more is populated, and given back */
    int fd;                         /* of a stream */
    bool own_fd;                    /* to be closed */
    uint64_t offset;                /* of the next byte in the file */
    uint64_t end;                   /* reading ends there; UINT64_MAX in a stream */
    struct perf_data_window window; /* of a stream */

    /* Comes after the window, and before the rest of the stream. */
    struct perf_data_returned returned;
};

/*
 * Returns the next size_bytes bytes, at most PERF_DATA_RECORD_LIMIT_BYTES, in one piece, without
 * taking them. They are valid until the next call, or as long as their block is referenced or the
 * file is mapped.
 *
 * Returns 0; ENODATA at the end; EBADMSG the end is in the middle of them; ENOMEM; or the error of
 * read.
 */
int perf_data_source_peek(struct perf_data_source *source, struct perf_data_block_pool *pool,
                          size_t size_bytes, const uint8_t **ret_data);

/*
 * Reads a mapped file by its descriptor from now on, size_bytes at a time, which is then also the
 * most that can be peeked: where page tables are virtual, a page fault costs several times as much
 * as copying a page. The map stays for what is read out of order.
 *
 * keep_bytes  so much of what was read is kept, see perf_data_source_find
 */
void perf_data_source_read_ahead(struct perf_data_source *source, size_t size_bytes,
                                 size_t keep_bytes);

/* Finds a piece that still has bytes which were read before. It may have others after reading on.
 * Returns NULL if there is none. */
const struct perf_data_piece *perf_data_source_find(const struct perf_data_source *source,
                                                    uint64_t at, size_t size_bytes);

/* Reads bytes of a mapped file at an offset. Returns how many there are; 0 also on an error. */
size_t perf_data_source_read_at(const struct perf_data_source *source, uint64_t offset, void *to,
                                size_t size_bytes);

/* Populates the next pages of the map, and gives those back that were read long ago. */
void perf_data_source_page_in(struct perf_data_source *source);

/* Gives the pages of bytes in the map back, which stay valid: who reads them gets them again. */
void perf_data_source_give_back(const struct perf_data_source *source, const uint8_t *data,
                                size_t size_bytes);

/* Takes the peeked bytes. */
static inline void perf_data_source_take(struct perf_data_source *source, size_t size_bytes)
{
    source->offset += size_bytes;
    if (source->map) {
        if (source->offset >= source->paged_in && source->is_paged)
            perf_data_source_page_in(source);
    } else {
        source->window.at += size_bytes;
        source->window.left -= size_bytes;
    }
}

/* Skips size_bytes bytes, any number. Codes as peek. */
int perf_data_source_skip(struct perf_data_source *source, struct perf_data_block_pool *pool,
                          uint64_t size_bytes);

/*
 * Goes back by size_bytes bytes, which were taken last.
 *
 * data  these bytes; of a stream only
 *
 * Returns 0; ENOMEM.
 */
int perf_data_source_return(struct perf_data_source *source, struct perf_data_block_pool *pool,
                            const uint8_t *data, size_t size_bytes);

/*
 * Takes size_bytes bytes, any number, which are valid until the source is closed and `arena` is
 * freed. Memory is allocated as the bytes arrive, not for the announced number. Codes as peek.
 */
int perf_data_source_collect(struct perf_data_source *source, struct perf_data_block_pool *pool,
                             struct perf_data_arena *arena, uint64_t size_bytes,
                             const uint8_t **ret_data);

static inline bool perf_data_source_is_ahead(const struct perf_data_source *source,
                                             const uint8_t *data)
{
    const struct perf_data_piece *ahead = source->ahead;

    return ahead && (uintptr_t)data - (uintptr_t)ahead->bytes < ahead->size_bytes;
}

/* The bytes that were read ahead from here on; there may be none. */
static inline const uint8_t *perf_data_source_ahead(const struct perf_data_source *source,
                                                    size_t *ret_size)
{
    const struct perf_data_piece *ahead = source->ahead;

    if (!ahead || !perf_data_piece_has(ahead, source->offset, 1)) {
        *ret_size = 0;
        return NULL;
    }
    *ret_size = ahead->size_bytes - (size_t)(source->offset - ahead->at);
    return ahead->bytes + (source->offset - ahead->at);
}

/* The same bytes in the map, where they are valid for as long as it is. */
static inline const uint8_t *perf_data_source_in_map(const struct perf_data_source *source,
                                                     const uint8_t *data)
{
    if (!perf_data_source_is_ahead(source, data))
        return data;
    return source->map + source->ahead->at + (data - source->ahead->bytes);
}

/* Returns the block of record bytes, or NULL: they are in the map, or were read ahead. */
static inline struct perf_data_block *
perf_data_source_block_of(const struct perf_data_source *source, const uint8_t *data)
{
    bool mapped = (uintptr_t)data - (uintptr_t)source->map < source->map_bytes;

    return mapped || perf_data_source_is_ahead(source, data) ? NULL : perf_data_block_of(data);
}

/*
 * Holds record bytes until their block is released. Returns the block, or NULL: nothing to release.
 */
static inline struct perf_data_block *perf_data_source_hold(const struct perf_data_source *source,
                                                            const uint8_t *data)
{
    struct perf_data_block *block = perf_data_source_block_of(source, data);

    if (block)
        block->references++;
    return block;
}

/* Copies the peeked bytes, to stay valid like collected ones. Returns NULL: no memory. */
static inline const uint8_t *perf_data_source_copy(const struct perf_data_source *source,
                                                   struct perf_data_arena *arena,
                                                   const uint8_t *data, size_t size_bytes)
{
    return source->map
               ? perf_data_source_in_map(source, data)
               : (const uint8_t *)perf_data_arena_text(arena, (const char *)data, size_bytes);
}

/* Maps the file of an open descriptor. Returns 0; EISDIR; ENODEV not a file that can be mapped; or
 * the error of fstat or mmap. */
int perf_data_source_map(struct perf_data_source *source, int fd);

/* Another position in a mapped file: the mapping and its descriptor stay those of `source`, which
 * is closed later. */
struct perf_data_source perf_data_source_borrow(const struct perf_data_source *source);

struct cairn_perf_error;

/*
 * source_open.c: opens a path, "-" for standard input, or an open descriptor, which stays the
 * caller's: a file is mapped, anything else is read as a stream.
 *
 * ret_error  set on failure; may be NULL
 *
 * Returns 0; EISDIR; or the error of open, fstat or mmap.
 */
int perf_data_source_open(struct perf_data_source *source, const char *path,
                          struct cairn_perf_error *ret_error);
int perf_data_source_open_fd(struct perf_data_source *source, int fd,
                             struct cairn_perf_error *ret_error);

/*
 * Copies the rest of a stream to a temporary file and maps that. Returns 0, or an errno code of the
 * system. /
 */
int perf_data_source_spool(struct perf_data_source *source, struct perf_data_block_pool *pool);

void perf_data_source_close(struct perf_data_source *source, struct perf_data_block_pool *pool);

struct cairn_perf_file;

/*
 * open.c: opens a source, which the file owns from then on with its pool, also on failure.
 * Arguments and codes as cairn_perf_file_open.
 */
int perf_data_file_open_source(struct perf_data_source *source, struct perf_data_block_pool *pool,
                               struct cairn_perf_error *ret_error,
                               struct cairn_perf_file **ret_file);

#endif
