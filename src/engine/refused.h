/* SPDX-License-Identifier: MIT */
/* Processes that could not join a tracing directory: counted in it, so that recorders can tell. */
#ifndef ENGINE_REFUSED_H
#define ENGINE_REFUSED_H

#include "engine/directory.h"

/* Counts this process as one that could not join, for an errno code. Without the lock: it may be
 * the reason. Does nothing where there is no registry, or none that may be written to. */
void cairn_refused_note(const struct cairn_directory *directory, int error);

#endif
