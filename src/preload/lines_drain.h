/* SPDX-License-Identifier: MIT */
/* From the pools of the shared session to the buffer of lines. Under the registry's lock. */
#ifndef PRELOAD_LINES_DRAIN_H
#define PRELOAD_LINES_DRAIN_H

#include "preload/lines.h"

/* Moves what all pools of the file's session hold, in the order of time. Pools of the dead go. */
void cairn_lines_drain(struct cairn_lines_file *file);

#endif
