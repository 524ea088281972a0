/* SPDX-License-Identifier: MIT */
/* The files of tracefs: what a path leads to, and what each file does. */
#ifndef KERNEL_FILES_H
#define KERNEL_FILES_H

#include <cairn/typed_tracepoint.h>

#include "core/errno.h"
#include "core/text.h"

/* A file that was found. */
struct cairn_i_file {
    struct cairn_trace *trace;
    struct cairn_slice system;       /* "": of all of them */
    struct cairn_trace_event *event; /* NULL: not of an event */
    uint32_t cpu;                    /* or CAIRN_TRACE_ALL_CPUS */
};

/* Returns 0, or an errno code. What does not fit into the text is nobody's worry. */
typedef int cairn_i_file_read(const struct cairn_i_file *file, struct cairn_text *to);

/* What one write(2) brings. */
typedef int cairn_i_file_write(const struct cairn_i_file *file, struct cairn_slice text);

/* O_TRUNC. */
typedef void cairn_i_file_truncate(const struct cairn_i_file *file);

/* An unsigned long as kstrtoul_from_user() reads it. Returns 0; EINVAL, ERANGE. */
int cairn_i_file_number(struct cairn_slice text, uint64_t *ret_value);

/* The same of files that take 0 and 1 only. */
int cairn_i_file_bool(struct cairn_slice text, bool *ret_value);

/* trace_files_events.c */
cairn_i_file_read cairn_i_read_available_events, cairn_i_read_set_event, cairn_i_read_system_enable,
    cairn_i_read_system_filter, cairn_i_read_enable, cairn_i_read_id, cairn_i_read_format,
    cairn_i_read_filter, cairn_i_read_error_log;
cairn_i_file_write cairn_i_write_set_event, cairn_i_write_system_enable,
    cairn_i_write_system_filter, cairn_i_write_enable, cairn_i_write_filter;
cairn_i_file_truncate cairn_i_truncate_set_event, cairn_i_truncate_error_log;

/* trace_files_ring.c */
cairn_i_file_read cairn_i_read_buffer_size, cairn_i_read_buffer_total, cairn_i_read_tracer,
    cairn_i_read_options, cairn_i_read_overwrite, cairn_i_read_record_comms, cairn_i_read_stats,
    cairn_i_read_saved_comms, cairn_i_read_tracing_on;
cairn_i_file_write cairn_i_write_buffer_size, cairn_i_write_tracer, cairn_i_write_options,
    cairn_i_write_overwrite, cairn_i_write_record_comms, cairn_i_write_tracing_on;
cairn_i_file_truncate cairn_i_truncate_trace;

#endif
