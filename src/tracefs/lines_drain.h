/* SPDX-License-Identifier: MIT */
/* From the pools of the shared session to the buffer of lines. Under the registry's lock. */
#ifndef TRACEFS_LINES_DRAIN_H
#define TRACEFS_LINES_DRAIN_H

#include "tracefs/lines.h"

/* Moves what all pools of the file's session hold, in the order of time. Pools of the dead go. */
void cairn_lines_drain(struct cairn_lines_file *file);

#endif
