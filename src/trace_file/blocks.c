/* SPDX-License-Identifier: MIT */
/* Reading of blocks. */
#include "trace_file/blocks.h"

#include "core/cursor.h"
#include "trace_file/crc32c.h"
#include "trace_file/pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT 8u

/* So much of a mapped file is read at once for headers and small blocks; in a stream, pieces of so
 * many bytes are copied. */
#define AHEAD_BYTES ((size_t)16 << 10)
#define COPY_BYTES  ((uint32_t)AHEAD_BYTES)

/* A part of a block that is read and then checked: small enough to be still in the cache. */
#define PART_BYTES (UINT32_C(96) << 10)

/* So much of a mapped file is in memory at the same time. */
#define READ_MAX_BYTES ((size_t)16 << 20)

/* The limit of bytes of damaged contents that are searched although they were searched before. */
#define SEARCH_AGAIN_MAX_BYTES ((uint64_t)1 << 30)

struct block_head {
    uint32_t type;
    uint32_t flags;
    uint32_t stored_bytes;
    uint32_t plain_bytes;
    uint32_t contents_crc;
    uint32_t sequence;
};

int trace_file_blocks_fail(struct trace_file_blocks *blocks, uint64_t offset, const char *text)
{
    if (!blocks->error.code)
        blocks->error = (struct cairn_perf_error){EBADMSG, offset, text};
    return EBADMSG;
}

/* ---- the beginning ---- */

int trace_file_blocks_begin(struct trace_file_blocks *blocks)
{
    const uint8_t *data;
    uint16_t version;
    uint32_t mark;
    int err = perf_data_source_peek(&blocks->source, &blocks->pool, TRACE_FILE_PROLOG_BYTES, &data);

    if (err == ENODATA || err == EBADMSG)
        return trace_file_blocks_fail(blocks, 0, "not a trace file: too short");
    if (err)
        return err;
    if (memcmp(data, TRACE_FILE_MAGIC, TRACE_FILE_MAGIC_BYTES) != 0)
        return trace_file_blocks_fail(blocks, 0, "not a trace file: no magic");
    mark = core_load32(data + TRACE_FILE_MAGIC_BYTES, false);
    blocks->swap = mark == __builtin_bswap32(TRACE_FILE_BYTE_ORDER);
    if (mark != TRACE_FILE_BYTE_ORDER && !blocks->swap)
        return trace_file_blocks_fail(blocks, TRACE_FILE_MAGIC_BYTES,
                                      "the mark of the byte order is invalid");
    version = core_load16(data + 12, blocks->swap);
    if ((version ^ core_load16(data + 14, blocks->swap)) != UINT16_MAX)
        return trace_file_blocks_fail(blocks, 12, "the version is invalid");
    if (version != TRACE_FILE_VERSION) {
        blocks->error = (struct cairn_perf_error){EOPNOTSUPP, 12, "of another version"};
        return EOPNOTSUPP;
    }
    perf_data_source_take(&blocks->source, TRACE_FILE_PROLOG_BYTES);
    return 0;
}

void trace_file_blocks_rewind(struct trace_file_blocks *blocks)
{
    blocks->source.offset = TRACE_FILE_PROLOG_BYTES;
    blocks->sequence = 0;
    blocks->is_finished = false;
    blocks->searched_end = 0;
    blocks->searched_again = 0;
}

/* ---- headers ---- */

static bool is_head(const struct trace_file_blocks *blocks, const uint8_t *data,
                    struct block_head *ret_head)
{
    struct core_cursor c = core_cursor(data, TRACE_FILE_BLOCK_HEADER_BYTES, blocks->swap);

    if (memcmp(core_cursor_take(&c, TRACE_FILE_BLOCK_MAGIC_BYTES), TRACE_FILE_BLOCK_MAGIC,
               TRACE_FILE_BLOCK_MAGIC_BYTES) != 0)
        return false;
    ret_head->type = core_cursor_u16(&c);
    ret_head->flags = core_cursor_u16(&c);
    ret_head->stored_bytes = core_cursor_u32(&c);
    ret_head->plain_bytes = core_cursor_u32(&c);
    ret_head->contents_crc = core_cursor_u32(&c);
    ret_head->sequence = core_cursor_u32(&c);
    core_cursor_u32(&c); /* reserved */
    return core_cursor_u32(&c) ==
               trace_file_crc32c(data, TRACE_FILE_BLOCK_HEADER_BYTES - sizeof(uint32_t)) &&
           ret_head->plain_bytes <= TRACE_FILE_BLOCK_MAX_BYTES &&
           ret_head->stored_bytes <= TRACE_FILE_BLOCK_MAX_BYTES;
}

