/* SPDX-License-Identifier: MIT */
/*
 * Memory for the contents of blocks, which is used again: large memory that is allocated anew is
 * mapped anew, and each page costs a fault. Used by one thread at a time.
 */
#ifndef TRACE_FILE_SPARES_H
#define TRACE_FILE_SPARES_H

#include <stddef.h>
#include <stdint.h>

#define TRACE_FILE_SPARE_COUNT 4u

struct trace_file_memory {
    uint8_t *data; /* NULL: none */
    size_t size_bytes;
};

struct trace_file_spares {
    struct trace_file_memory unused[TRACE_FILE_SPARE_COUNT];
};

/* Returns memory of at least size_bytes bytes; or none, if there is no memory. */
struct trace_file_memory trace_file_spares_take(struct trace_file_spares *spares,
                                                size_t size_bytes);

/* Keeps memory for a later block, or frees it. */
void trace_file_spares_give(struct trace_file_spares *spares, struct trace_file_memory memory);

void trace_file_spares_free(struct trace_file_spares *spares);

#endif
