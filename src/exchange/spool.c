/* SPDX-License-Identifier: MIT */
/* Streams in one temporary file: blocks of one size, each of one stream. */
#include "exchange/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define BLOCK_BYTES 4096u

int exchange_spool_open(struct exchange_spool *spool)
{
    const char *directory = getenv("TMPDIR");
    char *name;

    *spool = (struct exchange_spool){.fd = -1, .copy = (char *)malloc(BLOCK_BYTES)};
    if (!spool->copy ||
        asprintf(&name, "%s/cairn-export-XXXXXX", directory && *directory ? directory : "/tmp") < 0)
        return ENOMEM;
    spool->fd = mkostemp(name, O_CLOEXEC);
    if (spool->fd < 0) {
        int err = errno;

        free(name);
        return err;
    }
    (void)unlink(name);
    free(name);
    return 0;
}

void exchange_spool_close(struct exchange_spool *spool)
{
    if (spool->fd >= 0)
        close(spool->fd);
    free(spool->copy);
    *spool = (struct exchange_spool){.fd = -1};
}

static int write_block(struct exchange_spool *spool, const char *block)
{
    size_t done = 0;

    while (done < BLOCK_BYTES) {
        ssize_t n = pwrite(spool->fd, block + done, BLOCK_BYTES - done, (off_t)(spool->at + done));

        if (n < 0 && errno != EINTR)
            return errno;
        done += n < 0 ? 0 : (size_t)n;
    }
    spool->at += BLOCK_BYTES;
    return 0;
}

static int store_block(struct exchange_spool *spool, struct exchange_stream *stream)
{
    if (stream->part_count == stream->part_max) {
        uint32_t max = stream->part_max ? 2 * stream->part_max : 16;
        void *bigger = realloc(stream->parts, max * sizeof(*stream->parts));

        if (!bigger)
            return ENOMEM;
        stream->parts = (uint64_t *)bigger;
        stream->part_max = max;
    }
    stream->parts[stream->part_count++] = spool->at;
    stream->block_bytes = 0;
    return write_block(spool, stream->block);
}

int exchange_stream_add(struct exchange_spool *spool, struct exchange_stream *stream,
                        const void *data, size_t size_bytes)
{
    const char *from = (const char *)data;
    int err = 0;

    if (!stream->block)
        stream->block = (char *)malloc(BLOCK_BYTES);
    if (!stream->block)
        return ENOMEM;
    while (size_bytes && !err) {
        size_t space = BLOCK_BYTES - stream->block_bytes;
        size_t n = size_bytes < space ? size_bytes : space;

        memcpy(stream->block + stream->block_bytes, from, n);
        stream->block_bytes += (uint32_t)n;
        from += n;
        size_bytes -= n;
        if (stream->block_bytes == BLOCK_BYTES)
            err = store_block(spool, stream);
    }
    return err;
}

static int read_block(const struct exchange_spool *spool, uint64_t at)
{
    size_t done = 0;

    while (done < BLOCK_BYTES) {
        ssize_t n = pread(spool->fd, spool->copy + done, BLOCK_BYTES - done, (off_t)(at + done));

        if (n < 0 && errno == EINTR)
            continue;
        if (n <= 0)
            return n ? errno : EIO;
        done += (size_t)n;
    }
    return 0;
}

int exchange_stream_copy(struct exchange_spool *spool, const struct exchange_stream *stream,
                         struct export_print_output *out)
{
    for (uint32_t n = 0; n < stream->part_count; n++) {
        int err = read_block(spool, stream->parts[n]);

        if (err)
            return err;
        export_output_bytes(out, spool->copy, BLOCK_BYTES);
    }
    export_output_bytes(out, stream->block, stream->block_bytes);
    return 0;
}

void exchange_stream_free(struct exchange_stream *stream)
{
    free(stream->block);
    free(stream->parts);
    *stream = (struct exchange_stream){0};
}
