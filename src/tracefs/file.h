/* SPDX-License-Identifier: MIT */
/* The files of the tracing directory: their purposes, and what is read from them and written to
 * them. */
#ifndef TRACEFS_FILE_H
#define TRACEFS_FILE_H

#include "engine/output.h"

#include <stdint.h>
#include <sys/uio.h>

/* From TRACEFS_FILE_STATUS on they can only be read. */
enum tracefs_file_kind {
    TRACEFS_FILE_NONE = 0,   /* a directory */
    TRACEFS_FILE_DATA,       /* user_events_data */
    TRACEFS_FILE_DYNAMIC,    /* dynamic_events */
    TRACEFS_FILE_SET,        /* set_event */
    TRACEFS_FILE_ON,         /* tracing_on */
    TRACEFS_FILE_TRACE,      /* trace */
    TRACEFS_FILE_ERRORS,     /* error_log */
    TRACEFS_FILE_ENABLE_ALL, /* events/enable, events/SYSTEM/enable */
    TRACEFS_FILE_ENABLE,     /* events/SYSTEM/NAME/enable */
    TRACEFS_FILE_FILTER,
    TRACEFS_FILE_FILTER_ALL, /* events/SYSTEM/filter */
    TRACEFS_FILE_STATUS,     /* user_events_status */
    TRACEFS_FILE_EVENTS,     /* available_events */
    TRACEFS_FILE_FORMAT,
    TRACEFS_FILE_ID,
    TRACEFS_FILE_PIPE,  /* trace_pipe */
    TRACEFS_FILE_FIXED, /* its text never changes */
};

enum tracefs_system {
    TRACEFS_SYSTEM_BOTH = 0,
    TRACEFS_SYSTEM_SINGLE, /* user_events */
    TRACEFS_SYSTEM_MULTI,  /* user_events_multi */
};

struct tracefs_file {
    uint32_t kind;    /* enum tracefs_file_kind */
    uint32_t system;  /* of TRACEFS_FILE_ENABLE_ALL, _FILTER_ALL */
    uint64_t event;   /* the sample id, of an event's file; otherwise 0 */
    const char *text; /* of TRACEFS_FILE_FIXED */
};

/* ---- all under the engine's lock ---- */

/* Replaces a content by the current one of a file. Returns 0; ENODEV the event is gone; or the
 * error of a system call. */
int tracefs_content_renew(const struct tracefs_file *file, struct engine_output *output);

/*
 * Executes a program's write, part by part. *size_bytes is the number of bytes, and then of those
 * that were accepted. The list of parts is readable. Returns 0; EFAULT; EINVAL it is malformed, or
 * the file cannot be written to; ENOENT, ENODEV no such event; or as tracefs_dynamic_write.
 */
int tracefs_control_write(const struct tracefs_file *file, const struct iovec *parts, int count,
                          size_t *size_bytes);

/* Empties a file that was opened with O_TRUNC. Returns 0; EBUSY an event is in use. */
int tracefs_control_truncate(const struct tracefs_file *file);

#endif
