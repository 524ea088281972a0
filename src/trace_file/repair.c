/* SPDX-License-Identifier: MIT */
/* Repair of trace files. */
#include "trace_file/repair.h"

#include "core/load.h"
#include "trace_file/extent.h"
#include "trace_file/index.h"
#include "trace_file/write_tables.h"

#include <errno.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A block that is kept, with its entry of the index. */
struct trace_file_repair_block {
    uint64_t offset;
    uint32_t sequence; /* in the old file */
    uint32_t type;
    uint32_t flags;
    uint32_t stored_bytes;
    uint32_t plain_bytes;
    uint64_t first_ns;
    uint64_t last_ns;
    uint32_t events;
    uint32_t count_entries;
};

/* ---- examination ---- */

static void add_damage(struct trace_file_repair *r, uint64_t offset, uint64_t end, const char *text)
{
    struct trace_file_damage damage = {offset, end, text};

    perf_data_bytes_put(&r->damage, &damage, sizeof(damage));
    r->damage_count++;
}

/* True if a table's entries, or the records of a block of events, can be read. */
static int check_contents(struct trace_file_repair *r, const struct trace_file_block *block,
                          struct trace_file_extent *extent)
{
    bool swap = r->blocks.swap;
    struct core_cursor c = core_cursor(block->data, block->size_bytes, swap);

    switch (block->type) {
    case TRACE_FILE_EVENTS:
    case TRACE_FILE_PERF:
        return trace_file_extent_of(&r->tables, block, swap, extent);
    case TRACE_FILE_ROUND:
        return block->size_bytes < sizeof(uint64_t) ? EBADMSG : 0;
    default:
        return trace_file_tables_apply(&r->tables, block->type, c);
    }
}

/* The number of events whose descriptors were in a block that is damaged. */
static uint64_t count_undescribed(const struct trace_file_repair *r,
                                  const struct trace_file_extent *extent)
{
    struct core_cursor c = core_cursor(extent->counts.data, extent->counts.size, false);
    uint64_t found = 0;

    while (c.left) {
        uint32_t number;
        uint64_t events;

        core_cursor_u32(&c); /* the process */
        number = core_cursor_u32(&c);
        events = core_cursor_u64(&c);
        found += trace_file_tables_descriptor(&r->tables, number) ? 0 : events;
    }
    return found;
}

static void add_block(struct trace_file_repair *r, const struct trace_file_block *block,
                      const struct trace_file_extent *extent)
{
    const uint8_t *header = r->blocks.source.map + block->offset;
    struct trace_file_repair_block kept = {
        .offset = block->offset,
        .sequence = core_load32(header + 20, r->blocks.swap),
        .type = block->type,
        .flags = core_load16(header + 6, r->blocks.swap),
        .stored_bytes = core_load32(header + 8, r->blocks.swap),
        .plain_bytes = core_load32(header + 12, r->blocks.swap),
        .first_ns = extent->first_ns,
        .last_ns = extent->last_ns,
        .events = extent->events,
        .count_entries = extent->count_entries,
    };

    perf_data_bytes_put(&r->kept, &kept, sizeof(kept));
    perf_data_bytes_put(&r->counts, extent->counts.data, extent->counts.size);
    r->block_count++;
    r->events += extent->events;
    r->undescribed += count_undescribed(r, extent);
}

/* Why bytes are removed; `expected` is the number of the next block. */
static const char *text_of(const struct trace_file_repair *r, uint64_t at, uint64_t end,
                           uint32_t expected)
{
    bool is_repeated =
        end - at >= TRACE_FILE_BLOCK_HEADER_BYTES &&
        trace_file_blocks_is_repeated(&r->blocks, r->blocks.source.map + at, expected);

    return is_repeated ? "repeated" : "damaged";
}

/* Bytes between two blocks. If the numbers of these are consecutive, no block is missing. */
static void examine_gap(struct trace_file_repair *r, uint64_t at, uint64_t end, uint32_t expected,
                        bool is_missing)
{
    if (end > at)
        add_damage(r, at, end, text_of(r, at, end, expected));
    else if (is_missing)
        add_damage(r, at, at, "blocks are missing here");
    r->unknown += is_missing;
}

/* `at` is the end of the block before this one. */
static int examine_block(struct trace_file_repair *r, const struct trace_file_block *block,
                         uint64_t at, uint32_t expected)
{
    struct trace_file_extent extent = {0};
    uint32_t sequence = core_load32(r->blocks.source.map + block->offset + 20, r->blocks.swap);
    bool is_last = block->type == TRACE_FILE_INDEX || block->type == TRACE_FILE_END;
    int err = 0;

    examine_gap(r, at, block->offset, expected, sequence != expected);
    if (!is_last)
        err = check_contents(r, block, &extent);
    if (err == EBADMSG) {
        add_damage(r, block->offset, r->blocks.source.offset, "has invalid contents");
        r->unknown++;
        err = 0;
    } else if (!err && !is_last) {
        add_block(r, block, &extent);
        r->end = r->blocks.source.offset;
    }
    perf_data_bytes_free(&extent.counts);
    return err;
}

