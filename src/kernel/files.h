/* SPDX-License-Identifier: MIT */
/* The files of tracefs: lookup by path, and the functions of each file. */
#ifndef KERNEL_FILES_H
#define KERNEL_FILES_H

#include <cairn/typed_tracepoint.h>

#include "core/errno.h"
#include "core/text.h"

/* A file that was found. */
struct kernel_file {
    struct cairn_trace *trace;
    struct cairn_slice system;       /* "": all systems */
    struct cairn_trace_event *event; /* NULL: not a file of one event */
    uint32_t cpu;                    /* or CAIRN_TRACE_ALL_CPUS */
};

/* Returns 0, or an errno code. Output that does not fit is truncated. */
typedef int kernel_file_read(const struct kernel_file *file, struct cairn_text *to);

/* Handles the bytes of one write(2). */
typedef int kernel_file_write(const struct kernel_file *file, struct cairn_slice text);

/* Handles an open(2) with O_TRUNC. */
typedef void kernel_file_truncate(const struct kernel_file *file);

/* Parses an unsigned long as kstrtoul_from_user() does. Returns 0; EINVAL, ERANGE. */
int kernel_file_number(struct cairn_slice text, uint64_t *ret_value);

/* The same for files that accept 0 and 1 only. */
int kernel_file_bool(struct cairn_slice text, bool *ret_value);

/* files_events.c */
kernel_file_read kernel_read_available_events, kernel_read_set_event, kernel_read_system_enable,
    kernel_read_system_filter, kernel_read_enable, kernel_read_id, kernel_read_format,
    kernel_read_filter, kernel_read_error_log;
kernel_file_write kernel_write_set_event, kernel_write_system_enable, kernel_write_system_filter,
    kernel_write_enable, kernel_write_filter;
kernel_file_truncate kernel_truncate_set_event, kernel_truncate_error_log;

/* files_ring.c */
kernel_file_read kernel_read_buffer_size, kernel_read_buffer_total, kernel_read_tracer,
    kernel_read_options, kernel_read_overwrite, kernel_read_record_comms, kernel_read_stats,
    kernel_read_saved_comms, kernel_read_tracing_on;
kernel_file_write kernel_write_buffer_size, kernel_write_tracer, kernel_write_options,
    kernel_write_overwrite, kernel_write_record_comms, kernel_write_tracing_on;
kernel_file_truncate kernel_truncate_trace;

#endif
