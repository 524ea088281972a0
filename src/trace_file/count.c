/* SPDX-License-Identifier: MIT */
/* Counts of events by descriptor. */
#include "trace_file/count.h"

#include "trace_file/extent.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

static int make_space(struct trace_file_counts *counts, uint32_t before)
{
    uint32_t count = counts->tables.descriptor_count;
    void *bigger;

    if (count == before)
        return 0;
    bigger = realloc(counts->events, count * sizeof(*counts->events));
    if (!bigger)
        return ENOMEM;
    counts->events = (uint64_t *)bigger;
    memset(counts->events + before, 0, (count - before) * sizeof(*counts->events));
    return 0;
}

static int apply_table(struct trace_file_counts *counts, const struct trace_file_block *block,
                       bool swap)
{
    struct core_cursor c = core_cursor(block->data, block->size_bytes, swap);
    uint32_t before = counts->tables.descriptor_count;
    int err = 0;
    int space_err;

    if (block->type == TRACE_FILE_DESCRIPTORS)
        err = trace_file_tables_descriptors(&counts->tables, c);
    else if (block->type == TRACE_FILE_IDS)
        err = trace_file_tables_ids(&counts->tables, c);
    else if (block->type == TRACE_FILE_PERF_ATTRS)
        err = trace_file_tables_perf_attrs(&counts->tables, c);
    else if (block->type == TRACE_FILE_CLOCKS)
        err = trace_file_clocks_add(&counts->tables.clocks, c);
    space_err = make_space(counts, before);
    return err ? err : space_err;
}

static void add(struct trace_file_counts *counts, uint32_t number, uint64_t events)
{
    const struct trace_file_descriptor *descriptor =
        trace_file_tables_descriptor(&counts->tables, number);

    if (descriptor)
        counts->events[descriptor->index] += events;
}

/* ---- by the index ---- */

static int count_indexed(struct trace_file_blocks *blocks, const struct trace_file_index *index,
                         struct trace_file_counts *counts)
{
    int err = 0;

    for (uint64_t n = 0; n < index->count && !err; n++) {
        const struct trace_file_index_entry *entry = &index->entries[n];
        struct trace_file_block *block;

        for (uint32_t i = 0; i < entry->count_entries; i++)
            add(counts, entry->counts[i].descriptor, entry->counts[i].events);
        if (entry->type != TRACE_FILE_DESCRIPTORS && entry->type != TRACE_FILE_CLOCKS)
            continue;
        blocks->source.offset = entry->offset;
        blocks->sequence = (uint32_t)n;
        err = trace_file_blocks_next(blocks, &block);
        if (err)
            break;
        if (block->offset != entry->offset || block->type != entry->type)
            err = EBADMSG;
        err = err ? err : apply_table(counts, block, blocks->swap);
        trace_file_block_release(blocks, block);
    }
    return err;
}

/* ---- by the blocks ---- */

static int count_block(struct trace_file_blocks *blocks, struct trace_file_counts *counts,
                       const struct trace_file_block *block)
{
    struct trace_file_extent extent = {0};
    struct core_cursor c;
    int err;

    if (!trace_file_has_events(block->type))
        return apply_table(counts, block, blocks->swap);
    err = trace_file_extent_of(&counts->tables, block, blocks->swap, &extent);
    c = core_cursor(extent.counts.data, extent.counts.size, false);
    while (c.left) {
        uint32_t number;

        core_cursor_u32(&c); /* the process */
        number = core_cursor_u32(&c);
        add(counts, number, core_cursor_u64(&c));
    }
    perf_data_bytes_free(&extent.counts);
    return err;
}

static int count_blocks(struct trace_file_blocks *blocks, struct trace_file_counts *counts)
{
    struct trace_file_block *block;
    int err;

    while (!(err = trace_file_blocks_next(blocks, &block))) {
        err = count_block(blocks, counts, block);
        if (err == EBADMSG)
            trace_file_blocks_fail(blocks, block->offset, "a block's contents are invalid");
        trace_file_block_release(blocks, block);
        if (err && err != EBADMSG)
            break;
    }
    return err == ENODATA ? blocks->error.code : err;
}

int trace_file_count(const struct trace_file_blocks *blocks, struct trace_file_counts *ret_counts)
{
    struct trace_file_blocks own = {
        .source = perf_data_source_borrow(&blocks->source),
        .swap = blocks->swap,
    };
    struct trace_file_index index = {0};
    int err;

    own.source.offset = TRACE_FILE_PROLOG_BYTES;
    trace_file_blocks_read_ahead(&own);
    err = trace_file_index_read(&own, &index);
    if (!err)
        err = count_indexed(&own, &index, ret_counts);
    if (err == EBADMSG || err == ENODATA) {
        trace_file_counts_free(ret_counts);
        trace_file_blocks_rewind(&own);
        err = count_blocks(&own, ret_counts);
    }
    trace_file_index_free(&index);
    trace_file_blocks_end(&own);
    return err;
}

void trace_file_counts_free(struct trace_file_counts *counts)
{
    trace_file_tables_free(&counts->tables);
    free(counts->events);
    *counts = (struct trace_file_counts){0};
}
