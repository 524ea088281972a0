/* SPDX-License-Identifier: MIT */
/* Processes that could not join a tracing directory: counted in it, so that recorders can report
 * them. */
#ifndef ENGINE_REFUSED_H
#define ENGINE_REFUSED_H

#include "engine/abi.h"
#include "engine/directory.h"

/* Counts this process as one that could not join, with an errno code. Without the lock, which
 * may be the cause. Does nothing if there is no registry that can be written to. */
void engine_refused_note(const struct engine_directory *directory, int error);

/* Counts a process whose registration could not be completed later. */
void engine_refused_count(struct engine_registry_file *registry, int error);

#endif
