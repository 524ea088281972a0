/* SPDX-License-Identifier: MIT */
/* Counts the events of a trace file by their descriptors, without expanding records. */
#ifndef TRACE_FILE_COUNT_H
#define TRACE_FILE_COUNT_H

#include "trace_file/index.h"
#include "trace_file/tables.h"

struct trace_file_counts {
    struct trace_file_tables tables; /* descriptors and clocks alone */
    uint64_t *events;                /* by the index of the descriptor */
};

/*
 * Counts by the index, or, if there is no valid one, by the records of all blocks.
 *
 * blocks      of a mapped file whose beginning was read; not changed
 * ret_counts  zeros; trace_file_counts_free, also on failure
 *
 * Returns 0; EBADMSG the file is damaged, and the rest was counted; ENOMEM; EOPNOTSUPP.
 */
int trace_file_count(const struct trace_file_blocks *blocks, struct trace_file_counts *ret_counts);

void trace_file_counts_free(struct trace_file_counts *counts);

#endif
