/* SPDX-License-Identifier: MIT */
/*
 * Where the files are that a program under `cairn run` finds in tracefs. To make a directory for
 * each event takes a hundred times as long on a disk as in memory: where the tracing directory is
 * on a disk, and one user's alone, they are in /dev/shm.
 */
#ifndef CLI_RUN_TREE_H
#define CLI_RUN_TREE_H

#include <stdbool.h>

/*
 * Tells the library in the program where, by CAIRN_RUN_TREE=DIRECTORY:TRACING_DIRECTORY; without
 * the variable they are in the tracing directory. Removes those of this user's tracing directories
 * that are gone.
 *
 * is_shared  true if the tracing directory is open to its group
 * path       of the tracing directory, as in CAIRN_TRACING_DIR
 */
void cli_run_set_tree(bool is_shared, const char *path);

#endif
