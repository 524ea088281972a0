/* SPDX-License-Identifier: MIT */
/* Checks the file system of the tracing directory. */
#include "cli/storage.h"

#include <cairn/inspect.h>
#include <limits.h>

void cli_storage_warn(const struct cli_verb *verb)
{
    char path[PATH_MAX];
    uint32_t properties;

    if (cairn_directory_locate(path, sizeof(path), &properties) ||
        !(properties & CAIRN_DIRECTORY_ON_DISK))
        return;
    cli_error(verb,
              "warning: the tracing directory %s is on a disk: the first event of a program takes "
              "milliseconds, and all buffers are written to the disk (run cairn doctor)",
              path);
}
