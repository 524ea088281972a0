/* SPDX-License-Identifier: MIT */
/* A warning when the tracing directory is not in memory. */
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
    cli_error(
        verb,
        "warning: the tracing directory %s is on a disk: programs take milliseconds for their "
        "first event, and all buffers are written to the disk (cairn doctor tells more)",
        path);
}