/* True if the bytes from `at` to the end of the file are what the recorder wrote of a block when it
 * was interrupted. With a header after that, they are a block from which bytes are missing. */
static bool is_incomplete_block(const struct trace_file_repair *r, uint64_t at)
{
    const struct perf_data_source *source = &r->blocks.source;
    size_t size = (size_t)(source->end - at);

    if (r->blocks.is_finished)
        return false;
    if (size < TRACE_FILE_BLOCK_HEADER_BYTES)
        return true;
    return trace_file_blocks_is_cut(&r->blocks, source->map + at, size) &&
           !memmem(source->map + at + TRACE_FILE_BLOCK_HEADER_BYTES,
                   size - TRACE_FILE_BLOCK_HEADER_BYTES, TRACE_FILE_BLOCK_MAGIC,
                   TRACE_FILE_BLOCK_MAGIC_BYTES);
}

/* Bytes after the last valid block. */
static void examine_rest(struct trace_file_repair *r, uint64_t at)
{
    uint64_t end = r->blocks.source.end;
    bool is_incomplete = is_incomplete_block(r, at);
    const char *text = is_incomplete ? "truncated" : text_of(r, at, end, r->blocks.sequence);

    add_damage(r, at, end, r->blocks.is_finished ? "after the end" : text);
    r->unknown += !r->blocks.is_finished;
    r->can_append &= is_incomplete;
}

static int examine_blocks(struct trace_file_repair *r)
{
    uint64_t at = TRACE_FILE_PROLOG_BYTES;
    uint32_t expected = 0;
    struct trace_file_block *block;
    bool is_index_next = false;
    bool has_block_after = false; /* the index */
    int err;

    r->end = at;
    while (!(err = trace_file_blocks_next(&r->blocks, &block))) {
        is_index_next |= block->type == TRACE_FILE_INDEX || block->type == TRACE_FILE_END;
        err = examine_block(r, block, at, expected);
        if (is_index_next && r->end > block->offset)
            has_block_after = true;
        expected = r->blocks.sequence;
        at = r->blocks.source.offset;
        trace_file_block_release(&r->blocks, block);
        if (err)
            return err;
    }
    if (err != ENODATA)
        return err;
    r->can_append = !r->damage_count && !has_block_after;
    if (at != r->blocks.source.end)
        examine_rest(r, at);
    return 0;
}

/* Examines the blocks again with the clocks of all of them, which times depend on if the first pair
 * was lost: as a reader has them. */
static int examine_again(struct trace_file_repair *r)
{
    struct trace_file_clocks clocks = r->tables.clocks;
    struct trace_file_blocks blocks = r->blocks;

    r->tables.clocks = (struct trace_file_clocks){0};
    trace_file_tables_free(&r->tables);
    perf_data_bytes_free(&r->kept);
    perf_data_bytes_free(&r->counts);
    perf_data_bytes_free(&r->damage);
    trace_file_blocks_rewind(&blocks);
    *r = (struct trace_file_repair){.blocks = blocks, .tables = {.clocks = clocks}};
    return examine_blocks(r);
}

/* The number of events in blocks that are not kept: both lists are in the order of the file, and
 * the index has an entry for each number of a block. */
static uint64_t count_lost(const struct trace_file_repair *r, const struct trace_file_index *index)
{
    size_t at = 0;
    uint64_t lost = 0;

    for (uint64_t n = 0; n < index->count; n++) {
        struct trace_file_repair_block kept = {0};

        if (at < r->kept.size)
            memcpy(&kept, r->kept.data + at, sizeof(kept));
        if (at < r->kept.size && kept.sequence == n)
            at += sizeof(kept);
        else
            lost += index->entries[n].events;
    }
    return lost;
}

static bool is_as_indexed(const struct trace_file_repair *r, const struct trace_file_index *index)
{
    bool is_same = index->count == r->block_count;

    for (uint64_t n = 0; n < index->count && is_same; n++) {
        const struct trace_file_index_entry *entry = &index->entries[n];
        struct trace_file_repair_block kept;

        memcpy(&kept, r->kept.data + n * sizeof(kept), sizeof(kept));
        is_same = kept.offset == entry->offset && kept.type == entry->type &&
                  kept.events == entry->events;
    }
    return is_same;
}

static int compare_index(struct trace_file_repair *r)
{
    struct trace_file_index index = {0};
    int err = trace_file_index_read(&r->blocks, &index);

    if (err && err != EBADMSG && err != ENODATA)
        return err;
    r->is_whole = !err && !r->damage_count && is_as_indexed(r, &index);
    if (!err)
        r->lost = count_lost(r, &index);
    if (r->lost)
        r->unknown = 0;
    trace_file_index_free(&index);
    return 0;
}

/* An empty file cannot be mapped, as a stream. */
static bool is_empty_file(const struct perf_data_source *source)
{
    struct stat st;

    return !fstat(source->fd, &st) && S_ISREG(st.st_mode);
}

