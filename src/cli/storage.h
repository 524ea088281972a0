/* SPDX-License-Identifier: MIT */
/* A warning when the tracing directory is not in memory, where it belongs. */
#ifndef CLI_STORAGE_H
#define CLI_STORAGE_H

#include "cli/cli.h"

/* Warns when the tracing directory is not in memory. */
void cli_storage_warn(const struct cli_verb *verb);

#endif
