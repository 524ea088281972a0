/* SPDX-License-Identifier: MIT */
/* Compression of blocks by zstd. */
#include "trace_file/pack.h"

#include <errno.h>

#ifdef CAIRN_HAVE_ZSTD
#include <zstd.h>

bool trace_file_pack_is_supported(void)
{
    return true;
}

int trace_file_pack(const void *data, size_t size_bytes, int level, struct cairn_bytes *to)
{
    size_t packed;

    to->size = 0;
    perf_data_bytes_put_zeros(to, ZSTD_compressBound(size_bytes));
    if (to->error)
        return to->error;
    packed = ZSTD_compress(to->data, to->size, data, size_bytes, level);
    if (ZSTD_isError(packed))
        return ENOMEM;
    to->size = packed;
    return packed < size_bytes ? 0 : EAGAIN;
}

int trace_file_pack_undo(const void *packed, size_t packed_bytes, void *to, size_t size_bytes)
{
    size_t size = ZSTD_decompress(to, size_bytes, packed, packed_bytes);

    return !ZSTD_isError(size) && size == size_bytes ? 0 : EBADMSG;
}

#else

bool trace_file_pack_is_supported(void)
{
    return false;
}

int trace_file_pack(const void *data, size_t size_bytes, int level, struct cairn_bytes *to)
{
    (void)data;
    (void)size_bytes;
    (void)level;
    (void)to;
    return EOPNOTSUPP;
}

int trace_file_pack_undo(const void *packed, size_t packed_bytes, void *to, size_t size_bytes)
{
    (void)packed;
    (void)packed_bytes;
    (void)to;
    (void)size_bytes;
    return EOPNOTSUPP;
}

#endif
