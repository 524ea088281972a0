/* SPDX-License-Identifier: MIT */
/*
 * Events in the order of time: the pieces that were read are merged by a heap, up to the time that
 * a round guarantees.
 */
#include "trace_file/reader.h"

#include "trace_file/extent.h"
#include "trace_file/perf_cursor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

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

/* Sets the time before which the first piece's events come next: no other piece has one, and no
 * block that is read later. Changes of the heap, and blocks, reset it. */
static void set_alone(struct trace_file_reader *reader, uint64_t limit_ns)
{
    for (uint32_t n = 1; n < 3 && n < reader->heap_count; n++) {
        if (reader->heap[n]->event.time_ns < limit_ns)
            limit_ns = reader->heap[n]->event.time_ns;
    }
    reader->alone_ns = limit_ns;
}

/* Makes space for another pointer. Returns 0; ENOMEM. */
static int grow(struct trace_file_cursor ***array, uint32_t count, uint32_t *capacity)
{
    uint32_t more = count ? 2 * count : 64;
    void *bigger;

    if (count < *capacity)
        return 0;
    bigger = realloc(*array, more * sizeof(void *));
    if (!bigger)
        return ENOMEM;
    *array = (struct trace_file_cursor **)bigger;
    *capacity = more;
    return 0;
}

