/* SPDX-License-Identifier: MIT */
/*
 * Divides a trace file that has an index into parts with about equal numbers of events. Readers
 * that are limited to one part each return all events together. Parts are ranges of time, in order;
 * or, if the order of events does not matter, blocks: then each block is read once.
 */
#ifndef TRACE_FILE_PARTS_H
#define TRACE_FILE_PARTS_H

#include "trace_file/reader.h"

struct trace_file_range {
    uint64_t since_ns;
    uint64_t until_ns;
    uint64_t first_entry; /* of the index; */
    uint64_t end_entry;   /* 0: all that the time is in */
};

struct trace_file_parts {
    const struct trace_file_index_entry *entries; /* of the reader that the parts are of */
    const uint64_t *later_ns;
    uint64_t count;
    uint64_t entry;   /* the next one whose events are not in a part yet */
    uint64_t last_ns; /* the last time of the entries before */
    uint64_t from_ns; /* where the next part begins */
    uint64_t until_ns;
    uint64_t step_ns;     /* steps of this duration lead to end_ns; 0: the next one does */
    uint64_t step_end_ns; /* of the next step */
    uint64_t end_ns;      /* the last time before the first event of the next entry */
    bool by_blocks;
    bool is_rest; /* the rest is one part */
    bool is_end;
};

/* Begins with a reader's range, which it has an index for. The reader must live as long. */
void trace_file_parts_begin(struct trace_file_parts *parts, const struct trace_file_reader *reader);

/* Returns the next range, or false: there is none. */
bool trace_file_parts_next(struct trace_file_parts *parts, struct trace_file_range *ret_range);

#endif
