/* SPDX-License-Identifier: MIT */
/* Reading directories, patterns, and the working directory. */
#undef _FILE_OFFSET_BITS
#include "preload/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static DIR *open_real(const char *path)
{
    DIR *opened = PRELOAD_NEXT(opendir)(path);

    if (opened)
        preload_served_add_directory(dirfd(opened));
    return opened;
}

PRELOAD_HOOK DIR *opendir(const char *path)
{
    preload_real_path text;
    int directory = AT_FDCWD;
    DIR *opened;

    if (preload_hook_redirect_to(PRELOAD_TREE_DIRECTORY, &directory, &path, text) ==
        PRELOAD_PLACE_OURS)
        return open_real(path);
    opened = PRELOAD_NEXT(opendir)(path);
    if (!opened &&
        preload_hook_redirect_missed_directory(PRELOAD_TREE_DIRECTORY, &directory, &path, text))
        return open_real(path);
    return opened;
}

PRELOAD_HOOK int scandirat(int directory, const char *path, struct dirent ***list,
                           int (*wanted)(const struct dirent *),
                           int (*compare)(const struct dirent **, const struct dirent **))
{
    preload_real_path text;
    int result;

    (void)preload_hook_redirect_to(PRELOAD_TREE_DIRECTORY, &directory, &path, text);
    result = PRELOAD_NEXT(scandirat)(directory, path, list, wanted, compare);
    if (result < 0 &&
        preload_hook_redirect_missed_directory(PRELOAD_TREE_DIRECTORY, &directory, &path, text))
        result = PRELOAD_NEXT(scandirat)(directory, path, list, wanted, compare);
    return result;
}

PRELOAD_HOOK int scandir(const char *path, struct dirent ***list,
                         int (*wanted)(const struct dirent *),
                         int (*compare)(const struct dirent **, const struct dirent **))
{
    return scandirat(AT_FDCWD, path, list, wanted, compare);
}

PRELOAD_HOOK_ALIAS("scandirat")
int scandirat64(int directory, const char *path, struct dirent64 ***list,
                int (*wanted)(const struct dirent64 *),
                int (*compare)(const struct dirent64 **, const struct dirent64 **));
PRELOAD_HOOK_ALIAS("scandir")
int scandir64(const char *path, struct dirent64 ***list, int (*wanted)(const struct dirent64 *),
              int (*compare)(const struct dirent64 **, const struct dirent64 **));

/* ---- glob ---- */

/*
 * Looks around by our functions, where a pattern may lead to our directory: one that begins as the
 * path to it does, also by a pattern, or in a working directory of ours. What a program would look
 * around by itself is left to it.
 */
static bool may_match(const char *pattern)
{
    return (uintptr_t)pattern >= 4096 &&
           (*pattern == '/' ? !strncmp(pattern, "/sys/", 5) : preload_place_is_inside()) &&
           *preload_place_root() && !engine_is_locked_by_self();
}

static void close_directory(void *directory)
{
    closedir(directory);
}

static int glob_by_ours(const char *pattern, int flags, int (*on_error)(const char *, int),
                        glob_t *found)
{
    const glob_t own = *found;
    int result;

    found->gl_opendir = (void *(*)(const char *))opendir;
    found->gl_readdir = (struct dirent * (*)(void *)) readdir;
    found->gl_closedir = close_directory;
    found->gl_stat = stat;
    found->gl_lstat = lstat;
    result = PRELOAD_NEXT(glob)(pattern, flags | GLOB_ALTDIRFUNC, on_error, found);
    found->gl_opendir = own.gl_opendir;
    found->gl_readdir = own.gl_readdir;
    found->gl_closedir = own.gl_closedir;
    found->gl_stat = own.gl_stat;
    found->gl_lstat = own.gl_lstat;
    found->gl_flags &= ~GLOB_ALTDIRFUNC;
    return result;
}

PRELOAD_HOOK int glob(const char *pattern, int flags, int (*on_error)(const char *, int),
                      glob_t *found)
{
    if (may_match(pattern) && !(flags & GLOB_ALTDIRFUNC))
        return glob_by_ours(pattern, flags, on_error, found);
    return PRELOAD_NEXT(glob)(pattern, flags, on_error, found);
}

PRELOAD_HOOK_ALIAS("glob")
int glob64(const char *pattern, int flags, int (*on_error)(const char *, int), glob64_t *found);

/* ---- the working directory ---- */

PRELOAD_HOOK int chdir(const char *path)
{
    preload_real_path text;
    int directory = AT_FDCWD;
    bool is_ours = preload_hook_redirect_to(PRELOAD_TREE_DIRECTORY, &directory, &path, text) ==
                   PRELOAD_PLACE_OURS;
    int result = PRELOAD_NEXT(chdir)(path);

    if (result &&
        preload_hook_redirect_missed_directory(PRELOAD_TREE_DIRECTORY, &directory, &path, text)) {
        is_ours = true;
        result = PRELOAD_NEXT(chdir)(path);
    }
    if (!result && (is_ours || preload_place_inside))
        preload_place_look_around();
    return result;
}

PRELOAD_HOOK int fchdir(int fd)
{
    int result = PRELOAD_NEXT(fchdir)(fd);

    if (!result && (preload_served_is_directory(fd) || preload_place_inside))
        preload_place_look_around();
    return result;
}
