/* SPDX-License-Identifier: MIT */
/* cairn record --libc: a library in front of the C library's functions, in the command. */
#ifndef CLI_LIBC_H
#define CLI_LIBC_H

#include "cli/cli.h"

/* Makes the command, and what it executes, load the library. Reports a command that cannot. Returns
 * an exit status. */
int cli_libc_load(const struct cli_verb *verb, const char *command);

#endif
