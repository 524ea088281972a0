/* SPDX-License-Identifier: MIT */
/* Compresses blocks with zlib. */
#include "report/deflate.h"

#include <errno.h>
#include <stdlib.h>

#ifdef CAIRN_HAVE_ZLIB

#include <zlib.h>

/* Higher levels take more time than the rest of a report, for a few percent. */
#define LEVEL 1

static int begin(struct report_deflate *packer)
{
    z_stream *stream = (z_stream *)packer->stream;

    if (stream)
        return deflateReset(stream) == Z_OK ? 0 : ENOMEM;
    stream = (z_stream *)calloc(1, sizeof(*stream));
    if (!stream)
        return ENOMEM;
    if (deflateInit(stream, LEVEL) != Z_OK) {
        free(stream);
        return ENOMEM;
    }
    packer->stream = stream;
    return 0;
}

static int compress_block(struct report_deflate *packer, const void *data, size_t size)
{
    struct report_bytes *out = &packer->out;
    int err = begin(packer);
    z_stream *stream = (z_stream *)packer->stream;

    out->size = 0;
    if (err || !report_bytes_reserve(out, deflateBound(stream, size)))
        return ENOMEM;
    stream->next_in = (Bytef *)(uintptr_t)data;
    stream->avail_in = (uInt)size;
    stream->next_out = out->data;
    stream->avail_out = (uInt)out->capacity;
    if (deflate(stream, Z_FINISH) != Z_STREAM_END)
        return ENOMEM;
    out->size = stream->total_out;
    return 0;
}

void report_deflate_free(struct report_deflate *packer)
{
    if (packer->stream)
        deflateEnd((z_stream *)packer->stream);
    free(packer->stream);
    report_bytes_free(&packer->out);
    *packer = (struct report_deflate){0};
}

bool report_deflate_is_there(void)
{
    return true;
}

#else

static int compress_block(struct report_deflate *packer, const void *data, size_t size)
{
    packer->out.size = size;
    (void)data;
    return 0;
}

void report_deflate_free(struct report_deflate *packer)
{
    report_bytes_free(&packer->out);
}

bool report_deflate_is_there(void)
{
    return false;
}

#endif

int report_deflate(struct report_deflate *packer, const void *data, size_t size,
                   const void **ret_data, size_t *ret_size)
{
    int err = compress_block(packer, data, size);

    if (err)
        return err;
    *ret_data = packer->out.size < size ? packer->out.data : data;
    *ret_size = packer->out.size < size ? packer->out.size : size;
    return 0;
}
