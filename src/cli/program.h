/* SPDX-License-Identifier: MIT */
/* Examines a program file before cairn run executes it. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

/* Finds the path of a command as exec does. False: there is none. */
bool cli_program_find(const char *name, char path[PATH_MAX]);

/* The reason why a library cannot be preloaded into a program, as in "PROGRAM is linked
 * statically"; NULL: it can. */
const char *cli_program_preload_obstacle(const char *path);

#endif