bool trace_file_blocks_is_cut(const struct trace_file_blocks *blocks, const uint8_t *data,
                              size_t size_bytes)
{
    struct block_head head;

    return is_head(blocks, data, &head) &&
           size_bytes - TRACE_FILE_BLOCK_HEADER_BYTES <
               (((size_t)head.stored_bytes + ALIGNMENT - 1) & ~(size_t)(ALIGNMENT - 1));
}

bool trace_file_blocks_is_repeated(const struct trace_file_blocks *blocks, const uint8_t *data,
                                   uint32_t sequence)
{
    struct block_head head;

    return is_head(blocks, data, &head) && head.sequence < sequence;
}

/* The number of bytes from an invalid header to the next position at which one may begin. If bytes
 * were inserted or removed before, that is no multiple of the alignment. */
static size_t bytes_to_candidate(const uint8_t *data)
{
    const uint8_t *next =
        memchr(data + 1, TRACE_FILE_BLOCK_MAGIC[0], TRACE_FILE_BLOCK_HEADER_BYTES - 1);

    return next ? (size_t)(next - data) : TRACE_FILE_BLOCK_HEADER_BYTES;
}

/* Searches for the next valid header, at this position or later. Returns 0; ENODATA there is none.
 */
static int find_head(struct trace_file_blocks *blocks, struct block_head *ret_head)
{
    for (;;) {
        const uint8_t *data;
        int err = perf_data_source_peek(&blocks->source, &blocks->pool,
                                        TRACE_FILE_BLOCK_HEADER_BYTES, &data);

        if (err == EBADMSG) {
            trace_file_blocks_fail(blocks, blocks->source.offset, "cut short in a block's header");
            return ENODATA;
        }
        if (err)
            return err;
        if (is_head(blocks, data, ret_head))
            return 0;
        trace_file_blocks_fail(blocks, blocks->source.offset, "a block's header is invalid");
        perf_data_source_take(&blocks->source, bytes_to_candidate(data));
    }
}

/* ---- contents ---- */

static struct trace_file_block *new_block(struct trace_file_blocks *blocks, size_t memory_bytes)
{
    struct trace_file_block *block = (struct trace_file_block *)calloc(1, sizeof(*block));

    if (!block)
        return NULL;
    if (memory_bytes) {
        block->memory = trace_file_spares_take(&blocks->spares, memory_bytes);
        if (!block->memory.data) {
            free(block);
            return NULL;
        }
        blocks->held_bytes += block->memory.size_bytes;
    }
    block->data = block->memory.data;
    block->references = 1;
    block->size_bytes = memory_bytes;
    return block;
}

void trace_file_block_release(struct trace_file_blocks *blocks, struct trace_file_block *block)
{
    if (!block || --block->references)
        return;
    if (block->memory.data)
        blocks->held_bytes -= block->memory.size_bytes;
    else
        perf_data_source_give_back(&blocks->source, block->data, block->size_bytes);
    trace_file_spares_give(&blocks->spares, block->memory);
    free(block);
}

static void add_to_crc(struct trace_file_block *block, const uint8_t *data, uint32_t size_bytes)
{
    block->crc = trace_file_crc32c_more(block->crc, data, size_bytes);
}

/* Copies the contents of a block that are peeked: from a stream, or read ahead. */
static int copy_peeked(struct trace_file_blocks *blocks, struct trace_file_block *block,
                       uint32_t size_bytes)
{
    const uint8_t *data;
    int err = 0;

    for (uint32_t done = 0; !err && done < size_bytes;) {
        uint32_t piece = size_bytes - done < COPY_BYTES ? size_bytes - done : COPY_BYTES;

        err = perf_data_source_peek(&blocks->source, &blocks->pool, piece, &data);
        if (!err) {
            memcpy(block->memory.data + done, data, piece);
            add_to_crc(block, data, piece);
            perf_data_source_take(&blocks->source, piece);
            done += piece;
        }
    }
    return err;
}

