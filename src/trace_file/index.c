/* SPDX-License-Identifier: MIT */
/* Reading of the index. */
#include "trace_file/index.h"

#include "core/cursor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define END_BYTES (TRACE_FILE_BLOCK_HEADER_BYTES + 16u)

/* The index contains no events: damage in it is not reported as damage of events. */
struct position {
    uint64_t offset;
    uint64_t paged_in;
    uint32_t sequence;
    bool is_finished;
    struct cairn_perf_error error;
};

static struct position leave(const struct trace_file_blocks *blocks)
{
    return (struct position){blocks->source.offset, blocks->source.paged_in, blocks->sequence,
                             blocks->is_finished, blocks->error};
}

static void come_back(struct trace_file_blocks *blocks, const struct position *position)
{
    blocks->source.offset = position->offset;
    blocks->source.paged_in = position->paged_in;
    blocks->sequence = position->sequence;
    blocks->is_finished = position->is_finished;
    blocks->error = position->error;
}

/* Reads the block at an offset. Bytes that would have to be skipped before it are an error. */
static int read_at(struct trace_file_blocks *blocks, uint64_t offset, uint64_t sequence,
                   struct trace_file_block **ret_block)
{
    int err;

    blocks->error = (struct cairn_perf_error){0};
    blocks->source.offset = offset;
    blocks->sequence = (uint32_t)sequence;
    blocks->is_finished = false;
    err = trace_file_blocks_next(blocks, ret_block);
    if (err == ENODATA)
        return EBADMSG;
    if (!err && ((*ret_block)->offset != offset || blocks->error.code)) {
        trace_file_block_release(blocks, *ret_block);
        return EBADMSG;
    }
    return err;
}

/* ---- entries ---- */

static int make_space(struct trace_file_index *index, uint64_t counts, uint64_t more)
{
    void *entries = index->entries;
    void *all;

    if (!(index->count & (index->count + 1)))
        entries = realloc(index->entries, 2 * (index->count + 1) * sizeof(*index->entries));
    if (!entries)
        return ENOMEM;
    index->entries = (struct trace_file_index_entry *)entries;
    if (!more)
        return 0;
    all = realloc(index->counts, (counts + more) * sizeof(*index->counts));
    if (!all)
        return ENOMEM;
    index->counts = (struct trace_file_index_count *)all;
    return 0;
}

/* A block begins where the one before it ended. */
static bool is_possible(const struct trace_file_index *index,
                        const struct trace_file_index_entry *entry, uint64_t counted)
{
    return entry->offset == index->end && entry->first_ns <= entry->last_ns &&
           entry->stored_bytes <= TRACE_FILE_BLOCK_MAX_BYTES &&
           entry->plain_bytes <= TRACE_FILE_BLOCK_MAX_BYTES && entry->events == counted &&
           (trace_file_has_events(entry->type) || !entry->events) &&
           entry->type != TRACE_FILE_INDEX && entry->type != TRACE_FILE_END;
}

static int add_entry(struct trace_file_index *index, uint64_t *count_total, struct core_cursor *c)
{
    struct trace_file_index_entry entry = {.offset = core_cursor_u64(c)};
    uint64_t counted = 0;
    int err;

    entry.type = core_cursor_u32(c);
    entry.flags = core_cursor_u32(c);
    entry.stored_bytes = core_cursor_u32(c);
    entry.plain_bytes = core_cursor_u32(c);
    entry.first_ns = core_cursor_u64(c);
    entry.last_ns = core_cursor_u64(c);
    entry.events = core_cursor_u32(c);
    entry.count_entries = core_cursor_u32(c);
    if (c->error || entry.count_entries > c->left / TRACE_FILE_INDEX_COUNT_BYTES)
        return EBADMSG;
    err = make_space(index, *count_total, entry.count_entries);
    for (uint32_t n = 0; n < entry.count_entries && !err; n++) {
        struct trace_file_index_count *count = &index->counts[*count_total + n];

        count->process = core_cursor_u32(c);
        count->descriptor = core_cursor_u32(c);
        count->events = core_cursor_u64(c);
        counted += count->events;
    }
    if (err || !is_possible(index, &entry, counted))
        return err ? err : EBADMSG;
    *count_total += entry.count_entries;
    index->end += TRACE_FILE_BLOCK_HEADER_BYTES + (((uint64_t)entry.stored_bytes + 7) & ~7ull);
    index->entries[index->count++] = entry;
    return 0;
}

