/* SPDX-License-Identifier: MIT */
/*
 * Events in the order of time: the pieces that were read are merged by a heap, up to the time that
 * a round guarantees.
 */
#include "trace_file/reader.h"

#include "trace_file/extent.h"
#include "trace_file/piece_cursor.h"

#include <errno.h>
#include <stdlib.h>

/* Without rounds at most this much is held; then the earliest event is returned. */
#define HELD_MAX_BYTES ((size_t)256 << 20)

/* Times in the index may differ from ours by this much: when a block was written, fewer pairs of
 * clocks were known. */
#define CLOCKS_DIFFER_NS UINT64_C(10000000)

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

/* Moves the first piece past the event that was returned. */
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
            err = 0; /* the next piece may be undamaged */
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

    if (block->type == TRACE_FILE_EVENTS)
        return add_pieces(reader, block);
    if (block->type == TRACE_FILE_ROUND)
        return end_round(reader, c);
    return trace_file_tables_apply(&reader->tables, block->type, c);
}

static int apply_block(struct trace_file_reader *reader, struct trace_file_block *block)
{
    int err = apply(reader, block);

    if (err == EBADMSG) {
        trace_file_blocks_fail(&reader->blocks, block->offset, "a block's contents are invalid");
        err = 0;
    }
    trace_file_block_release(&reader->blocks, block);
    return err;
}

static int read_next_block(struct trace_file_reader *reader)
{
    struct trace_file_block *block;
    int err = trace_file_blocks_next(&reader->blocks, &block);

    if (err == ENODATA) {
        reader->is_at_end = true;
        return 0;
    }
    return err ? err : apply_block(reader, block);
}

/* ---- blocks by the index ---- */

static bool is_wanted(const struct trace_file_reader *reader,
                      const struct trace_file_index_entry *entry)
{
    if (entry->type == TRACE_FILE_EVENTS)
        return entry->events && entry->last_ns >= reader->since_ns &&
               entry->first_ns <= reader->until_ns;
    return entry->type != TRACE_FILE_ROUND && entry->type != TRACE_FILE_CLOCKS;
}

/* Handles an index that contradicts a block: reads the file block by block, from the first one, or
 * from this one if events were already returned. */
static int distrust(struct trace_file_reader *reader, uint64_t number)
{
    const struct trace_file_index_entry *entry = &reader->index.entries[number];
    struct perf_data_source *source = &reader->blocks.source;

    trace_file_blocks_fail(&reader->blocks, entry->offset, "the index is wrong about this block");
    source->offset = reader->has_started ? entry->offset : TRACE_FILE_PROLOG_BYTES;
    reader->blocks.sequence = reader->has_started ? (uint32_t)number : 0;
    while (!reader->has_started && reader->heap_count)
        trace_file_cursor_end(reader, reader->heap[--reader->heap_count]);
    trace_file_index_free(&reader->index);
    return 0;
}

static bool is_as_indexed(const struct trace_file_reader *reader,
                          const struct trace_file_index_entry *entry,
                          const struct trace_file_block *block)
{
    struct trace_file_extent extent = {0};
    bool is_same = block->type == entry->type;

    if (is_same && block->type == TRACE_FILE_EVENTS &&
        !trace_file_extent_of_heads(&reader->tables, block, reader->blocks.swap, &extent))
        is_same = extent.events == entry->events && extent.last_ns >= entry->first_ns &&
                  extent.last_ns <= entry->last_ns + CLOCKS_DIFFER_NS;
    return is_same;
}

/* Reads the block of an entry. One that is damaged is left out. */
static int read_indexed(struct trace_file_reader *reader, uint64_t number)
{
    const struct trace_file_index_entry *entry = &reader->index.entries[number];
    struct trace_file_block *block;
    int err;

    reader->blocks.source.offset = entry->offset;
    reader->blocks.sequence = (uint32_t)number;
    err = trace_file_blocks_next(&reader->blocks, &block);
    if (err)
        return err == ENODATA ? 0 : err;
    if (block->offset != entry->offset || !is_as_indexed(reader, entry, block)) {
        bool is_damaged = block->offset != entry->offset;

        trace_file_block_release(&reader->blocks, block);
        return is_damaged ? 0 : distrust(reader, number);
    }
    return apply_block(reader, block);
}

