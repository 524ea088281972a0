/* SPDX-License-Identifier: MIT */
/* The files of tracefs: lookup by path, and the functions of each file. */
#ifndef KERNEL_FILES_H
#define KERNEL_FILES_H

#include <cairn/typed_tracepoint.h>

#include "core/errno.h"
#include "core/text.h"

/* A file that was found. */
struct cairn_i_file {
    struct cairn_trace *trace;
    struct cairn_slice system;       /* "": all systems */
    struct cairn_trace_event *event; /* NULL: not a file of one event */
    uint32_t cpu;                    /* or CAIRN_TRACE_ALL_CPUS */
};

/* Returns 0, or an errno code. Output that does not fit is truncated. */
typedef int cairn_i_file_read(const struct cairn_i_file *file, struct cairn_text *to);

/* Handles the bytes of one write(2). */
typedef int cairn_i_file_write(const struct cairn_i_file *file, struct cairn_slice text);

/* Handles an open(2) with O_TRUNC. */
typedef void cairn_i_file_truncate(const struct cairn_i_file *file);

/* Parses an unsigned long as kstrtoul_from_user() does. Returns 0; EINVAL, ERANGE. */
int cairn_i_file_number(struct cairn_slice text, uint64_t *ret_value);

/* The same for files that accept 0 and 1 only. */
int cairn_i_file_bool(struct cairn_slice text, bool *ret_value);

/* files_events.c */
cairn_i_file_read cairn_i_read_available_events, cairn_i_read_set_event, cairn_i_read_system_enable,
    cairn_i_read_system_filter, cairn_i_read_enable, cairn_i_read_id, cairn_i_read_format,
    cairn_i_read_filter, cairn_i_read_error_log;
cairn_i_file_write cairn_i_write_set_event, cairn_i_write_system_enable,
    cairn_i_write_system_filter, cairn_i_write_enable, cairn_i_write_filter;
cairn_i_file_truncate cairn_i_truncate_set_event, cairn_i_truncate_error_log;

/* files_ring.c */
cairn_i_file_read cairn_i_read_buffer_size, cairn_i_read_buffer_total, cairn_i_read_tracer,
    cairn_i_read_options, cairn_i_read_overwrite, cairn_i_read_record_comms, cairn_i_read_stats,
    cairn_i_read_saved_comms, cairn_i_read_tracing_on;
cairn_i_file_write cairn_i_write_buffer_size, cairn_i_write_tracer, cairn_i_write_options,
    cairn_i_write_overwrite, cairn_i_write_record_comms, cairn_i_write_tracing_on;
cairn_i_file_truncate cairn_i_truncate_trace;

#endif
