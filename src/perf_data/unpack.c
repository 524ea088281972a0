/* SPDX-License-Identifier: MIT */
/* Decompresses the compressed records of a file. */
#include "perf_data/unpack.h"

#include <errno.h>

#ifdef CAIRN_HAVE_ZSTD
#include <zstd.h>

/* The size of an allocation: more than a record, so that a record needs few calls. */
#define ROOM_BYTES ((size_t)256 << 10)

int perf_data_unpack_begin(struct perf_data_unpack *unpack, const uint8_t *input, size_t size_bytes,
                           uint64_t offset)
{
    if (!unpack->stream)
        unpack->stream = ZSTD_createDStream();
    if (!unpack->stream)
        return ENOMEM;
    unpack->input = input;
    unpack->input_left = size_bytes;
    unpack->offset = offset;
    unpack->pending = true;
    return 0;
}

/* Decompresses once. Returns 0; EAGAIN no output, all input is used up. */
static int produce(struct perf_data_unpack *unpack, struct perf_data_block_pool *pool)
{
    size_t space;
    uint8_t *to = perf_data_window_room(pool, &unpack->window, ROOM_BYTES, unpack->offset, &space);
    ZSTD_inBuffer in = {.src = unpack->input, .size = unpack->input_left};
    ZSTD_outBuffer out = {.dst = to, .size = space};

    if (!to)
        return ENOMEM;
    unpack->window.block->unpacked = true;
    if (ZSTD_isError(ZSTD_decompressStream(unpack->stream, &out, &in)))
        return EBADMSG;
    unpack->input += in.pos;
    unpack->input_left -= in.pos;
    unpack->window.left += out.pos;
    if (out.pos || in.pos)
        return 0;
    return unpack->input_left ? EBADMSG : EAGAIN;
}

int perf_data_unpack_peek(struct perf_data_unpack *unpack, struct perf_data_block_pool *pool,
                          size_t size_bytes, const uint8_t **ret_data)
{
    while (unpack->window.left < size_bytes) {
        int err = produce(unpack, pool);

        unpack->pending = err == 0;
        if (err)
            return err;
    }
    *ret_data = unpack->window.at;
    return 0;
}

void perf_data_unpack_close(struct perf_data_unpack *unpack, struct perf_data_block_pool *pool)
{
    ZSTD_freeDStream(unpack->stream);
    perf_data_block_release(pool, unpack->window.block);
    *unpack = (struct perf_data_unpack){0};
}

#else

int perf_data_unpack_begin(struct perf_data_unpack *unpack, const uint8_t *input, size_t size_bytes,
                           uint64_t offset)
{
    (void)unpack;
    (void)input;
    (void)size_bytes;
    (void)offset;
    return EOPNOTSUPP;
}

int perf_data_unpack_peek(struct perf_data_unpack *unpack, struct perf_data_block_pool *pool,
                          size_t size_bytes, const uint8_t **ret_data)
{
    (void)unpack;
    (void)pool;
    (void)size_bytes;
    (void)ret_data;
    return EAGAIN;
}

void perf_data_unpack_close(struct perf_data_unpack *unpack, struct perf_data_block_pool *pool)
{
    (void)unpack;
    (void)pool;
}

#endif