static int read_one(struct trace_file_reader *reader)
{
    if (!reader->index.count)
        return read_next_block(reader);
    while (reader->index_next < reader->index.count) {
        uint64_t number = reader->index_next++;

        if (is_wanted(reader, &reader->index.entries[number]))
            return read_indexed(reader, number);
    }
    reader->is_at_end = true;
    return 0;
}

/* Reads all pairs of clocks, which times depend on. */
static int read_clocks(struct trace_file_reader *reader)
{
    int err = 0;

    for (uint64_t n = 0; n < reader->index.count && !err; n++) {
        if (reader->index.entries[n].type == TRACE_FILE_CLOCKS)
            err = read_indexed(reader, n);
    }
    return err;
}

static int make_later(struct trace_file_reader *reader)
{
    uint64_t count = reader->index.count;

    reader->later_ns = (uint64_t *)calloc(count + 1, sizeof(*reader->later_ns));
    if (!reader->later_ns)
        return ENOMEM;
    reader->later_ns[count] = UINT64_MAX;
    for (uint64_t n = count; n--;) {
        const struct trace_file_index_entry *entry = &reader->index.entries[n];

        reader->later_ns[n] = reader->later_ns[n + 1];
        if (entry->type == TRACE_FILE_EVENTS && is_wanted(reader, entry) &&
            entry->first_ns < reader->later_ns[n])
            reader->later_ns[n] = entry->first_ns;
    }
    return 0;
}

int trace_file_reader_set_range(struct trace_file_reader *reader, uint64_t since_ns,
                                uint64_t until_ns)
{
    int err = reader->index.count ? 0 : trace_file_index_read(&reader->blocks, &reader->index);

    reader->is_range = true;
    reader->since_ns = since_ns;
    reader->until_ns = until_ns;
    if (err == EBADMSG)
        trace_file_blocks_fail(&reader->blocks, reader->blocks.source.end, "the index is invalid");
    if (err)
        return err == ENOMEM ? ENOMEM : 0;
    err = read_clocks(reader);
    free(reader->later_ns);
    return err ? err : make_later(reader);
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

/* True if no event that is read later can be earlier than the first one of the heap. */
static bool is_ready(const struct trace_file_reader *reader)
{
    uint64_t first_ns = reader->heap_count ? reader->heap[0]->event.time_ns : 0;
    uint64_t later_ns =
        reader->index.count ? reader->later_ns[reader->index_next] : reader->round_ns;

    return reader->heap_count && (reader->is_at_end || first_ns <= later_ns ||
                                  reader->blocks.held_bytes > HELD_MAX_BYTES);
}

/* Returns true once after the last event of a stream's round. */
static bool pauses(struct trace_file_reader *reader)
{
    bool pauses = reader->is_round_new && !reader->blocks.source.map;

    reader->is_round_new = false;
    return pauses;
}

static bool is_in_range(const struct trace_file_reader *reader)
{
    uint64_t time_ns = reader->heap[0]->event.time_ns;

    return !reader->is_range || (time_ns >= reader->since_ns && time_ns <= reader->until_ns);
}

int trace_file_reader_next(struct trace_file_reader *reader, struct trace_file_event *ret_event)
{
    if (reader->has_event)
        advance(reader);
    reader->has_event = false;
    for (;;) {
        int err;

        if (is_ready(reader) && is_in_range(reader))
            break;
        if (is_ready(reader)) {
            advance(reader);
            continue;
        }
        if (reader->is_at_end)
            return reader->blocks.error.code ? reader->blocks.error.code : ENODATA;
        if (pauses(reader))
            return EAGAIN;
        err = read_one(reader);
        if (err)
            return err;
    }
    reader->has_event = reader->has_started = true;
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
    free(reader->later_ns);
    trace_file_index_free(&reader->index);
    trace_file_tables_free(&reader->tables);
    trace_file_blocks_end(&reader->blocks);
    *reader = (struct trace_file_reader){0};
}
