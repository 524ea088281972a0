/* SPDX-License-Identifier: MIT */
/* The directories and files of the real directory: making them, removing them, under the registry's
 * lock.
 */
#ifndef PRELOAD_TREE_FILES_H
#define PRELOAD_TREE_FILES_H

#include "engine/directory.h"

#include <cairn/schema.h>

#include <stdbool.h>

/* A directory or a file, from the real directory on. */
typedef char preload_tree_name[CAIRN_NAME_MAX_BYTES + 64];

/* The directory that contains the real directory and its index: the tracing directory, or one in
 * memory instead of it (cli/run_tree.h). */
const struct engine_directory *preload_tree_directory(void);

/* Makes what is always there. Returns 0 or an errno code, as those below. */
int preload_tree_make_fixed(void);

/* Makes a directory, if it is not there. */
int preload_tree_make_directory(const char *name);

/* True if the directory of an event has its files. Takes no lock. */
bool preload_tree_is_filled(const char *directory);

/* Makes the files of an event; where its directory is not, nothing. */
int preload_tree_fill(const char *directory);

/* Removes the directory of an event, and its files. */
void preload_tree_remove(const char *directory);

#endif
