/* SPDX-License-Identifier: MIT */
/*
 * Records that programs wrote, in blocks of events: a recorder copies them from the buffers to
 * their place in a block, and adds the head of their piece.
 */
#ifndef TRACE_FILE_COPIES_H
#define TRACE_FILE_COPIES_H

#include "perf_data/map.h"
#include "trace_file/write_tables.h"

/* The data that the records of a piece have in common, or that are valid at its beginning. */
struct trace_file_piece_head {
    uint32_t process; /* the file's number of it */
    uint32_t tid;
    uint32_t cpu; /* TRACE_FILE_CPU_UNKNOWN */
    uint32_t domain;
    uint32_t flags; /* TRACE_FILE_PIECE_ */
    uint64_t base;
};

/* Records that were copied. */
struct trace_file_copied {
    size_t size_bytes;
    uint32_t events;
    uint64_t first; /* the counter at the first event, */
    uint64_t last;  /* and at the last */
    uint64_t first_ns;
    uint64_t last_ns;
};

/* The position at which events of a process and a descriptor are counted. Zeros are valid for any.
 */
struct trace_file_count_position {
    uint32_t block;
    uint32_t index;
};

struct trace_file_copies {
    struct trace_file_writer *writer;
    struct trace_file_tables_writer *tables; /* written before events */
    struct cairn_bytes block;
    struct trace_file_extent extent;   /* of the block */
    struct perf_data_map position_of;  /* process and descriptor to the index of their count */
    uint32_t number;                   /* of the block, from 1 */
    struct trace_file_piece_head head; /* of the piece that grows */
    bool is_open;                      /* there is one */
    uint64_t pieces;                   /* its number, from 1 */
    size_t piece_at;                   /* its position in the block */
    struct trace_file_copied piece;    /* its records */
    uint64_t latest_ns;                /* of all events */
    uint64_t unstored;                 /* events that could not be written */
};

void trace_file_copies_begin(struct trace_file_copies *copies, struct trace_file_writer *writer,
                             struct trace_file_tables_writer *tables);

/* Begins a piece, whose head may be changed until records are added. What has none is left out. */
void trace_file_copies_piece(struct trace_file_copies *copies,
                             const struct trace_file_piece_head *head);

/* Ends the piece: what the block has to say of times is complete. One without events is left out.
 */
void trace_file_copies_end_piece(struct trace_file_copies *copies);

/* Returns memory for this number of bytes of records at the end of the piece, at a multiple of 4.
 * NULL: there is none. */
uint8_t *trace_file_copies_room(struct trace_file_copies *copies, size_t size_bytes);

/* Adds what was written there: whole records, with padding, none earlier than the one before. */
void trace_file_copies_add(struct trace_file_copies *copies,
                           const struct trace_file_copied *copied);

/* Counts events that were added since, of the piece's process. Errors are kept until the block is
 * written. */
void trace_file_copies_count(struct trace_file_copies *copies,
                             struct trace_file_count_position *position, uint32_t descriptor,
                             uint32_t events);

/* Events that are not written yet. */
static inline uint64_t trace_file_copies_waiting(const struct trace_file_copies *copies)
{
    return copies->extent.events + (uint64_t)(copies->is_open ? copies->piece.events : 0);
}

/* True if the block is to be written. */
static inline bool trace_file_copies_are_enough(const struct trace_file_copies *copies)
{
    return copies->block.size >= (size_t)1 << 20;
}

/* Writes the tables and the block. Returns as trace_file_writer_block. */
int trace_file_copies_flush(struct trace_file_copies *copies);

void trace_file_copies_free(struct trace_file_copies *copies);

#endif
