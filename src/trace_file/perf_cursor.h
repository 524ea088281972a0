/* SPDX-License-Identifier: MIT */
/* Iterates over the kernel's records of a piece in the order of time; they are untrusted. */
#ifndef TRACE_FILE_PERF_CURSOR_H
#define TRACE_FILE_PERF_CURSOR_H

#include "trace_file/perf.h"
#include "trace_file/piece_cursor.h"

/* As trace_file_cursor_begin, for a piece of PERF. */
int trace_file_perf_cursor_begin(struct trace_file_reader *reader, struct trace_file_block *block,
                                 struct core_cursor *c, struct trace_file_cursor **ret_cursor);

/* As trace_file_cursor_next. An event without descriptor is a record that is not a sample. */
int trace_file_perf_cursor_next(struct trace_file_reader *reader, struct trace_file_cursor *cursor);

/* Applies a record that is not a sample: names of threads, losses. Returns 0; ENOMEM. */
int trace_file_perf_apply(struct trace_file_reader *reader, const struct trace_file_event *event);

/* The name of a sample's thread, or NULL. */
const char *trace_file_perf_name(const struct trace_file_reader *reader,
                                 const struct trace_file_event *event);

#endif
