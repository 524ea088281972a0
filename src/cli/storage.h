/* SPDX-License-Identifier: MIT */
/* Checks that the tracing directory is in memory: on a disk it is slow. */
#ifndef CLI_STORAGE_H
#define CLI_STORAGE_H

#include "cli/cli.h"

/* Prints a warning if the tracing directory is not in memory. */
void cli_storage_warn(const struct cli_verb *verb);

#endif