static int push(struct trace_file_reader *reader, struct trace_file_cursor *cursor)
{
    uint32_t at = reader->heap_count;
    int err = grow(&reader->heap, at, &reader->heap_capacity);

    if (err)
        return err;
    reader->heap_count++;
    reader->alone_ns = 0;
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

/* Keeps a piece for a later range. Without an index, blocks are read again for it. */
static int wait(struct trace_file_reader *reader, struct trace_file_cursor *cursor)
{
    int err = reader->index.count
                  ? grow(&reader->waiting, reader->waiting_count, &reader->waiting_capacity)
                  : ENODATA;

    if (!err)
        reader->waiting[reader->waiting_count++] = cursor;
    return err;
}

/* Puts a piece where its next event belongs, or ends it. Returns 0; ENOMEM. */
static int sort_in(struct trace_file_reader *reader, struct trace_file_cursor *cursor)
{
    int err = trace_file_cursor_next(reader, cursor);

    if (!err)
        err = push(reader, cursor);
    else if (err == EAGAIN)
        err = wait(reader, cursor);
    else if (err == EBADMSG)
        damaged_piece(reader, cursor);
    if (err)
        trace_file_cursor_end(reader, cursor);
    return err == ENOMEM ? ENOMEM : 0;
}

/* Puts the first piece, which was moved past the event that was returned, where it belongs. `err`:
 * why it has no next event. Returns 0; ENOMEM. */
static int sort_first(struct trace_file_reader *reader, int err)
{
    struct trace_file_cursor *first = reader->heap[0];

    reader->alone_ns = 0;
    if (cairn_unlikely(err)) {
        reader->heap[0] = reader->heap[--reader->heap_count];
        err = err == EAGAIN ? wait(reader, first) : err;
        if (err == EBADMSG)
            damaged_piece(reader, first);
        if (err)
            trace_file_cursor_end(reader, first);
    }
    if (reader->heap_count)
        sift_down(reader, 0);
    return err == ENOMEM ? ENOMEM : 0;
}

static int advance(struct trace_file_reader *reader)
{
    return sort_first(reader, trace_file_cursor_next(reader, reader->heap[0]));
}

/* ---- blocks ---- */

static void report_index(struct trace_file_reader *reader, uint64_t offset)
{
    trace_file_blocks_fail(&reader->blocks, offset, "the index is wrong about this block");
}

/* Has precedence over other damage, which may be the reason of it. */
void trace_file_reader_lacks_clocks(struct trace_file_reader *reader, uint64_t offset)
{
    if (reader->lacks_clocks)
        return;
    reader->lacks_clocks = true;
    reader->blocks.error = (struct cairn_perf_error){
        EBADMSG, offset, "the clocks of these events are missing: times are values of a counter"};
}

/*
 * Blocks are read one after the other, and the index says when the events of those that follow
 * begin: so fewer of them are held at a time than a round has, which may be many.
 */
static int look_for_index(struct trace_file_reader *reader)
{
    int err = trace_file_index_read(&reader->blocks, &reader->following);

    reader->has_looked = true;
    if (err) /* it is reported where it is read */
        return err == ENOMEM ? ENOMEM : 0;
    reader->following_ns = trace_file_index_later_ns(&reader->following, true);
    return reader->following_ns ? 0 : ENOMEM;
}

static int add_clocks(struct trace_file_reader *reader, struct trace_file_blocks *blocks,
                      uint64_t number)
{
    const struct trace_file_index_entry *entry = &reader->following.entries[number];
    struct trace_file_block *block;
    int err;

    blocks->source.offset = entry->offset;
    blocks->sequence = (uint32_t)number;
    err = trace_file_blocks_next(blocks, &block);
    if (err)
        return err == ENODATA ? 0 : err;
    if (block->offset == entry->offset && block->type == TRACE_FILE_CLOCKS)
        err =
            trace_file_clocks_add(&reader->tables.clocks,
                                  core_cursor(block->data, block->size_bytes, reader->blocks.swap));
    trace_file_block_release(blocks, block);
    return err == EBADMSG ? 0 : err;
}

/* Damage, and other errors, are reported where these blocks are read again. */
void trace_file_reader_find_clocks(struct trace_file_reader *reader)
{
    struct trace_file_blocks own = {
        .source = perf_data_source_borrow(&reader->blocks.source),
        .swap = reader->blocks.swap,
    };
    int err = 0;

    if (reader->has_all_clocks)
        return;
    reader->has_all_clocks = true;
    for (uint64_t n = 0; n < reader->following.count && !err; n++) {
        if (reader->following.entries[n].type == TRACE_FILE_CLOCKS)
            err = add_clocks(reader, &own, n);
    }
    trace_file_blocks_end(&own);
}

static void forget_following(struct trace_file_reader *reader)
{
    trace_file_index_free(&reader->following);
    free(reader->following_ns);
    reader->following_ns = NULL;
}

/* Makes no use of an index that contradicts a block. */
static void check_following(struct trace_file_reader *reader, const struct trace_file_block *block)
{
    uint64_t number = reader->blocks.sequence - 1;
    const struct trace_file_index_entry *entry;
    struct trace_file_extent extent = {0};
    bool is_same;

    if (number >= reader->following.count || !trace_file_has_events(block->type))
        return;
    entry = &reader->following.entries[number];
    is_same = block->offset == entry->offset && block->type == entry->type;
    if (is_same &&
        !trace_file_extent_of_heads(&reader->tables, block, reader->blocks.swap, &extent))
        is_same = extent.events == entry->events;
    if (is_same)
        return;
    report_index(reader, block->offset);
    forget_following(reader);
}

static int add_pieces(struct trace_file_reader *reader, struct trace_file_block *block)
{
    struct core_cursor c = core_cursor(block->data, block->size_bytes, reader->blocks.swap);
    int err = 0;

    while (c.left && !err) {
        struct trace_file_cursor *cursor;

        err = block->type == TRACE_FILE_PERF
                  ? trace_file_perf_cursor_begin(reader, block, &c, &cursor)
                  : trace_file_cursor_begin(reader, block, &c, &cursor);
        if (err == ENODATA) /* without events of the range */
            err = 0;
        else if (!err)
            err = sort_in(reader, cursor);
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

    reader->alone_ns = 0;
    if (trace_file_has_events(block->type))
        return add_pieces(reader, block);
    if (block->type == TRACE_FILE_ROUND)
        return end_round(reader, c);
    memset(reader->recent, 0, sizeof(reader->recent));
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
    if (!err)
        check_following(reader, block);
    return err ? err : apply_block(reader, block);
}

/* ---- blocks by the index ---- */

bool trace_file_reader_ask(struct trace_file_reader *reader,
                           const struct trace_file_descriptor *descriptor)
{
    uint32_t count = reader->tables.descriptor_count;
    bool is_wanted = reader->wants(reader->wants_context, descriptor);

    if (count > reader->wanted_count) {
        void *bigger = realloc(reader->wanted, count);

        if (!bigger)
            return is_wanted; /* and is asked again */
        reader->wanted = (uint8_t *)bigger;
        memset(reader->wanted + reader->wanted_count, 0, count - reader->wanted_count);
        reader->wanted_count = count;
    }
    reader->wanted[descriptor->index] = is_wanted ? 1 : 2;
    return is_wanted;
}

/* Blocks of the kernel's records have others than events, too. */
static bool has_wanted(struct trace_file_reader *reader, const struct trace_file_index_entry *entry)
{
    if (!reader->wants || entry->type != TRACE_FILE_EVENTS || !entry->count_entries)
        return true;
    for (uint32_t n = 0; n < entry->count_entries; n++) {
        const struct trace_file_descriptor *descriptor =
            trace_file_tables_descriptor(&reader->tables, entry->counts[n].descriptor);

        if (!descriptor || trace_file_reader_wants(reader, descriptor))
            return true;
    }
    return false;
}

/* Blocks after the range are read if others that follow are in it. */
static bool is_wanted(struct trace_file_reader *reader, const struct trace_file_index_entry *entry)
{
    return trace_file_has_events(entry->type) && entry->events &&
           trace_file_time_after(entry->last_ns, reader->margin_ns) >= reader->since_ns &&
           has_wanted(reader, entry);
}

/* Forgets all pieces. */
static void drop_pieces(struct trace_file_reader *reader)
{
    reader->alone_ns = 0;
    while (reader->heap_count)
        trace_file_cursor_end(reader, reader->heap[--reader->heap_count]);
    while (reader->waiting_count)
        trace_file_cursor_end(reader, reader->waiting[--reader->waiting_count]);
}

/* Handles an index that contradicts a block: reads the file block by block, from the first one, or
 * from this one if events were already returned. */
static int distrust(struct trace_file_reader *reader, uint64_t number)
{
    const struct trace_file_index_entry *entry = &reader->index.entries[number];
    struct perf_data_source *source = &reader->blocks.source;

    report_index(reader, entry->offset);
    source->offset = reader->has_started ? entry->offset : TRACE_FILE_PROLOG_BYTES;
    reader->blocks.sequence = reader->has_started ? (uint32_t)number : 0;
    if (!reader->has_started)
        drop_pieces(reader);
    trace_file_index_free(&reader->index);
    reader->is_index_wrong = true;
    return 0;
}

static bool is_as_indexed(const struct trace_file_reader *reader,
                          const struct trace_file_index_entry *entry,
                          const struct trace_file_block *block)
{
    struct trace_file_extent extent = {0};
    bool is_same = block->type == entry->type;

    if (is_same && trace_file_has_events(block->type) &&
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
    if (block->offset != entry->offset) {
        trace_file_block_release(&reader->blocks, block);
        return 0;
    }
    if (!is_as_indexed(reader, entry, block)) {
        if (!reader->index_end) {
            trace_file_block_release(&reader->blocks, block);
            return distrust(reader, number);
        }
        report_index(reader, block->offset);
    }
    return apply_block(reader, block);
}

/* True if no event of the range is in this entry or a later one. */
static bool is_past(const struct trace_file_reader *reader, uint64_t entry)
{
    uint64_t later_ns = reader->later_ns[entry];

    return later_ns > trace_file_time_after(reader->until_ns, reader->margin_ns);
}

static int read_one(struct trace_file_reader *reader)
{
    uint64_t end = reader->index_end ? reader->index_end : reader->index.count;

    if (!reader->index.count)
        return read_next_block(reader);
    while (reader->index_next < end && !is_past(reader, reader->index_next)) {
        uint64_t number = reader->index_next++;

        if (is_wanted(reader, &reader->index.entries[number]))
            return read_indexed(reader, number);
    }
    reader->is_at_end = true;
    return 0;
}

/* Reads the block of a table. Others are read as well, for their damage. */
static int read_table(struct trace_file_reader *reader, uint64_t number)
{
    uint64_t round_ns = reader->round_ns;
    int err = read_indexed(reader, number);

    reader->round_ns = round_ns; /* of blocks that were read in order */
    return err;
}

/* Reads all tables: times depend on all pairs of clocks, and blocks of events are then read in any
 * order. */
static int read_tables(struct trace_file_reader *reader)
{
    int err = 0;

    for (uint64_t n = 0; n < reader->index.count && !err; n++) {
        /* Names and losses of the kernel's records are in blocks without events. */
        if (reader->index.entries[n].type != TRACE_FILE_EVENTS && !reader->index.entries[n].events)
            err = read_table(reader, n);
    }
    reader->blocks.source.paged_in = 0; /* from the first block of events on again */
    reader->margin_ns = trace_file_clocks_margin_ns(&reader->tables.clocks);
    return err;
}

static int open_index(struct trace_file_reader *reader)
{
    int err = trace_file_index_read(&reader->blocks, &reader->index);

    if (err == EBADMSG)
        trace_file_blocks_fail(&reader->blocks, reader->blocks.source.end, "the index is invalid");
    if (err)
        return err == ENOMEM ? ENOMEM : 0;
    reader->later_ns = trace_file_index_later_ns(&reader->index, false);
    return reader->later_ns ? read_tables(reader) : ENOMEM;
}

/* Goes back to the first block. */
static void rewind_blocks(struct trace_file_reader *reader)
{
    drop_pieces(reader);
    trace_file_blocks_rewind(&reader->blocks);
    reader->round_ns = 0;
}

/* Continues with the pieces that waited for another range. */
static int resume(struct trace_file_reader *reader)
{
    uint32_t count = reader->waiting_count;
    int err = 0;

    reader->waiting_count = 0; /* those that still wait are put where others were */
    for (uint32_t n = 0; n < count; n++) {
        if (err) {
            trace_file_cursor_end(reader, reader->waiting[n]);
            continue;
        }
        trace_file_cursor_enter_range(reader, reader->waiting[n]);
        err = sort_in(reader, reader->waiting[n]);
    }
    return err;
}

int trace_file_reader_set_range(struct trace_file_reader *reader, uint64_t since_ns,
                                uint64_t until_ns)
{
    bool is_first = !reader->is_range;
    int err;

    reader->is_range = true;
    reader->since_ns = since_ns;
    reader->until_ns = until_ns;
    err = is_first ? open_index(reader) : 0;
    if (is_first && !reader->index.count)
        reader->margin_ns = CLOCKS_DIFFER_NS;
    else if (!is_first && !reader->index.count)
        rewind_blocks(reader);
    reader->has_event = false;
    reader->is_at_end = false;
    return err ? err : resume(reader);
}

void trace_file_reader_set_entries(struct trace_file_reader *reader, uint64_t first, uint64_t end)
{
    reader->index_next = first;
    reader->index_end = end;
}

/* ---- reading ---- */

int trace_file_reader_begin(struct trace_file_reader *reader, struct perf_data_source *source,
                            struct perf_data_block_pool *pool)
{
    *reader = (struct trace_file_reader){.blocks = {.source = *source, .pool = *pool},
                                         .margin_ns = CLOCKS_DIFFER_NS};
    *source = (struct perf_data_source){.fd = -1};
    *pool = (struct perf_data_block_pool){0};
    trace_file_blocks_read_ahead(&reader->blocks);
    return trace_file_blocks_begin(&reader->blocks);
}

static uint64_t before_margin(const struct trace_file_reader *reader, uint64_t time_ns)
{
    return time_ns > reader->margin_ns ? time_ns - reader->margin_ns : 0;
}

/* Events until this time are not later than those that are read later. */
static uint64_t ready_ns(const struct trace_file_reader *reader)
{
    uint64_t number = reader->blocks.sequence; /* of the next block */
    uint64_t later_ns = 0;

    if (reader->is_at_end)
        return UINT64_MAX;
    if (reader->index.count)
        return before_margin(reader, reader->later_ns[reader->index_next]);
    if (reader->following_ns && number < reader->following.count)
        later_ns = before_margin(reader, reader->following_ns[number]);
    return later_ns > reader->round_ns ? later_ns : reader->round_ns;
}

/* True if no event that is read later can be earlier than the first one of the heap. */
static bool is_ready(const struct trace_file_reader *reader)
{
    return reader->heap_count && (reader->heap[0]->event.time_ns <= ready_ns(reader) ||
                                  reader->blocks.held_bytes > HELD_MAX_BYTES);
}

/* Returns true once after the last event of a stream's round. */
static bool pauses(struct trace_file_reader *reader)
{
    bool pauses = reader->is_round_new && !reader->blocks.source.map;

    reader->is_round_new = false;
    return pauses;
}

/* Sets whether the first one of the heap is returned. A record of the kernel that is no event is
 * applied, also if it is earlier than the range. Returns 0; ENOMEM. */
static int examine(struct trace_file_reader *reader, bool *ret_is_returned)
{
    const struct trace_file_event *event = &reader->heap[0]->event;

    *ret_is_returned = true;
    if (cairn_likely(event->descriptor != NULL))
        return 0;
    *ret_is_returned = reader->with_others;
    return trace_file_perf_apply(reader, event);
}

/* Returns as trace_file_reader_next, which the first piece's event is then. */
static __attribute__((noinline)) int find_first(struct trace_file_reader *reader)
{
    bool is_returned = true;
    int err;

    for (;;) {
        if (is_ready(reader)) {
            err = examine(reader, &is_returned);
            if (!err && is_returned)
                break;
            err = err ? err : advance(reader);
            if (err)
                return err;
            continue;
        }
        if (reader->is_at_end)
            return reader->blocks.error.code ? reader->blocks.error.code : ENODATA;
        if (pauses(reader))
            return EAGAIN;
        err = reader->has_looked || reader->is_range ? 0 : look_for_index(reader);
        err = err ? err : read_one(reader);
        if (err)
            return err;
    }
    reader->has_event = reader->has_started = true;
    set_alone(reader, ready_ns(reader));
    return 0;
}

int trace_file_reader_take(struct trace_file_reader *reader,
                           const struct trace_file_event **ret_event)
{
    int err = 0;

    if (cairn_likely(reader->has_event)) {
        struct trace_file_cursor *first = reader->heap[0];

        err = trace_file_cursor_next(reader, first);
        if (cairn_likely(!err && first->event.time_ns < reader->alone_ns &&
                         first->event.descriptor)) {
            *ret_event = &first->event;
            return 0;
        }
        reader->has_event = false;
        err = sort_first(reader, err);
    }
    reader->turns++;
    err = err ? err : find_first(reader);
    if (!err)
        *ret_event = &reader->heap[0]->event;
    return err;
}

int trace_file_reader_next(struct trace_file_reader *reader, struct trace_file_event *ret_event)
{
    const struct trace_file_event *event;
    int err = trace_file_reader_take(reader, &event);

    if (!err)
        *ret_event = *event;
    return err;
}

const char *trace_file_reader_name(struct trace_file_reader *reader,
                                   const struct trace_file_event *event)
{
    uint32_t process = event->process ? event->process->number : 0;

    if (event->perf)
        return trace_file_perf_name(reader, event);
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
    drop_pieces(reader);
    free(reader->heap);
    free(reader->waiting);
    free((void *)reader->comms);
    perf_data_map_free(&reader->comm_of);
    free(reader->later_ns);
    forget_following(reader);
    free(reader->wanted);
    trace_file_index_free(&reader->index);
    trace_file_tables_free(&reader->tables);
    trace_file_blocks_end(&reader->blocks);
    *reader = (struct trace_file_reader){0};
}
