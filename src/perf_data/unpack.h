/* SPDX-License-Identifier: MIT */
/*
 * Decompression. The compressed records of a file are pieces of one zstd stream, and that stream is
 * a stream of records, whose ends are independent of the ends of the pieces.
 */
#ifndef PERF_DATA_UNPACK_H
#define PERF_DATA_UNPACK_H

#include "perf_data/block.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All zeros is an unused one. */
struct perf_data_unpack {
    void *stream; /* ZSTD_DStream */
    const uint8_t *input;
    size_t input_left;
    uint64_t offset;                /* of the compressed record in the file */
    struct perf_data_window window; /* of decompressed bytes */
    bool pending;                   /* there may be a complete record to peek */
};

/*
 * Begins with the bytes of a compressed record, which must stay valid until peek returns EAGAIN.
 * Returns 0; EOPNOTSUPP built without zstd; ENOMEM.
 */
int perf_data_unpack_begin(struct perf_data_unpack *unpack, const uint8_t *input, size_t size_bytes,
                           uint64_t offset);

/*
 * Returns the next size_bytes bytes in one piece, without taking them.
 * Returns 0; EAGAIN the next compressed record must come first; EBADMSG damaged; ENOMEM.
 */
int perf_data_unpack_peek(struct perf_data_unpack *unpack, struct perf_data_block_pool *pool,
                          size_t size_bytes, const uint8_t **ret_data);

/* Takes the peeked bytes. */
static inline void perf_data_unpack_take(struct perf_data_unpack *unpack, size_t size_bytes)
{
    unpack->window.at += size_bytes;
    unpack->window.left -= size_bytes;
}

void perf_data_unpack_close(struct perf_data_unpack *unpack, struct perf_data_block_pool *pool);

#endif
