/* SPDX-License-Identifier: MIT */
/*
 * Builds the records of events, by thread, and the blocks that contain them. For events that come
 * one by one: a recorder copies the pieces that programs wrote.
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
    uint64_t time_ns;
};

struct trace_file_pieces {
    struct trace_file_writer *writer;
    struct trace_file_tables_writer *tables; /* written before events */
    struct trace_file_piece *pieces;
    struct perf_data_map piece_of; /* process and thread */
    uint32_t count;
    uint32_t capacity;
    size_t size_bytes; /* of all records that wait */
    uint64_t latest_ns;
};

void trace_file_pieces_begin(struct trace_file_pieces *pieces, struct trace_file_writer *writer,
                             struct trace_file_tables_writer *tables);

/*
 * Adds an event whose payload is the concatenation of the parts. Events of a thread come in the
 * order of time. Blocks are written when enough has been added.
 *
 * Returns 0; E2BIG; ENOMEM; or as trace_file_writer_block.
 */
int trace_file_pieces_add(struct trace_file_pieces *pieces, const struct trace_file_origin *origin,
                          const struct iovec *parts, int part_count);

/* Writes the tables, what waits, and a round up to the latest event. Codes as above. */
int trace_file_pieces_flush(struct trace_file_pieces *pieces);

void trace_file_pieces_free(struct trace_file_pieces *pieces);

#endif