/* ---- blocks of the index ---- */

static int find_end(struct trace_file_blocks *blocks, uint64_t *ret_first, uint64_t *ret_count)
{
    uint64_t end = blocks->source.end;
    const uint8_t *header;
    struct trace_file_block *block;
    struct core_cursor c;
    int err;

    if (!blocks->source.map || end < END_BYTES + TRACE_FILE_PROLOG_BYTES || end % 8)
        return ENODATA;
    blocks->source.offset = end - END_BYTES;
    err = perf_data_source_peek(&blocks->source, &blocks->pool, TRACE_FILE_BLOCK_HEADER_BYTES,
                                &header);
    if (err)
        return err;
    if (memcmp(header, TRACE_FILE_BLOCK_MAGIC, TRACE_FILE_BLOCK_MAGIC_BYTES) != 0 ||
        core_load16(header + 4, blocks->swap) != TRACE_FILE_END)
        return ENODATA;
    err = read_at(blocks, end - END_BYTES, core_load32(header + 20, blocks->swap), &block);
    if (err)
        return err;
    c = core_cursor(block->data, block->size_bytes, blocks->swap);
    *ret_first = core_cursor_u64(&c);
    *ret_count = core_cursor_u64(&c);
    if (c.error || block->type != TRACE_FILE_END || *ret_first > end - END_BYTES || *ret_first % 8)
        err = EBADMSG;
    trace_file_block_release(blocks, block);
    return err;
}

static int add_block(struct trace_file_blocks *blocks, uint64_t sequence,
                     struct trace_file_index *index, uint64_t *counts)
{
    struct trace_file_block *block;
    struct core_cursor c;
    int err = read_at(blocks, blocks->source.offset, sequence, &block);

    if (err)
        return err;
    if (block->type != TRACE_FILE_INDEX)
        err = EBADMSG;
    c = core_cursor(block->data, block->size_bytes, blocks->swap);
    while (!err && c.left)
        err = add_entry(index, counts, &c);
    trace_file_block_release(blocks, block);
    return err;
}

static int read_index(struct trace_file_blocks *blocks, struct trace_file_index *index)
{
    uint64_t end = blocks->source.end - END_BYTES;
    uint64_t sequence;
    uint64_t first;
    uint64_t count;
    uint64_t counts = 0;
    int err = find_end(blocks, &first, &count);

    if (err)
        return err;
    index->end = TRACE_FILE_PROLOG_BYTES;
    blocks->source.offset = first;
    for (sequence = count; !err && blocks->source.offset < end; sequence++)
        err = add_block(blocks, sequence, index, &counts);
    if (!err && (index->count != count || index->end != first || blocks->source.offset != end))
        err = EBADMSG;
    /* Without counts there is no array. */
    for (uint64_t n = 0, at = 0; n < index->count && !err && counts; n++) {
        index->entries[n].counts = index->counts + at;
        at += index->entries[n].count_entries;
    }
    return err;
}

int trace_file_index_read(struct trace_file_blocks *blocks, struct trace_file_index *ret_index)
{
    struct position position = leave(blocks);
    struct trace_file_index index = {0};
    int err = read_index(blocks, &index);

    come_back(blocks, &position);
    if (err)
        trace_file_index_free(&index);
    else
        *ret_index = index;
    return err;
}

/* Blocks of the kernel's records without events have records of a time that the index lacks. */
static uint64_t first_of(const struct trace_file_index_entry *entry, bool with_others)
{
    if (!trace_file_has_events(entry->type))
        return UINT64_MAX;
    if (!entry->events)
        return with_others && entry->type == TRACE_FILE_PERF ? 0 : UINT64_MAX;
    return entry->first_ns;
}

uint64_t *trace_file_index_later_ns(const struct trace_file_index *index, bool with_others)
{
    uint64_t *later_ns = (uint64_t *)calloc(index->count + 1, sizeof(*later_ns));

    if (!later_ns)
        return NULL;
    later_ns[index->count] = UINT64_MAX;
    for (uint64_t n = index->count; n--;) {
        uint64_t first_ns = first_of(&index->entries[n], with_others);

        later_ns[n] = first_ns < later_ns[n + 1] ? first_ns : later_ns[n + 1];
    }
    return later_ns;
}

void trace_file_index_free(struct trace_file_index *index)
{
    free(index->entries);
    free(index->counts);
    *index = (struct trace_file_index){0};
}
