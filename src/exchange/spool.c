/* SPDX-License-Identifier: MIT */
/*
 * Streams in one temporary file: blocks, each of one stream, which has the position of the next
 * one. The blocks of a stream that has many are larger, so that writing and reading takes few
 * system calls; the memory of all of these has a limit.
 */
#include "exchange/spool.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define LARGE_BYTES (64u * 1024)

/* The sizes of blocks: a stream gets the next one after this number of blocks. */
static const uint32_t sizes[EXCHANGE_SPOOL_SIZES] = {1024, 4096, LARGE_BYTES};
#define BLOCKS_OF_A_SIZE 8u

/* Streams that have a size, at most: 4 MiB and 8 MiB. */
static const uint32_t limits[EXCHANGE_SPOOL_SIZES] = {UINT32_MAX, 1024, 128};

/* The beginning of a block: with it the memory of a stream does not depend on its length. */
struct stream_block_head {
    uint64_t next; /* the position of the stream's next block */
    uint64_t next_bytes;
};

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

static int write_block(const struct exchange_spool *spool, const struct exchange_stream *stream)
{
    size_t size_bytes = sizes[stream->size];
    size_t done = 0;

    while (done < size_bytes) {
        ssize_t n =
            pwrite(spool->fd, stream->block + done, size_bytes - done, (off_t)(stream->at + done));

        if (n < 0 && errno != EINTR)
            return errno;
        done += n < 0 ? 0 : (size_t)n;
    }
    return 0;
}

/* Begins an empty block, after all others in the file. */
static void begin_block(struct exchange_spool *spool, struct exchange_stream *stream)
{
    stream->at = spool->end;
    stream->block_bytes = sizeof(struct stream_block_head);
    stream->block_count++;
    spool->end += sizes[stream->size];
}

static int begin_stream(struct exchange_spool *spool, struct exchange_stream *stream)
{
    stream->block = (char *)malloc(sizes[0]);
    if (!stream->block)
        return ENOMEM;
    begin_block(spool, stream);
    stream->first = stream->at;
    spool->counts[stream->size]++;
    return 0;
}

/* Returns memory for a block of the next size; NULL: the size stays. */
static char *larger_block(const struct exchange_spool *spool, const struct exchange_stream *stream)
{
    uint32_t size = stream->size + 1;

    if (stream->block_count < BLOCKS_OF_A_SIZE || size == EXCHANGE_SPOOL_SIZES ||
        spool->counts[size] == limits[size])
        return NULL;
    return (char *)malloc(sizes[size]);
}

static int store_block(struct exchange_spool *spool, struct exchange_stream *stream)
{
    char *larger = larger_block(spool, stream);
    struct stream_block_head head = {spool->end, sizes[stream->size + (larger != NULL)]};
    int err;

    memcpy(stream->block, &head, sizeof(head));
    err = write_block(spool, stream);
    if (larger) {
        free(stream->block);
        stream->block = larger;
        stream->block_count = 0;
        spool->counts[stream->size++]--;
        spool->counts[stream->size]++;
    }
    begin_block(spool, stream);
    return err;
}

/* The slow path: the block is full, or there is none. */
static int add_bytes(struct exchange_spool *spool, struct exchange_stream *stream, const char *from,
                     size_t size_bytes)
{
    int err = stream->block ? 0 : begin_stream(spool, stream);

    while (size_bytes && !err) {
        size_t space = sizes[stream->size] - stream->block_bytes;
        size_t n = size_bytes < space ? size_bytes : space;

        memcpy(stream->block + stream->block_bytes, from, n);
        stream->block_bytes += (uint32_t)n;
        from += n;
        size_bytes -= n;
        if (n == space)
            err = store_block(spool, stream);
    }
    return err;
}

int exchange_stream_add(struct exchange_spool *spool, struct exchange_stream *stream,
                        const void *data, size_t size_bytes)
{
    if (!stream->block || size_bytes >= sizes[stream->size] - stream->block_bytes)
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
    struct stream_block_head head = {stream->first, sizes[0]};

    if (!stream->block)
        return 0;
    while (head.next != stream->at) {
        size_t size_bytes = (size_t)head.next_bytes;
        int err = read_block(spool, head.next, size_bytes);

        if (err)
            return err;
        memcpy(&head, spool->copy, sizeof(head));
        export_output_bytes(out, spool->copy + sizeof(head), size_bytes - sizeof(head));
    }
    export_output_bytes(out, stream->block + sizeof(head), stream->block_bytes - sizeof(head));
    return 0;
}

void exchange_stream_free(struct exchange_stream *stream)
{
    free(stream->block);
    *stream = (struct exchange_stream){0};
}
