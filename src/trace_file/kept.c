/* SPDX-License-Identifier: MIT */
/* Blocks in memory: a flight recorder. */
#include "trace_file/kept.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

struct trace_file_kept_block {
    struct trace_file_kept_block *next;
    struct trace_file_stored stored; /* its data follows, */
    struct trace_file_extent extent; /* and then its counts */
    bool has_extent;
    uint8_t bytes[];
};

static uint64_t size_of(const struct trace_file_kept_block *block)
{
    return sizeof(*block) + block->stored.size_bytes + block->extent.counts.size;
}

/* ---- queues ---- */

static void append(struct trace_file_kept_queue *queue, struct trace_file_kept_block *block)
{
    if (queue->last)
        queue->last->next = block;
    else
        queue->first = block;
    queue->last = block;
    queue->bytes += size_of(block);
}

static void remove_first(struct trace_file_kept_queue *queue)
{
    struct trace_file_kept_block *block = queue->first;

    queue->first = block->next;
    if (!queue->first)
        queue->last = NULL;
    queue->bytes -= size_of(block);
    free(block);
}

static void forget_first(struct trace_file_kept *kept)
{
    kept->forgotten += kept->events.first->extent.events;
    remove_first(&kept->events);
}

/* ---- keeping ---- */

static struct trace_file_kept_block *copy(const struct trace_file_stored *stored,
                                          const struct trace_file_extent *extent)
{
    size_t counts_bytes = extent ? extent->counts.size : 0;
    struct trace_file_kept_block *block =
        malloc(sizeof(*block) + stored->size_bytes + counts_bytes);

    if (!block)
        return NULL;
    *block = (struct trace_file_kept_block){.stored = *stored, .has_extent = extent != NULL};
    block->stored.data = block->bytes;
    if (stored->size_bytes)
        memcpy(block->bytes, stored->data, stored->size_bytes);
    if (!extent)
        return block;
    block->extent = *extent;
    block->extent.counts = (struct cairn_bytes){0};
    if (!counts_bytes)
        return block;
    memcpy(block->bytes + stored->size_bytes, extent->counts.data, counts_bytes);
    block->extent.counts.data = block->bytes + stored->size_bytes;
    block->extent.counts.size = counts_bytes;
    return block;
}

int trace_file_kept_add(struct trace_file_kept *kept, const struct trace_file_stored *stored,
                        const struct trace_file_extent *extent)
{
    struct trace_file_kept_block *block;

    if (stored->type == TRACE_FILE_ROUND)
        return 0; /* a file needs none */
    block = copy(stored, extent);
    if (!block)
        return ENOMEM;
    if (!block->extent.events) {
        append(&kept->tables, block);
        return 0;
    }
    while (kept->limit_bytes && kept->events.first &&
           kept->events.bytes + size_of(block) > kept->limit_bytes)
        forget_first(kept);
    append(&kept->events, block);
    return 0;
}

/* Blocks are in the order of their writing: one of a thread is not forgotten before an earlier one
 * of the same thread. */
void trace_file_kept_expire(struct trace_file_kept *kept, uint64_t now_ns)
{
    if (!kept->limit_ns || now_ns < kept->limit_ns)
        return;
    while (kept->events.first && kept->events.first->extent.last_ns < now_ns - kept->limit_ns)
        forget_first(kept);
}

/* ---- writing ---- */

static uint64_t events_of(const struct trace_file_kept_queue *queue)
{
    uint64_t events = 0;

    for (const struct trace_file_kept_block *block = queue->first; block; block = block->next)
        events += block->extent.events;
    return events;
}

uint64_t trace_file_kept_events(const struct trace_file_kept *kept)
{
    return events_of(&kept->tables) + events_of(&kept->events);
}

static void write_queue(const struct trace_file_kept_queue *queue, struct trace_file_writer *writer)
{
    for (const struct trace_file_kept_block *block = queue->first; block && !writer->error;
         block = block->next)
        (void)trace_file_writer_copy(writer, &block->stored,
                                     block->has_extent ? &block->extent : NULL);
}

int trace_file_kept_write(const struct trace_file_kept *kept, int fd)
{
    struct trace_file_writer writer;
    int error = trace_file_writer_begin(&writer, fd, 0);

    if (error)
        return error;
    write_queue(&kept->tables, &writer);
    write_queue(&kept->events, &writer);
    error = trace_file_writer_finish(&writer);
    trace_file_writer_free(&writer);
    return error;
}

void trace_file_kept_free(struct trace_file_kept *kept)
{
    while (kept->tables.first)
        remove_first(&kept->tables);
    while (kept->events.first)
        remove_first(&kept->events);
}
