/* SPDX-License-Identifier: MIT */
/* Reads the blocks of a trace file, one after the other, from a mapped file or a stream. */
#ifndef TRACE_FILE_BLOCKS_H
#define TRACE_FILE_BLOCKS_H

#include "perf_data/source.h"
#include "trace_file/disk.h"
#include "trace_file/spares.h"

#include <cairn/perf_data.h>

/* A block whose checksums are right. */
struct trace_file_block {
    const uint8_t *data;             /* its contents, decompressed */
    struct trace_file_memory memory; /* where they are, or none: in the mapped file */
    size_t size_bytes;
    uint64_t offset; /* of its header in the file */
    uint32_t type;   /* enum trace_file_block_type, or a later version's */
    uint32_t crc;    /* of the stored contents */
    uint32_t references;
};

struct trace_file_blocks {
    struct perf_data_source source;
    struct perf_data_block_pool pool;
    bool swap;
    bool is_finished;  /* the END block was read */
    uint32_t sequence; /* the number after that of the last block: those below it were read */
    struct trace_file_spares spares;
    size_t held_bytes;             /* of memory, of all blocks that are referenced */
    uint64_t searched_end;         /* of the contents that were searched for a header, */
    uint64_t searched_again;       /* and how many bytes of them several times */
    struct cairn_perf_error error; /* the first damage; reading continues after it */
};

/* Reads the file's beginning. Returns 0; EBADMSG; EOPNOTSUPP a later version; or as
 * perf_data_source_peek. */
int trace_file_blocks_begin(struct trace_file_blocks *blocks);

/* Goes back to the first block of a mapped file. */
void trace_file_blocks_rewind(struct trace_file_blocks *blocks);

/* Reads a mapped file by its descriptor from now on. The map stays for blocks of which many are
 * held at the same time. */
void trace_file_blocks_read_ahead(struct trace_file_blocks *blocks);

/*
 * Reads the next block. Damaged ones are left out, and those that were read before; the first is in
 * `error`.
 *
 * ret_block  released by the caller
 *
 * Returns 0; ENODATA the end; ENOMEM; EOPNOTSUPP a compression that this build lacks; or the error
 * of read.
 */
int trace_file_blocks_next(struct trace_file_blocks *blocks, struct trace_file_block **ret_block);

/* True if the bytes, which are as many as a header at least, are the beginning of a block. */
bool trace_file_blocks_is_cut(const struct trace_file_blocks *blocks, const uint8_t *data,
                              size_t size_bytes);

/* True if the bytes, which are as many as a header, are that of a block before this number. */
bool trace_file_blocks_is_repeated(const struct trace_file_blocks *blocks, const uint8_t *data,
                                   uint32_t sequence);

/* Drops a reference. Accepts NULL. */
void trace_file_block_release(struct trace_file_blocks *blocks, struct trace_file_block *block);

/* Records damage, if it is the first. Returns EBADMSG. */
int trace_file_blocks_fail(struct trace_file_blocks *blocks, uint64_t offset, const char *text);

void trace_file_blocks_end(struct trace_file_blocks *blocks);

#endif
