/* SPDX-License-Identifier: MIT */
/*
 * Texts of many streams in one temporary file: for formats that have them by
 * thread or by column, while events come in the order of time.
 */
#ifndef EXCHANGE_SPOOL_H
#define EXCHANGE_SPOOL_H

#include "export/output.h"

#include <stdint.h>

struct exchange_spool {
    int fd;               /* of a file without a name */
    uint64_t at;          /* its size */
    char *copy;           /* a block that is copied to an output */
    uint32_t large_count; /* streams with large blocks */
};

/* Begin with zeros. */
struct exchange_stream {
    char *block; /* the last bytes */
    uint32_t block_bytes;
    uint32_t block_max;
    uint32_t small_count; /* of parts, before the large ones */
    uint32_t part_count;
    uint32_t part_max;
    uint64_t *parts; /* positions of full blocks in the file */
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
