/* SPDX-License-Identifier: MIT */
/* Checks the file system of the tracing directory. */
#include "cli/storage.h"
#include "engine/directory.h"

#include <linux/magic.h>
#include <sys/vfs.h>

bool cli_storage_is_memory(const char *directory)
{
    struct statfs fs;

    if (statfs(directory, &fs))
        return true;
    return fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC || fs.f_type == HUGETLBFS_MAGIC;
}

void cli_storage_warn(const struct cli_verb *verb)
{
    struct cairn_directory directory;

    if (cairn_directory_find(&directory) || cli_storage_is_memory(directory.path))
        return;
    cli_error(verb,
              "warning: the tracing directory %s is on a disk: the first event of a program takes "
              "milliseconds, and all buffers are written to the disk (run cairn doctor)",
              directory.path);
}
