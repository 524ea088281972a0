/* SPDX-License-Identifier: MIT */
/*
 * Texts of many streams in one temporary file: for formats that have them by
 * thread or by column, while events come in the order of time.
 */
#ifndef EXCHANGE_SPOOL_H
#define EXCHANGE_SPOOL_H

#include "export/output.h"

#include <stdint.h>

#define EXCHANGE_SPOOL_SIZES 3u

struct exchange_spool {
    int fd;                                /* of a file without a name */
    uint64_t end;                          /* the position of the next block that is begun */
    char *copy;                            /* a block that is copied to an output */
    uint32_t counts[EXCHANGE_SPOOL_SIZES]; /* of streams with blocks of a size */
};

/* Begin with zeros. */
struct exchange_stream {
    char *block; /* the last one; NULL: there is none */
    uint32_t block_bytes;
    uint32_t block_count; /* of its size */
    uint32_t size;        /* the index of its blocks' size */
    uint64_t first;       /* the position of the first block */
    uint64_t at;          /* that of the last one, when it will be full */
};

/* Creates the file in $TMPDIR or /tmp. Returns 0, ENOMEM, or the error of
 * creating it. */
int exchange_spool_open(struct exchange_spool *spool);

/* Accepts one that was not opened, with fd -1. */
void exchange_spool_close(struct exchange_spool *spool);

/* Appends to a stream. Returns 0, ENOMEM, or the error of writing. */
int exchange_stream_add(struct exchange_spool *spool, struct exchange_stream *stream,
                        const void *data, size_t size_bytes);

/* Copies all of a stream to an output. Returns 0, or the error of reading. */
int exchange_stream_copy(struct exchange_spool *spool, const struct exchange_stream *stream,
                         struct export_print_output *out);

/* Accepts zeros. */
void exchange_stream_free(struct exchange_stream *stream);

#endif
