/* SPDX-License-Identifier: MIT */
/* Blocks of records that programs wrote. */
#include "trace_file/copies.h"

#include <errno.h>
#include <string.h>

void trace_file_copies_begin(struct trace_file_copies *copies, struct trace_file_writer *writer,
                             struct trace_file_tables_writer *tables)
{
    *copies = (struct trace_file_copies){.writer = writer, .tables = tables, .number = 1};
}

void trace_file_copies_free(struct trace_file_copies *copies)
{
    perf_data_bytes_free(&copies->block);
    perf_data_bytes_free(&copies->extent.counts);
    perf_data_map_free(&copies->position_of);
}

/* ---- pieces ---- */

struct copies_piece_header {
    uint32_t size;
    uint32_t record_bytes;
    uint32_t process;
    uint32_t tid;
    uint32_t cpu;
    uint32_t domain;
    uint64_t base;
    uint64_t last;
    uint32_t events;
    uint32_t flags;
};

_Static_assert(sizeof(struct copies_piece_header) == TRACE_FILE_PIECE_BYTES, "no padding");

static void note_times(struct trace_file_copies *copies)
{
    const struct trace_file_copied *piece = &copies->piece;
    struct trace_file_extent *extent = &copies->extent;

    if (!extent->events || piece->first_ns < extent->first_ns)
        extent->first_ns = piece->first_ns;
    if (piece->last_ns > extent->last_ns)
        extent->last_ns = piece->last_ns;
    extent->events += piece->events;
    if (piece->last_ns > copies->latest_ns)
        copies->latest_ns = piece->last_ns;
}

void trace_file_copies_end_piece(struct trace_file_copies *copies)
{
    const struct trace_file_piece_head *head = &copies->head;
    const struct trace_file_copied *piece = &copies->piece;
    struct copies_piece_header header = {
        .record_bytes = (uint32_t)piece->size_bytes,
        .process = head->process,
        .tid = head->tid,
        .cpu = head->cpu,
        .domain = head->domain,
        .base = head->base,
        .last = piece->last,
        .events = piece->events,
        .flags = head->flags,
    };

    if (!copies->is_open)
        return;
    copies->is_open = false;
    if (!piece->events) {
        copies->block.size = copies->piece_at;
        return;
    }
    perf_data_bytes_align(&copies->block);
    header.size = (uint32_t)(copies->block.size - copies->piece_at);
    memcpy(copies->block.data + copies->piece_at, &header, sizeof(header));
    note_times(copies);
}

void trace_file_copies_piece(struct trace_file_copies *copies,
                             const struct trace_file_piece_head *head)
{
    trace_file_copies_end_piece(copies);
    copies->head = *head;
    copies->piece = (struct trace_file_copied){0};
    copies->piece_at = copies->block.size;
    perf_data_bytes_put_zeros(&copies->block, TRACE_FILE_PIECE_BYTES);
    copies->is_open = !copies->block.error;
    copies->pieces++;
}

uint8_t *trace_file_copies_room(struct trace_file_copies *copies, size_t size_bytes)
{
    return copies->is_open ? perf_data_bytes_room(&copies->block, size_bytes) : NULL;
}

void trace_file_copies_add(struct trace_file_copies *copies, const struct trace_file_copied *copied)
{
    struct trace_file_copied *piece = &copies->piece;

    copies->block.size += copied->size_bytes;
    piece->size_bytes += copied->size_bytes;
    if (!copied->events)
        return;
    if (!piece->events) {
        piece->first = copied->first;
        piece->first_ns = copied->first_ns;
    }
    piece->events += copied->events;
    piece->last = copied->last;
    piece->last_ns = copied->last_ns;
}

/* ---- counts ---- */

/* Finds the place of a count, or makes one. */
static int find_position(struct trace_file_copies *copies, uint32_t descriptor, uint32_t *ret_index)
{
    struct trace_file_extent *extent = &copies->extent;
    uint64_t key = (uint64_t)copies->head.process << 32 | descriptor;
    uint32_t index = perf_data_map_get(&copies->position_of, key);

    if (index == PERF_DATA_MAP_NONE) {
        index = extent->count_entries;
        if (perf_data_map_set(&copies->position_of, key, index))
            return ENOMEM;
        perf_data_bytes_put_u32(&extent->counts, copies->head.process);
        perf_data_bytes_put_u32(&extent->counts, descriptor);
        perf_data_bytes_put_u64(&extent->counts, 0);
        extent->count_entries += !extent->counts.error;
    }
    *ret_index = index;
    return extent->counts.error;
}

void trace_file_copies_count(struct trace_file_copies *copies,
                             struct trace_file_count_position *position, uint32_t descriptor,
                             uint32_t events)
{
    uint64_t count;
    uint8_t *at;
    int err = 0;

    if (position->block != copies->number) {
        position->block = copies->number;
        err = find_position(copies, descriptor, &position->index);
    }
    if (err || copies->extent.counts.error) {
        copies->block.error = ENOMEM;
        return;
    }
    at = copies->extent.counts.data + (size_t)position->index * TRACE_FILE_INDEX_COUNT_BYTES +
         2 * sizeof(uint32_t);
    memcpy(&count, at, sizeof(count));
    count += events;
    memcpy(at, &count, sizeof(count));
}

/* ---- blocks ---- */

static void begin_block(struct trace_file_copies *copies)
{
    copies->block.size = 0;
    copies->extent.counts.size = 0;
    copies->extent = (struct trace_file_extent){.counts = copies->extent.counts};
    perf_data_map_free(&copies->position_of);
    copies->position_of = (struct perf_data_map){0};
    copies->number = copies->number == UINT32_MAX ? 1 : copies->number + 1; /* 0: none */
}

int trace_file_copies_flush(struct trace_file_copies *copies)
{
    int err;

    trace_file_copies_end_piece(copies);
    err = trace_file_tables_write(copies->tables, copies->writer);
    if (!err && (copies->block.size || copies->block.error))
        err = trace_file_writer_block(copies->writer, TRACE_FILE_EVENTS, &copies->block,
                                      &copies->extent);
    if (err)
        copies->unstored += copies->extent.events;
    begin_block(copies);
    return err;
}
