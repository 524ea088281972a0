/* SPDX-License-Identifier: MIT */
/* Blocks of a page's data: compressed one by one, and listed, so that the page decodes those that
 * it shows. */
#ifndef REPORT_BLOCKS_H
#define REPORT_BLOCKS_H

#include "report/deflate.h"
#include "report/sink.h"

struct report_block {
    uint64_t offset; /* in the page's data */
    uint32_t size;   /* there; equal to raw_size: not compressed */
    uint32_t raw_size;
    uint64_t begin_ns; /* the times of its contents: from */
    uint64_t end_ns;   /* to */
    uint64_t first;    /* number of its first event */
    uint32_t count;
    uint32_t kinds; /* of events' rows: bits of their kinds' numbers modulo 32 */
};

/* The blocks of one kind, in order of time. */
struct report_blocks {
    struct report_block *list;
    uint32_t count;
    uint32_t capacity;
    uint32_t shown; /* of them, by an index that was written before */
};

/* The place that blocks are written to. */
struct report_output {
    struct report_sink sink;
    struct report_deflate packer;
    int error; /* 0, or the first failure */
};

void report_output_fail(struct report_output *output, int error);

/* Writes a block and lists it: `block` has what it is about. A failure is remembered. */
void report_blocks_write(struct report_blocks *blocks, struct report_output *output,
                         const struct report_bytes *bytes, struct report_block block);

/* Accepts zeros. */
void report_blocks_free(struct report_blocks *blocks);

#endif
