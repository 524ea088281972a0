/* SPDX-License-Identifier: MIT */
/* What can be told of a program before it runs. */
#ifndef CLI_PROGRAM_H
#define CLI_PROGRAM_H

#include <limits.h>
#include <stdbool.h>

/* Where exec finds a command. False: nowhere. */
bool cli_program_find(const char *name, char path[PATH_MAX]);

/* Why a library cannot be loaded into a program, after "it ": NULL when nothing is in the way. */
const char *cli_program_hindrance(const char *path);

#endif
