/* SPDX-License-Identifier: MIT */
/*
 * Events in the order of time: the pieces that were read are merged by a heap, up to the time that
 * a round guarantees.
 */
#include "trace_file/reader.h"

#include "trace_file/piece_cursor.h"

#include <errno.h>
#include <stdlib.h>

#define HELD_MAX_BYTES                                                         \
    ((size_t)256 << 20) /* without rounds: then the earliest event is returned \
                         */

/* ---- heap ---- */

static bool is_before(const struct trace_file_cursor *a, const struct trace_file_cursor *b)
{
    if (a->event.time_ns != b->event.time_ns)
        return a->event.time_ns < b->event.time_ns;
    return a->sequence < b->sequence;
}

static void sift_down(struct trace_file_reader *reader, uint32_t at)
{
    struct trace_file_cursor **heap = reader->heap;

    for (;;) {
        uint32_t least = 2 * at + 1;
        struct trace_file_cursor *moved = heap[at];

        if (least >= reader->heap_count)
            return;
        if (least + 1 < reader->heap_count && is_before(heap[least + 1], heap[least]))
            least++;
        if (!is_before(heap[least], moved))
            return;
        heap[at] = heap[least];
        heap[least] = moved;
        at = least;
    }
}

static int push(struct trace_file_reader *reader, struct trace_file_cursor *cursor)
{
    uint32_t at = reader->heap_count;

    if (at == reader->heap_capacity) {
        uint32_t capacity = at ? 2 * at : 64;
        void *bigger = realloc(reader->heap, capacity * sizeof(void *));

        if (!bigger)
            return ENOMEM;
        reader->heap = (struct trace_file_cursor **)bigger;
        reader->heap_capacity = capacity;
    }
    reader->heap_count++;
    for (; at && is_before(cursor, reader->heap[(at - 1) / 2]); at = (at - 1) / 2)
        reader->heap[at] = reader->heap[(at - 1) / 2];
    reader->heap[at] = cursor;
    return 0;
}

static void damaged_piece(struct trace_file_reader *reader, const struct trace_file_cursor *cursor)
{
    trace_file_blocks_fail(&reader->blocks, cursor->event.offset,
                           "a record in a block of events is invalid");
}

/* Moves the first piece on from the event that was returned. */
static void advance(struct trace_file_reader *reader)
{
    struct trace_file_cursor *first = reader->heap[0];
    int err = trace_file_cursor_next(reader, first);

    if (err) {
        if (err == EBADMSG)
            damaged_piece(reader, first);
        trace_file_cursor_end(reader, first);
        reader->heap[0] = reader->heap[--reader->heap_count];
    }
    if (reader->heap_count)
        sift_down(reader, 0);
}

/* ---- blocks ---- */

static int add_pieces(struct trace_file_reader *reader, struct trace_file_block *block)
{
    struct core_cursor c = core_cursor(block->data, block->size_bytes, reader->blocks.swap);
    int err = 0;

    while (c.left && !err) {
        struct trace_file_cursor *cursor;

        err = trace_file_cursor_begin(reader, block, &c, &cursor);
        if (err)
            break;
        err = trace_file_cursor_next(reader, cursor);
        if (!err)
            err = push(reader, cursor);
        else if (err == EBADMSG)
            damaged_piece(reader, cursor);
        if (err)
            trace_file_cursor_end(reader, cursor);
        if (err == ENODATA || err == EBADMSG)
            err = 0; /* the next piece may be whole */
    }
    return err;
}

static int end_round(struct trace_file_reader *reader, struct core_cursor c)
{
    uint64_t round_ns = core_cursor_u64(&c);

    if (round_ns > reader->round_ns)
        reader->round_ns = round_ns;
    reader->is_round_new = true;
    return c.error;
}