static int copy_stored(struct trace_file_blocks *blocks, struct trace_file_block *block,
                       uint32_t size_bytes)
{
    struct perf_data_source *source = &blocks->source;
    uint64_t offset = source->offset;
    int err;

    if (!source->ahead || size_bytes <= AHEAD_BYTES)
        return copy_peeked(blocks, block, size_bytes);
    err = perf_data_source_skip(source, &blocks->pool, size_bytes);
    for (uint32_t done = 0; !err && done < size_bytes;) {
        uint32_t part = size_bytes - done < PART_BYTES ? size_bytes - done : PART_BYTES;
        uint8_t *to = block->memory.data + done;

        if (perf_data_source_read_at(source, offset + done, to, part) < part)
            return EBADMSG; /* the file became shorter */
        add_to_crc(block, to, part);
        done += part;
    }
    return err;
}

/* True if a block is used where it is in the map. Reading it costs a fraction of mapping it; but
 * the memory for blocks of which many are held at the same time has a limit. */
static bool stays_in_map(const struct trace_file_blocks *blocks, uint32_t size_bytes)
{
    const struct perf_data_source *source = &blocks->source;
    bool is_cut = source->end - source->offset < size_bytes; /* no memory for what is not there */

    return source->map &&
           (!source->ahead || is_cut || blocks->held_bytes + size_bytes > READ_MAX_BYTES);
}

/* The stored contents; if they are cut, the block has the first bytes of them. Returns 0; EBADMSG
 * cut; ENOMEM; or the error of read. */
static int take_stored(struct trace_file_blocks *blocks, const struct block_head *head,
                       struct trace_file_block **ret_block)
{
    struct perf_data_source *source = &blocks->source;
    uint32_t size_bytes = head->stored_bytes;
    bool is_mapped = stays_in_map(blocks, size_bytes);
    struct trace_file_block *block = new_block(blocks, is_mapped ? 0 : size_bytes);
    int err;

    *ret_block = block;
    if (!block)
        return ENOMEM;
    if (is_mapped) {
        block->data = source->map + source->offset;
        err = perf_data_source_skip(source, &blocks->pool, size_bytes);
        if (!err)
            add_to_crc(block, block->data, size_bytes);
    } else {
        err = copy_stored(blocks, block, size_bytes);
    }
    block->size_bytes = size_bytes;
    return err == ENODATA ? EBADMSG : err;
}

/* Replaces compressed contents. */
static int unpack(struct trace_file_blocks *blocks, const struct block_head *head,
                  struct trace_file_block **block)
{
    struct trace_file_block *plain = new_block(blocks, head->plain_bytes ? head->plain_bytes : 1);
    int err = ENOMEM;

    if (plain) {
        err = trace_file_pack_undo((*block)->data, head->stored_bytes, plain->memory.data,
                                   head->plain_bytes);
        trace_file_block_release(blocks, *block);
        plain->size_bytes = head->plain_bytes;
        *block = plain;
    }
    return err;
}

static int check(struct trace_file_blocks *blocks, const struct block_head *head,
                 struct trace_file_block **block)
{
    if (head->flags & TRACE_FILE_BLOCK_ZSTD)
        return unpack(blocks, head, block);
    return head->plain_bytes == head->stored_bytes ? 0 : EBADMSG;
}

/* The number of zeros after a block. */
static size_t padding_of(const struct block_head *head)
{
    return -(size_t)head->stored_bytes & (ALIGNMENT - 1);
}

/* Takes the zeros after a block. Returns 0; EBADMSG they are none, and not taken; or the error of
 * read. */
static int take_padding(struct trace_file_blocks *blocks, size_t size)
{
    static const uint8_t zeros[ALIGNMENT];
    const uint8_t *data;
    int err = size ? perf_data_source_peek(&blocks->source, &blocks->pool, size, &data) : 0;

    if (!size)
        return 0;
    if (err)
        return err == ENODATA ? EBADMSG : err;
    if (memcmp(data, zeros, size) != 0)
        return EBADMSG;
    perf_data_source_take(&blocks->source, size);
    return 0;
}

static const char *damage_of(const struct block_head *head)
{
    return head->type == TRACE_FILE_CLOCKS
               ? "a block of clocks is damaged: times may be wrong, or those of a counter"
               : "a block is damaged";
}

/* True if the block after this one begins where its size says: no bytes are missing. */
static bool is_followed(struct trace_file_blocks *blocks, const struct block_head *head)
{
    size_t padding = padding_of(head);
    struct block_head next;
    const uint8_t *data;

    return !perf_data_source_peek(&blocks->source, &blocks->pool,
                                  padding + TRACE_FILE_BLOCK_HEADER_BYTES, &data) &&
           is_head(blocks, data + padding, &next) && next.sequence == head->sequence + 1;
}

