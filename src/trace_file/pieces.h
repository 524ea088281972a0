/* SPDX-License-Identifier: MIT */
/*
 * Builds the records of events, by thread, and the blocks that contain them. For events that are
 * added one by one; a recorder copies whole pieces that programs wrote.
 */
#ifndef TRACE_FILE_PIECES_H
#define TRACE_FILE_PIECES_H

#include "perf_data/map.h"
#include "trace_file/write_tables.h"

#include <sys/uio.h>

/* The process, thread and CPU of an event. */
struct trace_file_origin {
    uint32_t process; /* the file's number of it */
    uint32_t tid;
    uint32_t cpu; /* TRACE_FILE_CPU_UNKNOWN */
    uint32_t descriptor;
    uint32_t domain; /* of the clock */
    uint64_t time_ns;
    const uint8_t *stack; /* u64 addresses in the byte order of this machine */
    uint64_t stack_count; /* 0: it has none; further ones than CORE_STACK_FRAMES_MAX are left out */
};

struct trace_file_pieces {
    struct trace_file_writer *writer;
    struct trace_file_tables_writer *tables; /* written before events */
    struct trace_file_piece *pieces;
    struct perf_data_map piece_of; /* process, thread and domain */
    uint32_t recent;               /* the piece of the last event */
    uint32_t count;
    uint32_t capacity;
    bool has_rounds;   /* the caller ends rounds; false: events are added in the order of time */
    bool is_untidy;    /* a thread has several pieces */
    size_t size_bytes; /* of all records that wait */
    uint64_t latest_ns;
    uint64_t waiting; /* events */
};

void trace_file_pieces_begin(struct trace_file_pieces *pieces, struct trace_file_writer *writer,
                             struct trace_file_tables_writer *tables);

/*
 * Adds an event whose payload is the concatenation of the parts. Blocks are written when enough has
 * been added.
 *
 * Returns 0; E2BIG; ENOMEM; or as trace_file_writer_block.
 */
int trace_file_pieces_add(struct trace_file_pieces *pieces, const struct trace_file_origin *origin,
                          const struct iovec *parts, int part_count);

/* Writes the tables and the collected events; and, if the caller does not end rounds, a round up to
 * the latest event. Codes as above. */
int trace_file_pieces_flush(struct trace_file_pieces *pieces);

/* The same, and a round: no event that is added later has an earlier time. Codes as above. */
int trace_file_pieces_round(struct trace_file_pieces *pieces, uint64_t time_ns);

void trace_file_pieces_free(struct trace_file_pieces *pieces);

#endif