static int apply(struct trace_file_reader *reader, struct trace_file_block *block)
{
    struct core_cursor c = core_cursor(block->data, block->size_bytes, reader->blocks.swap);
    struct trace_file_tables *tables = &reader->tables;

    switch (block->type) {
    case TRACE_FILE_HOST:
        return trace_file_tables_host(tables, c);
    case TRACE_FILE_CLOCKS:
        return trace_file_clocks_add(&tables->clocks, c);
    case TRACE_FILE_PROCESSES:
        return trace_file_tables_processes(tables, c);
    case TRACE_FILE_NAMES:
        return trace_file_tables_names(tables, c);
    case TRACE_FILE_DESCRIPTORS:
        return trace_file_tables_descriptors(tables, c);
    case TRACE_FILE_IDS:
        return trace_file_tables_ids(tables, c);
    case TRACE_FILE_LOSSES:
        return trace_file_tables_losses(tables, c);
    case TRACE_FILE_EVENTS:
        return add_pieces(reader, block);
    case TRACE_FILE_ROUND:
        return end_round(reader, c);
    default: /* the index, the end, or a later version's */
        return 0;
    }
}

static int read_one(struct trace_file_reader *reader)
{
    struct trace_file_block *block;
    int err = trace_file_blocks_next(&reader->blocks, &block);

    if (err == ENODATA) {
        reader->is_at_end = true;
        return 0;
    }
    if (err)
        return err;
    err = apply(reader, block);
    if (err == EBADMSG) {
        trace_file_blocks_fail(&reader->blocks, block->offset, "a block's contents are invalid");
        err = 0;
    }
    trace_file_block_release(&reader->blocks, block);
    return err;
}

/* ---- reading ---- */

int trace_file_reader_begin(struct trace_file_reader *reader, struct perf_data_source *source,
                            struct perf_data_block_pool *pool)
{
    *reader = (struct trace_file_reader){.blocks = {.source = *source, .pool = *pool}};
    *source = (struct perf_data_source){.fd = -1};
    *pool = (struct perf_data_block_pool){0};
    return trace_file_blocks_begin(&reader->blocks);
}

/* True if no event can come that is earlier than the heap's first. */
static bool is_ready(const struct trace_file_reader *reader)
{
    return reader->heap_count &&
           (reader->is_at_end || reader->heap[0]->event.time_ns <= reader->round_ns ||
            reader->blocks.held_bytes > HELD_MAX_BYTES);
}

/* True once after the last event of a stream's round. */
static bool pauses(struct trace_file_reader *reader)
{
    bool pauses = reader->is_round_new && !reader->blocks.source.map;

    reader->is_round_new = false;
    return pauses;
}

int trace_file_reader_next(struct trace_file_reader *reader, struct trace_file_event *ret_event)
{
    if (reader->has_event)
        advance(reader);
    reader->has_event = false;
    while (!is_ready(reader)) {
        int err;

        if (reader->is_at_end)
            return reader->blocks.error.code ? reader->blocks.error.code : ENODATA;
        if (pauses(reader))
            return EAGAIN;
        err = read_one(reader);
        if (err)
            return err;
    }
    reader->has_event = true;
    *ret_event = reader->heap[0]->event;
    return 0;
}

const char *trace_file_reader_name(struct trace_file_reader *reader,
                                   const struct trace_file_event *event)
{
    uint32_t process = event->process ? event->process->number : 0;

    return trace_file_tables_name(&reader->tables, process, event->tid, event->time_ns);
}

uint64_t trace_file_reader_lost(const struct trace_file_reader *reader)
{
    uint64_t lost = 0;

    for (size_t cause = 0; cause < CAIRN_LOSS_CAUSES; cause++)
        lost += reader->tables.missing.lost[cause];
    return lost > reader->lost_in_records ? lost : reader->lost_in_records;
}

void trace_file_reader_end(struct trace_file_reader *reader)
{
    for (uint32_t n = 0; n < reader->heap_count; n++)
        trace_file_cursor_end(reader, reader->heap[n]);
    free(reader->heap);
    trace_file_tables_free(&reader->tables);
    trace_file_blocks_end(&reader->blocks);
    *reader = (struct trace_file_reader){0};
}
