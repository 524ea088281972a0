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

struct trace_file_kept;

/* Sizes of the recent blocks of events; zeros: there was none. */
struct trace_file_packing {
    uint32_t plain_bytes;
    uint32_t stored_bytes;
};

struct trace_file_writer {
    int fd;
    struct trace_file_kept *kept; /* gets the blocks instead; or NULL */
    int level;                    /* of compression; 0: none */
    bool is_level_auto;           /* compress a block only if there is time for it */
    uint64_t pack_ns; /* with this: the estimated time for a block of the largest usual size */
    uint64_t pack_least_ns; /* and at least */
    uint64_t last_ns;       /* and the time at which the last block was written */
    struct trace_file_packing packing;
    int error; /* the first error; nothing is written after it */
    bool begun;
    uint32_t sequence;
    uint64_t offset;
    uint64_t blocks;
    struct perf_data_write_wait wait;
    /* Called before a block of events is written to a file, with its end there; or NULL. */
    void (*before)(void *context, int fd, uint64_t end);
    void *before_context;
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

/* Writes a block that says that no later event has an earlier time. Codes as above. */
int trace_file_writer_round(struct trace_file_writer *writer, uint64_t time_ns);

/* The bytes that events in memory will have in the file, estimated from the recent blocks. */
uint64_t trace_file_writer_estimate(const struct trace_file_writer *writer, uint64_t plain_bytes);

/* A block's contents as they are stored in another file. */
struct trace_file_stored {
    uint32_t type;
    uint32_t flags;
    uint32_t plain_bytes;
    const uint8_t *data;
    size_t size_bytes;
};

/* Writes such a block. Codes as above. */
int trace_file_writer_copy(struct trace_file_writer *writer, const struct trace_file_stored *stored,
                           const struct trace_file_extent *extent);

/* Records such a block as one that the file already contains. Blocks are recorded in their order,
 * from the first one on; the caller sets the descriptor's position. Returns 0; ENOMEM. */
int trace_file_writer_note(struct trace_file_writer *writer, const struct trace_file_stored *stored,
                           const struct trace_file_extent *extent);

/* Writes the index and the end. Codes as above. */
int trace_file_writer_finish(struct trace_file_writer *writer);

/* Releases the memory; writes nothing. */
void trace_file_writer_free(struct trace_file_writer *writer);

#endif
