/* SPDX-License-Identifier: MIT */
/*
 * Streams in one temporary file: blocks, each of one stream. The blocks of a stream that has many
 * are larger, so that writing and reading takes few system calls; the memory of all of these has a
 * limit.
 */
#include "exchange/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SMALL_BYTES 4096u
#define LARGE_BYTES (64u * 1024)

/* Small blocks of a stream before it gets large ones. */
#define SMALL_COUNT 8u

/* Streams with large blocks, at most: 8 MiB. */
#define LARGE_MAX 128u

int exchange_spool_open(struct exchange_spool *spool)
{
    const char *directory = getenv("TMPDIR");
    char *name;

    *spool = (struct exchange_spool){.fd = -1, .copy = (char *)malloc(LARGE_BYTES)};
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

static int write_block(struct exchange_spool *spool, const char *block, size_t size_bytes)
{
    size_t done = 0;

    while (done < size_bytes) {
        ssize_t n = pwrite(spool->fd, block + done, size_bytes - done, (off_t)(spool->at + done));

        if (n < 0 && errno != EINTR)
            return errno;
        done += n < 0 ? 0 : (size_t)n;
    }
    spool->at += size_bytes;
    return 0;
}

/* Without memory for a large block the small one stays. */
static void enlarge_block(struct exchange_spool *spool, struct exchange_stream *stream)
{
    char *larger;

    if (stream->block_max == LARGE_BYTES || stream->part_count < SMALL_COUNT ||
        spool->large_count == LARGE_MAX)
        return;
    larger = (char *)realloc(stream->block, LARGE_BYTES);
    if (!larger)
        return;
    stream->block = larger;
    stream->block_max = LARGE_BYTES;
    stream->small_count = stream->part_count;
    spool->large_count++;
}

static int store_block(struct exchange_spool *spool, struct exchange_stream *stream)
{
    int err;

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
    err = write_block(spool, stream->block, stream->block_max);
    if (!err)
        enlarge_block(spool, stream);
    return err;
}

/* The slow path: the block is full, or there is none. */
static int add_bytes(struct exchange_spool *spool, struct exchange_stream *stream, const char *from,
                     size_t size_bytes)
{
    int err = 0;

    if (!stream->block) {
        stream->block = (char *)malloc(SMALL_BYTES);
        stream->block_max = SMALL_BYTES;
    }
    if (!stream->block)
        return ENOMEM;
    while (size_bytes && !err) {
        size_t space = stream->block_max - stream->block_bytes;
        size_t n = size_bytes < space ? size_bytes : space;

        memcpy(stream->block + stream->block_bytes, from, n);
        stream->block_bytes += (uint32_t)n;
        from += n;
        size_bytes -= n;
        if (stream->block_bytes == stream->block_max)
            err = store_block(spool, stream);
    }
    return err;
}

int exchange_stream_add(struct exchange_spool *spool, struct exchange_stream *stream,
                        const void *data, size_t size_bytes)
{
    if (size_bytes >= stream->block_max - stream->block_bytes)
        return add_bytes(spool, stream, (const char *)data, size_bytes);
    memcpy(stream->block + stream->block_bytes, data, size_bytes);
    stream->block_bytes += (uint32_t)size_bytes;
    return 0;
}

static int read_block(const struct exchange_spool *spool, uint64_t at, size_t size_bytes)
{
    size_t done = 0;

    while (done < size_bytes) {
        ssize_t n = pread(spool->fd, spool->copy + done, size_bytes - done, (off_t)(at + done));

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
        bool is_large = stream->block_max == LARGE_BYTES && n >= stream->small_count;
        size_t size_bytes = is_large ? LARGE_BYTES : SMALL_BYTES;
        int err = read_block(spool, stream->parts[n], size_bytes);

        if (err)
            return err;
        export_output_bytes(out, spool->copy, size_bytes);
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
