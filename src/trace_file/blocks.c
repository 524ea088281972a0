/* SPDX-License-Identifier: MIT */
/* Reading of blocks. */
#include "trace_file/blocks.h"

#include "core/cursor.h"
#include "trace_file/crc32c.h"
#include "trace_file/pack.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define ALIGNMENT  8u
#define COPY_BYTES 65536u /* as many as can be peeked */

struct head {
    uint32_t type;
    uint32_t flags;
    uint32_t stored_bytes;
    uint32_t plain_bytes;
    uint32_t contents_crc;
    uint32_t sequence;
};

int cairn_tracefile_blocks_fail(struct cairn_tracefile_blocks *blocks, uint64_t offset,
                                const char *text)
{
    if (!blocks->error.code)
        blocks->error = (struct cairn_perf_error){EBADMSG, offset, text};
    return EBADMSG;
}

/* ---- the beginning ---- */

int cairn_tracefile_blocks_begin(struct cairn_tracefile_blocks *blocks)
{
    const uint8_t *data;
    uint16_t version;
    uint32_t mark;
    int err =
        cairn_source_peek(&blocks->source, &blocks->pool, CAIRN_TRACEFILE_PROLOG_BYTES, &data);

    if (err == ENODATA || err == EBADMSG)
        return cairn_tracefile_blocks_fail(blocks, 0, "not a trace file: too short");
    if (err)
        return err;
    if (memcmp(data, CAIRN_TRACEFILE_MAGIC, CAIRN_TRACEFILE_MAGIC_BYTES))
        return cairn_tracefile_blocks_fail(blocks, 0, "not a trace file: no magic");
    mark = cairn_load32(data + CAIRN_TRACEFILE_MAGIC_BYTES, false);
    blocks->swap = mark == __builtin_bswap32(CAIRN_TRACEFILE_BYTE_ORDER);
    if (mark != CAIRN_TRACEFILE_BYTE_ORDER && !blocks->swap)
        return cairn_tracefile_blocks_fail(blocks, CAIRN_TRACEFILE_MAGIC_BYTES,
                                           "the mark of the byte order is invalid");
    version = cairn_load16(data + 12, blocks->swap);
    if ((version ^ cairn_load16(data + 14, blocks->swap)) != UINT16_MAX)
        return cairn_tracefile_blocks_fail(blocks, 12, "the version is invalid");
    if (version != CAIRN_TRACEFILE_VERSION) {
        blocks->error = (struct cairn_perf_error){EOPNOTSUPP, 12, "of another version"};
        return EOPNOTSUPP;
    }
    cairn_source_take(&blocks->source, CAIRN_TRACEFILE_PROLOG_BYTES);
    return 0;
}

/* ---- headers ---- */

static bool is_head(const struct cairn_tracefile_blocks *blocks, const uint8_t *data,
                    struct head *ret_head)
{
    struct cairn_cursor c = cairn_cursor(data, CAIRN_TRACEFILE_BLOCK_HEADER_BYTES, blocks->swap);

    if (memcmp(cairn_cursor_take(&c, CAIRN_TRACEFILE_BLOCK_MAGIC_BYTES),
               CAIRN_TRACEFILE_BLOCK_MAGIC, CAIRN_TRACEFILE_BLOCK_MAGIC_BYTES))
        return false;
    ret_head->type = cairn_cursor_u16(&c);
    ret_head->flags = cairn_cursor_u16(&c);
    ret_head->stored_bytes = cairn_cursor_u32(&c);
    ret_head->plain_bytes = cairn_cursor_u32(&c);
    ret_head->contents_crc = cairn_cursor_u32(&c);
    ret_head->sequence = cairn_cursor_u32(&c);
    cairn_cursor_u32(&c); /* reserved */
    return cairn_cursor_u32(&c) ==
               cairn_crc32c(data, CAIRN_TRACEFILE_BLOCK_HEADER_BYTES - sizeof(uint32_t)) &&
           ret_head->plain_bytes <= CAIRN_TRACEFILE_BLOCK_MAX_BYTES &&
           ret_head->stored_bytes <= CAIRN_TRACEFILE_BLOCK_MAX_BYTES;
}

/* Looks for the next valid header, here or later. Returns 0; ENODATA there is none. */
static int find_head(struct cairn_tracefile_blocks *blocks, struct head *ret_head)
{
    for (;;) {
        const uint8_t *data;
        int err = cairn_source_peek(&blocks->source, &blocks->pool,
                                    CAIRN_TRACEFILE_BLOCK_HEADER_BYTES, &data);

        if (err == EBADMSG) {
            cairn_tracefile_blocks_fail(blocks, blocks->source.offset,
                                        "cut short in a block's header");
            return ENODATA;
        }
        if (err)
            return err;
        if (is_head(blocks, data, ret_head))
            return 0;
        cairn_tracefile_blocks_fail(blocks, blocks->source.offset, "a block's header is invalid");
        cairn_source_take(&blocks->source, ALIGNMENT);
    }
}

/* ---- contents ---- */

static struct cairn_tracefile_block *new_block(struct cairn_tracefile_blocks *blocks,
                                               size_t memory_bytes)
{
    struct cairn_tracefile_block *block = (struct cairn_tracefile_block *)calloc(1, sizeof(*block));

    if (!block)
        return NULL;
    if (memory_bytes) {
        block->memory = (uint8_t *)malloc(memory_bytes);
        if (!block->memory) {
            free(block);
            return NULL;
        }
    }
    block->data = block->memory;
    block->references = 1;
    blocks->held_bytes += memory_bytes;
    block->size_bytes = memory_bytes;
    return block;
}

