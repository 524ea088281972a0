/* SPDX-License-Identifier: MIT */
/* Whether a tracing directory is in memory, where it belongs. */
#ifndef CLI_STORAGE_H
#define CLI_STORAGE_H

#include "cli/cli.h"

/* Whether the file system of a directory keeps its files in memory; also when it cannot be told. */
bool cli_storage_is_memory(const char *directory);

/* Warns when the tracing directory is not in memory. */
void cli_storage_warn(const struct cli_verb *verb);

#endif
