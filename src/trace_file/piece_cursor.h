/* SPDX-License-Identifier: MIT */
/* Iterates over the records of a piece, which are untrusted. */
#ifndef TRACE_FILE_PIECE_CURSOR_H
#define TRACE_FILE_PIECE_CURSOR_H

#include "trace_file/reader.h"

struct trace_file_cursor {
    struct trace_file_event event; /* the one that comes next */
    struct trace_file_block *block;
    struct core_cursor records; /* those that come after the event */
    uint32_t process;
    uint32_t flags;
    uint64_t scope;       /* of numbers of descriptors: the file (0), or a process */
    uint64_t base;        /* of the counter */
    uint64_t sequence;    /* number of the piece, to order events of equal time */
    const uint8_t *stack; /* of the next event */
    uint64_t stack_count; /* 0: it has none */
    uint64_t last;        /* counter of the last event, as the piece says */
    uint64_t skipped;     /* records whose counter is below it are earlier than the range */
    uint64_t latest_ns;   /* of the events so far: decides on the range that an event is in */
    /* Records of a piece of the kernel's, in the order of time; otherwise NULL. */
    struct trace_file_perf_record *perf;
    uint32_t perf_count;
    uint32_t perf_next;
};

/* A record of a piece. */
struct trace_file_record {
    uint32_t number;     /* CORE_RECORD_CONTROL, or a descriptor's */
    uint32_t time;       /* after the base */
    const uint8_t *data; /* what follows the header */
    size_t data_bytes;
};

/* Reads a record with its padding. Returns 0; EBADMSG. */
int trace_file_record_take(struct core_cursor *records, struct trace_file_record *ret_record);

/*
 * Begins a piece at the cursor `c` and moves it after the piece; takes a reference to the block.
 * Returns 0; ENODATA it has no event of the reader's range; EBADMSG; ENOMEM.
 */
int trace_file_cursor_begin(struct trace_file_reader *reader, struct trace_file_block *block,
                            struct core_cursor *c, struct trace_file_cursor **ret_cursor);

/* Prepares a piece for the reader's range, if that has changed. */
void trace_file_cursor_enter_range(struct trace_file_reader *reader,
                                   struct trace_file_cursor *cursor);

/*
 * Moves to the next event of the reader's range. An event is not in an earlier range than those
 * before it.
 *
 * Returns 0; ENODATA the end; EAGAIN the next one is of a later range; EBADMSG.
 */
int trace_file_cursor_next(struct trace_file_reader *reader, struct trace_file_cursor *cursor);

void trace_file_cursor_end(struct trace_file_reader *reader, struct trace_file_cursor *cursor);

#endif