void cairn_tracefile_block_release(struct cairn_tracefile_blocks *blocks,
                                   struct cairn_tracefile_block *block)
{
    if (!block || --block->references)
        return;
    if (block->memory)
        blocks->held_bytes -= block->size_bytes;
    free(block->memory);
    free(block);
}

/* The stored contents, in the map or copied from the stream. Returns 0; EBADMSG cut; ENOMEM... */
static int take_stored(struct cairn_tracefile_blocks *blocks, const struct head *head,
                       struct cairn_tracefile_block **ret_block)
{
    struct cairn_source *source = &blocks->source;
    struct cairn_tracefile_block *block = new_block(blocks, source->map ? 0 : head->stored_bytes);
    int err = block ? 0 : ENOMEM;
    const uint8_t *data;

    if (!err && source->map) {
        block->data = source->map + source->offset;
        err = cairn_source_skip(source, &blocks->pool, head->stored_bytes);
    }
    for (size_t done = 0; !err && !source->map && done < head->stored_bytes;) {
        size_t piece =
            head->stored_bytes - done < COPY_BYTES ? head->stored_bytes - done : COPY_BYTES;

        err = cairn_source_peek(source, &blocks->pool, piece, &data);
        if (!err) {
            memcpy(block->memory + done, data, piece);
            cairn_source_take(source, piece);
            done += piece;
        }
    }
    if (err) {
        cairn_tracefile_block_release(blocks, block);
        return err == ENODATA ? EBADMSG : err;
    }
    block->size_bytes = head->stored_bytes;
    *ret_block = block;
    return 0;
}

/* Replaces compressed contents. */
static int unpack(struct cairn_tracefile_blocks *blocks, const struct head *head,
                  struct cairn_tracefile_block **block)
{
    struct cairn_tracefile_block *plain =
        new_block(blocks, head->plain_bytes ? head->plain_bytes : 1);
    int err = ENOMEM;

    if (plain) {
        err = cairn_pack_undo((*block)->data, head->stored_bytes, plain->memory, head->plain_bytes);
        cairn_tracefile_block_release(blocks, *block);
        *block = plain;
    }
    return err;
}

static int check(struct cairn_tracefile_blocks *blocks, const struct head *head,
                 struct cairn_tracefile_block **block)
{
    if (cairn_crc32c((*block)->data, head->stored_bytes) != head->contents_crc)
        return EBADMSG;
    if (head->flags & CAIRN_TRACEFILE_BLOCK_ZSTD)
        return unpack(blocks, head, block);
    return head->plain_bytes == head->stored_bytes ? 0 : EBADMSG;
}

/* Takes the zeros after a block. Returns 0; EBADMSG; or the error of read. */
static int take_padding(struct cairn_tracefile_blocks *blocks, size_t size)
{
    static const uint8_t zeros[ALIGNMENT];
    const uint8_t *data;
    int err = size ? cairn_source_peek(&blocks->source, &blocks->pool, size, &data) : 0;

    if (!size)
        return 0;
    if (err)
        return err == ENODATA ? EBADMSG : err;
    cairn_source_take(&blocks->source, size);
    return memcmp(data, zeros, size) ? EBADMSG : 0;
}

static int read_block(struct cairn_tracefile_blocks *blocks, const struct head *head,
                      struct cairn_tracefile_block **ret_block)
{
    uint64_t offset = blocks->source.offset;
    struct cairn_tracefile_block *block = NULL;
    size_t padding = -(size_t)head->stored_bytes & (ALIGNMENT - 1);
    int err;

    cairn_source_take(&blocks->source, CAIRN_TRACEFILE_BLOCK_HEADER_BYTES);
    err = take_stored(blocks, head, &block);
    if (err == EBADMSG) {
        cairn_tracefile_blocks_fail(blocks, offset, "cut short in a block");
        return ENODATA;
    }
    if (err)
        return err;
    err = check(blocks, head, &block);
    if (take_padding(blocks, padding) && !err)
        err = EBADMSG;
    if (err) {
        cairn_tracefile_block_release(blocks, block);
        /* The size may be right; if not, the search for the next header begins after it. */
        return err == EBADMSG ? cairn_tracefile_blocks_fail(blocks, offset, "a block is damaged")
                              : err;
    }
    block->offset = offset;
    block->type = head->type;
    *ret_block = block;
    return 0;
}

int cairn_tracefile_blocks_next(struct cairn_tracefile_blocks *blocks,
                                struct cairn_tracefile_block **ret_block)
{
    struct head head;
    int err;

    do {
        err = find_head(blocks, &head);
        if (err)
            break;
        if (head.sequence != blocks->sequence)
            cairn_tracefile_blocks_fail(blocks, blocks->source.offset,
                                        "a block is missing before this");
        blocks->sequence = head.sequence + 1;
        err = read_block(blocks, &head, ret_block);
    } while (err == EBADMSG);
    if (err == ENODATA && !blocks->is_finished)
        cairn_tracefile_blocks_fail(blocks, blocks->source.offset, "cut short: there is no end");
    if (!err && (*ret_block)->type == CAIRN_TRACEFILE_END)
        blocks->is_finished = true;
    return err;
}

void cairn_tracefile_blocks_end(struct cairn_tracefile_blocks *blocks)
{
    cairn_source_close(&blocks->source, &blocks->pool);
    cairn_block_pool_free(&blocks->pool);
}
