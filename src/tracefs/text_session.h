/* SPDX-License-Identifier: MIT */
/*
 * The text of tracefs: the session whose events are those that were enabled by writing to an
 * `enable` file, and the buffer of lines of trace and trace_pipe. Both are shared by all programs
 * that use the emulated files of the tracing directory, and end with the last of them.
 *
 * Records are in the pools of the processes that wrote them; a reader of the text moves them into
 * the buffer, which drops the oldest lines when it is full. All under the engine's lock.
 */
#ifndef TRACEFS_TEXT_SESSION_H
#define TRACEFS_TEXT_SESSION_H

#include "engine/output.h"
#include "engine/session.h"
#include "kernel/error_log.h"

#include <cairn/filter.h>
#include <stdbool.h>
#include <stdint.h>

/* ---- the buffer: a ring of text in a file that all programs map. Under the registry's lock ----
 */

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

/* Adds a line that ends with a newline; the oldest lines are dropped for it. */
void tracefs_lines_add(struct tracefs_lines_file *file, const char *line, size_t size_bytes);

/* The number of lines in it. */
uint64_t tracefs_lines_count(const struct tracefs_lines_file *file);

void tracefs_lines_print(const struct tracefs_lines_file *file, struct engine_output *output);

/* Moves the records of all pools of the session into it, in the order of time. Removes the pools of
 * processes that have ended. */
void tracefs_lines_drain(struct tracefs_lines_file *file);

/* ---- the session ---- */

/* Joins the session, and takes the registry's lock, which the caller releases. Returns 0 or an
 * errno code. */
int tracefs_text_session_lock(struct tracefs_lines_file **ret_file);

/*
 * Keeps a session's file locked until the process ends: a mapping keeps the opening even if the
 * program closes the descriptor. Closes the descriptor, except on overlayfs, where the mapping is
 * of another file.
 */
void tracefs_text_session_hold(int liveness_fd);

/* Enables an event for the text reader, or disables it, by its sample id. Returns 0; ENODEV the
 * event is gone; or another errno code. */
int tracefs_text_session_choose(uint64_t event, bool wanted);

/* Moves the records of the pools into the buffer if this process has a pool in the session, which
 * must be read before it is full. False: it has none. */
bool tracefs_text_session_drain_ours(void);

/* Does the same in any case, and removes the oldest whole lines, as many as fit. Returns the number
 * of bytes. */
size_t tracefs_text_session_take(char *to, size_t size_bytes);

#endif