/* The index, and what is missing, are written in this machine's order. */
static int fail_other_order(struct trace_file_blocks *blocks)
{
    blocks->error = (struct cairn_perf_error){EOPNOTSUPP, TRACE_FILE_MAGIC_BYTES,
                                              "it has the byte order of another machine: repair it "
                                              "there, or copy its events (cairn cat)"};
    return EOPNOTSUPP;
}

int trace_file_repair_examine(struct perf_data_source *source, struct perf_data_block_pool *pool,
                              struct trace_file_repair *ret_repair)
{
    int err;

    *ret_repair = (struct trace_file_repair){.blocks = {.source = *source, .pool = *pool}};
    *source = (struct perf_data_source){.fd = -1};
    *pool = (struct perf_data_block_pool){0};
    if (!ret_repair->blocks.source.map)
        return is_empty_file(&ret_repair->blocks.source)
                   ? trace_file_blocks_fail(&ret_repair->blocks, 0, "the file is empty")
                   : EINVAL;
    err = trace_file_blocks_begin(&ret_repair->blocks);
    if (!err && ret_repair->blocks.swap)
        err = fail_other_order(&ret_repair->blocks);
    err = err ? err : examine_blocks(ret_repair);
    if (!err && ret_repair->damage_count && ret_repair->tables.clocks.count)
        err = examine_again(ret_repair);
    if (!err && (ret_repair->kept.error || ret_repair->counts.error || ret_repair->damage.error))
        err = ENOMEM;
    return err ? err : compare_index(ret_repair);
}

/* ---- writing ---- */

static struct trace_file_extent extent_of(const struct trace_file_repair *r,
                                          const struct trace_file_repair_block *kept,
                                          size_t *counts_at)
{
    size_t size = (size_t)kept->count_entries * TRACE_FILE_INDEX_COUNT_BYTES;
    struct trace_file_extent extent = {
        .first_ns = kept->first_ns,
        .last_ns = kept->last_ns,
        .events = kept->events,
        .count_entries = kept->count_entries,
        .counts = {.data = r->counts.data + *counts_at, .size = size},
    };

    *counts_at += size;
    return extent;
}

static struct trace_file_stored stored_of(const struct trace_file_repair *r,
                                          const struct trace_file_repair_block *kept)
{
    return (struct trace_file_stored){
        .type = kept->type,
        .flags = kept->flags,
        .plain_bytes = kept->plain_bytes,
        .data = r->blocks.source.map + kept->offset + TRACE_FILE_BLOCK_HEADER_BYTES,
        .size_bytes = kept->stored_bytes,
    };
}

/* Iterates over the kept blocks: records them as written, or writes them. */
static int each_kept(struct trace_file_repair *r, struct trace_file_writer *writer, bool is_copy)
{
    size_t counts_at = 0;
    int err = 0;

    for (size_t at = 0; at < r->kept.size && !err; at += sizeof(struct trace_file_repair_block)) {
        struct trace_file_repair_block kept;
        struct trace_file_extent extent;
        struct trace_file_stored stored;

        memcpy(&kept, r->kept.data + at, sizeof(kept));
        extent = extent_of(r, &kept, &counts_at);
        stored = stored_of(r, &kept);
        err = is_copy ? trace_file_writer_copy(writer, &stored, &extent)
                      : trace_file_writer_note(writer, &stored, &extent);
    }
    return err;
}

/* Writes into the file what is missing in it. */
static int write_losses(const struct trace_file_repair *r, struct trace_file_writer *writer)
{
    struct trace_file_tables_writer tables = {0};
    struct cairn_perf_missing missing = r->tables.missing;
    int err;

    missing.lost[CAIRN_LOSS_OTHER] += r->lost;
    missing.damaged += r->unknown;
    trace_file_put_missing(&tables, &missing);
    err = r->lost || r->unknown ? trace_file_tables_write(&tables, writer) : 0;
    trace_file_tables_writer_free(&tables);
    return err;
}

static int finish(struct trace_file_repair *r, struct trace_file_writer *writer, int err)
{
    err = err ? err : write_losses(r, writer);
    err = err ? err : trace_file_writer_finish(writer);
    trace_file_writer_free(writer);
    return err;
}

int trace_file_repair_append(struct trace_file_repair *repair, int fd)
{
    struct trace_file_writer writer;
    off_t end =
        repair->kept.size ? (off_t)repair->end : 0; /* an empty file is written as a whole */
    int err = trace_file_writer_begin(&writer, fd, 0);

    err = err ? err : each_kept(repair, &writer, false);
    if (!err && (ftruncate(fd, end) || lseek(fd, end, SEEK_SET) < 0))
        err = errno;
    return finish(repair, &writer, err);
}

int trace_file_repair_copy(struct trace_file_repair *repair, int fd)
{
    struct trace_file_writer writer;
    int err = trace_file_writer_begin(&writer, fd, 0);

    err = err ? err : each_kept(repair, &writer, true);
    return finish(repair, &writer, err);
}

void trace_file_repair_free(struct trace_file_repair *repair)
{
    perf_data_bytes_free(&repair->kept);
    perf_data_bytes_free(&repair->counts);
    perf_data_bytes_free(&repair->damage);
    trace_file_tables_free(&repair->tables);
    trace_file_blocks_end(&repair->blocks);
}
