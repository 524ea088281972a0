/* SPDX-License-Identifier: MIT */
/* Paths of the tracing directory. */
#ifndef PRELOAD_PATH_H
#define PRELOAD_PATH_H

#include "tracefs/file.h"

/* The rest of a path that begins with that of the tracing directory; NULL: it is another path. Any
 * thread, any signal handler. */
const char *preload_path_inside(const char *path);

/* Under the engine's lock: the file at a rest. Returns 0; ENOENT, ENOTDIR; or why there is no
 * engine. */
int preload_path_find(const char *rest, tracefs_node *ret_node);

#endif
