/* SPDX-License-Identifier: MIT */
/* A tracing directory of an older version, which exists until the computer is restarted. */
#ifndef ENGINE_UPGRADE_H
#define ENGINE_UPGRADE_H

#include "engine/directory.h"

/*
 * Under the lock: removes the files of an older version, if no living process uses them. A process
 * that only reads them keeps its mappings. Returns 0, and the registry can be created again; or
 * EPROTONOSUPPORT: a process uses them.
 */
int engine_directory_clear_old(const struct engine_directory *directory);

#endif
