/* SPDX-License-Identifier: MIT */
/*
 * The tree of files that a program under `cairn run` finds in tracefs. It is in /dev/shm if the
 * tracing directory is on a disk and not shared: creating a directory for each event takes a
 * hundred times as long on a disk as in memory.
 */
#ifndef CLI_RUN_TREE_H
#define CLI_RUN_TREE_H

#include <stdbool.h>

/*
 * Sets CAIRN_RUN_TREE=DIRECTORY:TRACING_DIRECTORY for the library in the program; without the
 * variable the tree is in the tracing directory. Removes trees of this user whose tracing directory
 * does not exist any more.
 *
 * is_shared  true if the tracing directory is open to its group
 * path       of the tracing directory, as in CAIRN_TRACING_DIR
 */
void cli_run_set_tree(bool is_shared, const char *path);

#endif
