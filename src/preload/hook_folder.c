/* SPDX-License-Identifier: MIT */
/* Reading folders, patterns, and the working folder. */
#undef _FILE_OFFSET_BITS
#include "preload/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

CAIRN_HOOK DIR *opendir(const char *path)
{
    cairn_real_path text;
    int folder = AT_FDCWD;
    const char *real = cairn_hook_real_path(&folder, path, text);
    DIR *opened = CAIRN_NEXT(opendir)(real);

    if (opened && real == text)
        cairn_served_add_folder(dirfd(opened));
    return opened;
}

CAIRN_HOOK int scandir(const char *path, struct dirent ***list,
                       int (*wanted)(const struct dirent *),
                       int (*compare)(const struct dirent **, const struct dirent **))
{
    cairn_real_path text;
    int folder = AT_FDCWD;

    return CAIRN_NEXT(scandir)(cairn_hook_real_path(&folder, path, text), list, wanted, compare);
}

CAIRN_HOOK int scandir64(const char *path, struct dirent64 ***list,
                         int (*wanted)(const struct dirent64 *),
                         int (*compare)(const struct dirent64 **, const struct dirent64 **))
{
    return scandir(path, (struct dirent ***)list, (int (*)(const struct dirent *))wanted,
                   (int (*)(const struct dirent **, const struct dirent **))compare);
}

/* ---- glob ---- */

/* A path as the program knows it, in place of the real one. */
static void rename_result(char **path, const char *prefix, size_t prefix_length)
{
    size_t root_length = strlen(cairn_place_root());
    char *renamed;

    if (strncmp(*path, cairn_place_root(), root_length) != 0)
        return;
    if (asprintf(&renamed, "%.*s%s", (int)prefix_length, prefix, *path + root_length) < 0)
        return;
    free(*path);
    *path = renamed;
}

CAIRN_HOOK int glob(const char *pattern, int flags, int (*on_error)(const char *, int),
                    glob_t *found)
{
    static const char debug[] = "/sys/kernel/debug/tracing";
    static const char plain[] = "/sys/kernel/tracing";
    const char *prefix = !strncmp(pattern, debug, sizeof(debug) - 1) ? debug : plain;
    cairn_real_path text;
    int folder = AT_FDCWD;
    const char *real = cairn_hook_real_path(&folder, pattern, text);
    bool is_absolute = *pattern == '/';
    int result;

    /* A relative one is found where it is. */
    result = CAIRN_NEXT(glob)(is_absolute ? real : pattern, flags, on_error, found);
    if (result || real == pattern || !is_absolute)
        return result;
    for (size_t i = 0; i < found->gl_pathc; i++)
        rename_result(&found->gl_pathv[(flags & GLOB_DOOFFS ? found->gl_offs : 0) + i], prefix,
                      strlen(prefix));
    return 0;
}

CAIRN_HOOK int glob64(const char *pattern, int flags, int (*on_error)(const char *, int),
                      glob64_t *found)
{
    return glob(pattern, flags, on_error, (glob_t *)found);
}

/* ---- the working folder ---- */

CAIRN_HOOK int chdir(const char *path)
{
    cairn_real_path text;
    int folder = AT_FDCWD;
    const char *real = cairn_hook_real_path(&folder, path, text);
    int result = CAIRN_NEXT(chdir)(real);

    if (!result && (real == text || cairn_i_place_inside))
        cairn_place_look_around();
    return result;
}

CAIRN_HOOK int fchdir(int fd)
{
    int result = CAIRN_NEXT(fchdir)(fd);

    if (!result && (cairn_served_is_folder(fd) || cairn_i_place_inside))
        cairn_place_look_around();
    return result;
}
