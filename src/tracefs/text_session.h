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

#include "tracefs/lines.h"

#include <stdbool.h>
#include <stdint.h>

/* Joins the session, and takes the registry's lock. Returns 0 or an errno code. */
int tracefs_text_session_begin(struct tracefs_lines_file **ret_file);
void tracefs_text_session_end(void);

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
