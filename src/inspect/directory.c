/* SPDX-License-Identifier: MIT */
/* The tracing directory: its path, its properties, and why it cannot be used. */
#include "engine/directory.h"
#include "engine/registry.h"
#include "inspect/diagnosis.h"

#include <errno.h>
#include <inttypes.h>
#include <linux/magic.h>
#include <stdio.h>
#include <string.h>
#include <sys/vfs.h>

bool inspect_is_in_memory(const char *directory)
{
    struct statfs fs;

    if (statfs(directory, &fs))
        return true;
    return fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC || fs.f_type == HUGETLBFS_MAGIC;
}

int cairn_directory_locate(char *path, size_t size_bytes, uint32_t *ret_properties)
{
    struct engine_directory directory;
    size_t length;
    int error = engine_directory_find(&directory);

    if (error)
        return error;
    length = strlen(directory.path);
    if (length >= size_bytes)
        return ERANGE;
    memcpy(path, directory.path, length + 1);
    if (ret_properties)
        *ret_properties = (inspect_is_in_memory(path) ? 0 : CAIRN_DIRECTORY_ON_DISK) |
                          (directory.is_shared ? CAIRN_DIRECTORY_SHARED : 0);
    return 0;
}

void inspect_describe_version(const struct engine_registry *local, char *text, size_t size_bytes)
{
    (void)snprintf(text, size_bytes,
                   "%s was created by another version of cairn: its layout is version %" PRIu32
                   ", this program's is %u",
                   local->directory.path, local->found_version, ENGINE_REGISTRY_VERSION);
}

int cairn_directory_explain(int error, char *text, size_t size_bytes)
{
    struct engine_registry local = {.lock_fd = -1};
    int result = 0;

    if (error == EPROTONOSUPPORT && engine_registry_open(&local) == EPROTONOSUPPORT)
        inspect_describe_version(&local, text, size_bytes);
    else if (error == EBADMSG && engine_registry_open(&local) == EBADMSG)
        (void)snprintf(text, size_bytes, "%s has a damaged registry", local.directory.path);
    else
        result = ENOENT;
    engine_registry_close(&local);
    return result;
}