/*
 * Goes back to the beginning of contents of which bytes are missing: the next block begins in them.
 * What is in many such contents is not searched for each of them, or a file of headers alone would
 * take hours: then it is skipped.
 *
 * Returns EBADMSG; ENOMEM.
 */
static int search_contents(struct trace_file_blocks *blocks, const struct trace_file_block *block,
                           uint64_t begin)
{
    uint64_t end = blocks->source.offset;
    int err = 0;

    if (begin < blocks->searched_end)
        blocks->searched_again += end - begin;
    if (end > blocks->searched_end)
        blocks->searched_end = end;
    if (blocks->searched_again <= SEARCH_AGAIN_MAX_BYTES)
        err = perf_data_source_return(&blocks->source, &blocks->pool, block->data,
                                      (size_t)(end - begin));
    return err ? err : EBADMSG;
}

/* Returns 0; EBADMSG the block is damaged, and the next one may begin at the position; ENOMEM;
 * EOPNOTSUPP; or the error of read. */
static int read_block(struct trace_file_blocks *blocks, const struct block_head *head,
                      struct trace_file_block **ret_block)
{
    uint64_t offset = blocks->source.offset;
    struct trace_file_block *block = NULL;
    bool is_cut;
    int err;

    perf_data_source_take(&blocks->source, TRACE_FILE_BLOCK_HEADER_BYTES);
    err = take_stored(blocks, head, &block);
    is_cut = err == EBADMSG;
    if (!err && block->crc != head->contents_crc)
        err = EBADMSG;
    if (err == EBADMSG && (is_cut || !is_followed(blocks, head)))
        err = search_contents(blocks, block, offset + TRACE_FILE_BLOCK_HEADER_BYTES);
    err = err ? err : check(blocks, head, &block);
    err = err ? err : take_padding(blocks, padding_of(head));
    if (!err) {
        block->offset = offset;
        block->type = head->type;
        *ret_block = block;
        return 0;
    }
    trace_file_block_release(blocks, block);
    if (err == EBADMSG)
        trace_file_blocks_fail(blocks, offset, is_cut ? "cut short in a block" : damage_of(head));
    return err;
}

/* Bytes after the last block do not belong to the file. Returns ENODATA; or the error of read. */
static int read_end(struct trace_file_blocks *blocks)
{
    const uint8_t *data;
    int err = perf_data_source_peek(&blocks->source, &blocks->pool, 1, &data);

    if (!err)
        trace_file_blocks_fail(blocks, blocks->source.offset, "there are bytes after the end");
    return err ? err : ENODATA;
}

/* Reports a block that is not the next one of the sequence. */
static void check_sequence(struct trace_file_blocks *blocks, uint32_t sequence)
{
    if (sequence < blocks->sequence)
        trace_file_blocks_fail(blocks, blocks->source.offset, "a block occurs again");
    else if (sequence > blocks->sequence)
        trace_file_blocks_fail(blocks, blocks->source.offset, "a block is missing before this");
}

int trace_file_blocks_next(struct trace_file_blocks *blocks, struct trace_file_block **ret_block)
{
    struct block_head head;
    int err;

    if (blocks->is_finished)
        return read_end(blocks);
    do {
        err = find_head(blocks, &head);
        if (err)
            break;
        check_sequence(blocks, head.sequence);
        err = read_block(blocks, &head, ret_block);
        if (!err && head.sequence < blocks->sequence) {
            trace_file_block_release(blocks, *ret_block);
            err = EBADMSG;
        }
    } while (err == EBADMSG);
    if (err == ENODATA)
        trace_file_blocks_fail(blocks, blocks->source.offset, "cut short: there is no end");
    if (err)
        return err;
    blocks->sequence = head.sequence + 1;
    blocks->is_finished = (*ret_block)->type == TRACE_FILE_END;
    return 0;
}

void trace_file_blocks_read_ahead(struct trace_file_blocks *blocks)
{
    perf_data_source_read_ahead(&blocks->source, AHEAD_BYTES, 0);
}

void trace_file_blocks_end(struct trace_file_blocks *blocks)
{
    perf_data_source_close(&blocks->source, &blocks->pool);
    perf_data_block_pool_free(&blocks->pool);
    trace_file_spares_free(&blocks->spares);
}
