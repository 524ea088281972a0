/* SPDX-License-Identifier: MIT */
/* Describes the contents of a block of events for the index. */
#ifndef TRACE_FILE_EXTENT_H
#define TRACE_FILE_EXTENT_H

#include "trace_file/blocks.h"
#include "trace_file/tables.h"
#include "trace_file/writer.h"

/*
 * Iterates over the records without expanding them. Times and numbers are computed from the tables.
 *
 * ret_extent  added to; perf_data_bytes_free its counts
 *
 * Returns 0; EBADMSG a piece or a record is invalid; ENOMEM.
 */
int trace_file_extent_of(const struct trace_file_tables *tables,
                         const struct trace_file_block *block, bool swap,
                         struct trace_file_extent *ret_extent);

/* The same from the headers of the pieces alone, without counts: the times of the bases and of the
 * last events. */
int trace_file_extent_of_heads(const struct trace_file_tables *tables,
                               const struct trace_file_block *block, bool swap,
                               struct trace_file_extent *ret_extent);

#endif
