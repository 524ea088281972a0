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

static bool is_before(const struct cairn_tracefile_cursor *a,
                      const struct cairn_tracefile_cursor *b)
{
    if (a->event.time_ns != b->event.time_ns)
        return a->event.time_ns < b->event.time_ns;
    return a->sequence < b->sequence;
}

static void sift_down(struct cairn_tracefile_reader *reader, uint32_t at)
{
    struct cairn_tracefile_cursor **heap = reader->heap;

    for (;;) {
        uint32_t least = 2 * at + 1;
        struct cairn_tracefile_cursor *moved = heap[at];

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

static int push(struct cairn_tracefile_reader *reader, struct cairn_tracefile_cursor *cursor)
{
    uint32_t at = reader->heap_count;

    if (at == reader->heap_capacity) {
        uint32_t capacity = at ? 2 * at : 64;
        void *bigger = realloc(reader->heap, capacity * sizeof(*reader->heap));

        if (!bigger)
            return ENOMEM;
        reader->heap = (struct cairn_tracefile_cursor **)bigger;
        reader->heap_capacity = capacity;
    }
    reader->heap_count++;
    for (; at && is_before(cursor, reader->heap[(at - 1) / 2]); at = (at - 1) / 2)
        reader->heap[at] = reader->heap[(at - 1) / 2];
    reader->heap[at] = cursor;
    return 0;
}

static void damaged_piece(struct cairn_tracefile_reader *reader,
                          const struct cairn_tracefile_cursor *cursor)
{
    cairn_tracefile_blocks_fail(&reader->blocks, cursor->event.offset,
                                "a record in a block of events is invalid");
}

/* Moves the first piece on from the event that was returned. */
static void advance(struct cairn_tracefile_reader *reader)
{
    struct cairn_tracefile_cursor *first = reader->heap[0];
    int err = cairn_tracefile_cursor_next(reader, first);

    if (err) {
        if (err == EBADMSG)
            damaged_piece(reader, first);
        cairn_tracefile_cursor_end(reader, first);
        reader->heap[0] = reader->heap[--reader->heap_count];
    }
    if (reader->heap_count)
        sift_down(reader, 0);
}

/* ---- blocks ---- */

static int add_pieces(struct cairn_tracefile_reader *reader, struct cairn_tracefile_block *block)
{
    struct cairn_cursor c = cairn_cursor(block->data, block->size_bytes, reader->blocks.swap);
    int err = 0;

    while (c.left && !err) {
        struct cairn_tracefile_cursor *cursor;

        err = cairn_tracefile_cursor_begin(reader, block, &c, &cursor);
        if (err)
            break;
        err = cairn_tracefile_cursor_next(reader, cursor);
        if (!err)
            err = push(reader, cursor);
        else if (err == EBADMSG)
            damaged_piece(reader, cursor);
        if (err)
            cairn_tracefile_cursor_end(reader, cursor);
        if (err == ENODATA || err == EBADMSG)
            err = 0; /* the next piece may be whole */
    }
    return err;
}

static int end_round(struct cairn_tracefile_reader *reader, struct cairn_cursor c)
{
    uint64_t round_ns = cairn_cursor_u64(&c);

    if (round_ns > reader->round_ns)
        reader->round_ns = round_ns;
    reader->is_round_new = true;
    return c.error;
}

static int apply(struct cairn_tracefile_reader *reader, struct cairn_tracefile_block *block)
{
    struct cairn_cursor c = cairn_cursor(block->data, block->size_bytes, reader->blocks.swap);
    struct cairn_tracefile_tables *tables = &reader->tables;

    switch (block->type) {
    case CAIRN_TRACEFILE_HOST:
        return cairn_tracefile_tables_host(tables, c);
    case CAIRN_TRACEFILE_CLOCKS:
        return cairn_tracefile_clocks_add(&tables->clocks, c);
    case CAIRN_TRACEFILE_PROCESSES:
        return cairn_tracefile_tables_processes(tables, c);
    case CAIRN_TRACEFILE_NAMES:
        return cairn_tracefile_tables_names(tables, c);
    case CAIRN_TRACEFILE_DESCRIPTORS:
        return cairn_tracefile_tables_descriptors(tables, c);
    case CAIRN_TRACEFILE_IDS:
        return cairn_tracefile_tables_ids(tables, c);
    case CAIRN_TRACEFILE_LOSSES:
        return cairn_tracefile_tables_losses(tables, c);
    case CAIRN_TRACEFILE_EVENTS:
        return add_pieces(reader, block);
    case CAIRN_TRACEFILE_ROUND:
        return end_round(reader, c);
    default: /* the index, the end, or a later version's */
        return 0;
    }
}

static int read_one(struct cairn_tracefile_reader *reader)
{
    struct cairn_tracefile_block *block;
    int err = cairn_tracefile_blocks_next(&reader->blocks, &block);

    if (err == ENODATA) {
        reader->is_at_end = true;
        return 0;
    }
    if (err)
        return err;
    err = apply(reader, block);
    if (err == EBADMSG) {
        cairn_tracefile_blocks_fail(&reader->blocks, block->offset,
                                    "a block's contents are invalid");
        err = 0;
    }
    cairn_tracefile_block_release(&reader->blocks, block);
    return err;
}

/* ---- reading ---- */

int cairn_tracefile_reader_begin(struct cairn_tracefile_reader *reader, struct cairn_source *source,
                                 struct cairn_block_pool *pool)
{
    *reader = (struct cairn_tracefile_reader){.blocks = {.source = *source, .pool = *pool}};
    *source = (struct cairn_source){.fd = -1};
    *pool = (struct cairn_block_pool){0};
    return cairn_tracefile_blocks_begin(&reader->blocks);
}

/* True if no event can come that is earlier than the heap's first. */
static bool is_ready(const struct cairn_tracefile_reader *reader)
{
    return reader->heap_count &&
           (reader->is_at_end || reader->heap[0]->event.time_ns <= reader->round_ns ||
            reader->blocks.held_bytes > HELD_MAX_BYTES);
}

/* True once after the last event of a stream's round. */
static bool pauses(struct cairn_tracefile_reader *reader)
{
    bool pauses = reader->is_round_new && !reader->blocks.source.map;

    reader->is_round_new = false;
    return pauses;
}

int cairn_tracefile_reader_next(struct cairn_tracefile_reader *reader,
                                struct cairn_tracefile_event *ret_event)
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

const char *cairn_tracefile_reader_name(struct cairn_tracefile_reader *reader,
                                        const struct cairn_tracefile_event *event)
{
    uint32_t process = event->process ? event->process->number : 0;

    return cairn_tracefile_tables_name(&reader->tables, process, event->tid, event->time_ns);
}

uint64_t cairn_tracefile_reader_lost(const struct cairn_tracefile_reader *reader)
{
    uint64_t lost = 0;

    for (size_t cause = 0; cause < CAIRN_LOSS_CAUSES; cause++)
        lost += reader->tables.missing.lost[cause];
    return lost > reader->lost_in_records ? lost : reader->lost_in_records;
}

void cairn_tracefile_reader_end(struct cairn_tracefile_reader *reader)
{
    for (uint32_t n = 0; n < reader->heap_count; n++)
        cairn_tracefile_cursor_end(reader, reader->heap[n]);
    free(reader->heap);
    cairn_tracefile_tables_free(&reader->tables);
    cairn_tracefile_blocks_end(&reader->blocks);
    *reader = (struct cairn_tracefile_reader){0};
}
