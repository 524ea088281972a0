/* SPDX-License-Identifier: MIT */
/* Moves records from the pools of the shared session to the buffer of lines. Under the registry's
 * lock. */
#ifndef TRACEFS_LINES_DRAIN_H
#define TRACEFS_LINES_DRAIN_H

#include "tracefs/lines.h"

/* Moves the records of all pools of the file's session, in the order of time. Removes the pools of
 * processes that have ended. */
void tracefs_lines_drain(struct tracefs_lines_file *file);

#endif
