/* SPDX-License-Identifier: MIT */
/* The buffer of lines: a ring of text in a file that all programs map. All under the registry's
 * lock. */
#ifndef TRACEFS_LINES_H
#define TRACEFS_LINES_H

#include "engine/session.h"
#include "engine/output.h"
#include "kernel/error_log.h"

#include <cairn/filter.h>
#include <stdbool.h>

#define TRACEFS_LINES_MAGIC      UINT64_C(0x3365636172746e63) /* "cntrace3" */
#define TRACEFS_LINES_BYTES      (1u << 20)                   /* of lines */
#define TRACEFS_LINES_LINE_BYTES 4096u

/* The error log: the last errors, each with its text: a filter, a caret below it, the error. */
#define TRACEFS_LINES_ERRORS      KERNEL_ERROR_LOG_ENTRIES_MAX
#define TRACEFS_LINES_ERROR_BYTES (2 * CAIRN_FILTER_TEXT_MAX_BYTES + 256)

struct tracefs_lines_file {
    uint64_t magic;
    uint64_t session; /* the session that the content belongs to */
    uint64_t written; /* all bytes ever written */
    uint64_t taken;   /* bytes that were dropped: the text is from here to `written` */
    uint64_t entries; /* all lines ever written */
    uint32_t is_off;
    uint32_t filter_changes; /* how often a filter was set: 0 in a session without any */
    uint32_t errors_from;    /* of the error log: those from here to errors_end */
    uint32_t errors_end;
    uint32_t slot; /* of the session */
    char text[TRACEFS_LINES_BYTES];
    char errors[TRACEFS_LINES_ERRORS][TRACEFS_LINES_ERROR_BYTES];
};

/* Maps the file for a session; empties it if it was another's. Returns 0; ENOSPC; or the error of a
 * system call. */
int tracefs_lines_open(const struct engine_session *session, struct tracefs_lines_file **ret_file);

/* Adds a line that ends with a newline; the oldest lines are dropped for it. */
void tracefs_lines_add(struct tracefs_lines_file *file, const char *line, size_t size_bytes);

/* The number of lines in it. */
uint64_t tracefs_lines_count(const struct tracefs_lines_file *file);

void tracefs_lines_print(const struct tracefs_lines_file *file, struct engine_output *output);
size_t tracefs_lines_take(struct tracefs_lines_file *file, char *to, size_t size_bytes);

/* Moves the records of all pools of the session into it, in the order of time. Removes the pools of
 * processes that have ended. */
void tracefs_lines_drain(struct tracefs_lines_file *file);

#endif
