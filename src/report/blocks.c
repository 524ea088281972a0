/* SPDX-License-Identifier: MIT */
/* Writes and lists blocks. */
#include "report/blocks.h"

#include <errno.h>
#include <stdlib.h>

void report_output_fail(struct report_output *output, int error)
{
    if (!output->error)
        output->error = error;
}

static int list(struct report_blocks *blocks, const struct report_block *block)
{
    if (blocks->count == blocks->capacity) {
        uint32_t capacity = blocks->capacity ? 2 * blocks->capacity : 16;
        struct report_block *grown =
            (struct report_block *)realloc(blocks->list, capacity * sizeof(*grown));

        if (!grown)
            return ENOMEM;
        blocks->list = grown;
        blocks->capacity = capacity;
    }
    blocks->list[blocks->count++] = *block;
    return 0;
}

void report_blocks_write(struct report_blocks *blocks, struct report_output *output,
                         const struct report_bytes *bytes, struct report_block block)
{
    const void *data;
    size_t size;
    int err = bytes->error;

    if (!err)
        err = report_deflate(&output->packer, bytes->data, bytes->size, &data, &size);
    if (!err) {
        block.offset = output->sink.size;
        block.size = (uint32_t)size;
        block.raw_size = (uint32_t)bytes->size;
        err = list(blocks, &block);
    }
    if (!err) {
        report_sink_add(&output->sink, data, size);
        err = output->sink.error;
    }
    if (err)
        report_output_fail(output, err);
}

void report_blocks_free(struct report_blocks *blocks)
{
    free(blocks->list);
    *blocks = (struct report_blocks){0};
}
