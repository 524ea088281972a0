/* SPDX-License-Identifier: MIT */
/* Writes the blocks of a trace file to a file or a pipe, and the index at its end. */
#ifndef TRACE_FILE_WRITER_H
#define TRACE_FILE_WRITER_H

#include "perf_data/bytes.h"
#include "perf_data/write_wait.h"
#include "trace_file/disk.h"

#include <stdbool.h>

/* The contents of a block of events, for the index. */
struct trace_file_extent {
    uint64_t first_ns; /* the earliest event, CLOCK_MONOTONIC */
    uint64_t last_ns;  /* the latest */
    uint32_t events;
    uint32_t count_entries;    /* number of entries in `counts` */
    struct cairn_bytes counts; /* u32 process, u32 descriptor, u64 events, for each pair */
};

struct trace_file_writer {
    int fd;
    int level; /* of compression; 0: none */
    int error; /* the first; nothing is written after it */
    bool begun;
    uint32_t sequence;
    uint64_t offset;
    uint64_t blocks;
    struct perf_data_write_wait wait;
    struct cairn_bytes packed;
    struct cairn_bytes index;
};

/*
 * Begins a file at the descriptor's position. The descriptor stays the caller's.
 *
 * level  of zstd; 0: no compression
 *
 * Returns 0; EOPNOTSUPP this build cannot compress.
 */
int trace_file_writer_begin(struct trace_file_writer *writer, int fd, int level);

/*
 * Writes a block of up to TRACE_FILE_BLOCK_MAX_BYTES.
 *
 * extent  of a block of events; NULL for others
 *
 * Returns 0; E2BIG; ENOMEM; or the error of write, also of an earlier call.
 */
int trace_file_writer_block(struct trace_file_writer *writer, enum trace_file_block_type type,
                            const struct cairn_bytes *contents,
                            const struct trace_file_extent *extent);

/* Writes the index and the end. Codes as above. */
int trace_file_writer_finish(struct trace_file_writer *writer);

/* Releases memory, and writes nothing. */
void trace_file_writer_free(struct trace_file_writer *writer);

#endif
