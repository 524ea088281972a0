/* SPDX-License-Identifier: MIT */
/* Times and numbers of the events of a block. */
#include "trace_file/extent.h"

#include "core/cursor.h"
#include "trace_file/counting.h"
#include "trace_file/perf.h"
#include "trace_file/piece_cursor.h"

#include <errno.h>

struct piece {
    struct core_cursor records;
    uint32_t process;
    uint32_t domain;
    uint32_t flags;
    uint32_t events; /* as the head says */
    uint64_t base;
    uint64_t last;
};

/* Counts of a piece. The next record mostly has the same descriptor. */
struct extent_counting {
    const struct trace_file_tables *tables;
    struct trace_file_extent *extent;
    struct trace_file_counting of_block;
    const struct piece *piece;
    uint32_t recent; /* id of the record that was counted last; 0: none */
    uint32_t recent_number;
    uint64_t waiting; /* number of its events that were not added yet */
};

static int take_piece(struct core_cursor *c, struct piece *ret_piece)
{
    uint32_t size = core_cursor_u32(c);
    uint32_t record_bytes = core_cursor_u32(c);
    const uint8_t *records;

    ret_piece->process = core_cursor_u32(c);
    core_cursor_u32(c); /* thread */
    core_cursor_u32(c); /* CPU */
    ret_piece->domain = core_cursor_u32(c);
    ret_piece->base = core_cursor_u64(c);
    ret_piece->last = core_cursor_u64(c);
    ret_piece->events = core_cursor_u32(c);
    ret_piece->flags = core_cursor_u32(c);
    if (c->error || size < TRACE_FILE_PIECE_BYTES || record_bytes > size - TRACE_FILE_PIECE_BYTES)
        return EBADMSG;
    records = (const uint8_t *)core_cursor_take(c, size - TRACE_FILE_PIECE_BYTES);
    if (!records)
        return EBADMSG;
    ret_piece->records = core_cursor(records, record_bytes, c->swap);
    return 0;
}

static uint64_t time_of(const struct trace_file_tables *tables, const struct piece *piece,
                        uint64_t counter)
{
    return piece->flags & TRACE_FILE_PIECE_NS
               ? counter
               : trace_file_clocks_time(&tables->clocks, piece->domain, counter);
}

static void add_times(struct trace_file_extent *extent, const struct trace_file_tables *tables,
                      const struct piece *piece, uint64_t first, uint64_t last)
{
    uint64_t first_ns = time_of(tables, piece, first);
    uint64_t last_ns = time_of(tables, piece, last);

    if (!extent->events || first_ns < extent->first_ns)
        extent->first_ns = first_ns;
    if (!extent->events || last_ns > extent->last_ns)
        extent->last_ns = last_ns;
}

int trace_file_extent_of_heads(const struct trace_file_tables *tables,
                               const struct trace_file_block *block, bool swap,
                               struct trace_file_extent *ret_extent)
{
    struct core_cursor c = core_cursor(block->data, block->size_bytes, swap);

    if (block->type == TRACE_FILE_PERF)
        return trace_file_perf_extent_of_heads(block, swap, ret_extent);
    while (c.left) {
        struct piece piece;
        int err = take_piece(&c, &piece);

        if (err)
            return err;
        if (piece.events)
            add_times(ret_extent, tables, &piece, piece.base, piece.last);
        ret_extent->events += piece.events;
    }
    return 0;
}

/* ---- counts ---- */

static int add_count(struct extent_counting *counting)
{
    uint64_t events = counting->waiting;

    counting->waiting = 0;
    return events
               ? trace_file_counting_add(&counting->of_block, counting->extent,
                                         counting->piece->process, counting->recent_number, events)
               : 0;
}

static int count(struct extent_counting *counting, uint32_t number)
{
    int err;

    if (number == counting->recent) {
        counting->waiting++;
        return 0;
    }
    err = add_count(counting);
    counting->recent = number;
    counting->recent_number = number;
    if (!(counting->piece->flags & TRACE_FILE_PIECE_FILE_IDS))
        counting->recent_number =
            trace_file_tables_number(counting->tables, counting->piece->process, number);
    counting->waiting = 1;
    return err;
}

static int count_piece(struct extent_counting *counting, struct piece *piece)
{
    uint64_t first = UINT64_MAX;
    uint64_t last = 0;
    uint32_t events = 0;
    int err = 0;

    counting->piece = piece;
    counting->recent = 0;
    while (piece->records.left && !err) {
        struct trace_file_record record;

        err = trace_file_record_take(&piece->records, &record);
        if (!err && record.number == CORE_RECORD_CONTROL) {
            struct core_cursor c = core_cursor(record.data, record.data_bytes, piece->records.swap);
            uint32_t kind = core_cursor_u32(&c);

            if (kind == CORE_CONTROL_BASE || kind == CORE_CONTROL_BASE_NS)
                piece->base = core_cursor_u64(&c);
            err = c.error;
        } else if (!err) {
            uint64_t counter = piece->base + record.time;

            first = counter < first ? counter : first;
            last = counter > last ? counter : last;
            events++;
            err = count(counting, record.number);
        }
    }
    err = err ? err : add_count(counting);
    if (events)
        add_times(counting->extent, counting->tables, piece, first, last);
    counting->extent->events += events;
    return err;
}

int trace_file_extent_of(const struct trace_file_tables *tables,
                         const struct trace_file_block *block, bool swap,
                         struct trace_file_extent *ret_extent)
{
    struct extent_counting counting = {.tables = tables, .extent = ret_extent};
    struct core_cursor c = core_cursor(block->data, block->size_bytes, swap);
    int err = 0;

    if (block->type == TRACE_FILE_PERF)
        return trace_file_perf_extent_of(tables, block, swap, ret_extent);
    while (c.left && !err) {
        struct piece piece;

        err = take_piece(&c, &piece);
        err = err ? err : count_piece(&counting, &piece);
    }
    trace_file_counting_free(&counting.of_block);
    return err;
}
