/* SPDX-License-Identifier: MIT */
/*
 * Hooks of calls that would change the tracing directory itself: no file is created, removed or
 * renamed there, as in a tracefs. Modes, owners and times are those of the real directory; they do
 * not decide about access. Each hook calls the function of its own name: a sandbox may allow one
 * and not another.
 */
#undef _FILE_OFFSET_BITS
#include "preload/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <sys/time.h>
#include <unistd.h>

/* Also the place that the kernel has at such a path is left alone. */
static bool is_fixed(int directory, const char *path)
{
    tracefs_place_path ours;

    if (preload_hook_side(directory, path, ours) != PRELOAD_PLACE_OURS)
        return false;
    errno = EPERM;
    return true;
}

/* EEXIST is returned before other errors. */
static bool cannot_be_made(int directory, const char *path)
{
    struct stat st;

    if (!is_fixed(directory, path))
        return false;
    errno = fstatat(directory, path, &st, AT_SYMLINK_NOFOLLOW) ? EPERM : EEXIST;
    return true;
}

static bool cannot_be_removed(int directory, const char *path)
{
    struct stat st;

    if (!is_fixed(directory, path))
        return false;
    if (!fstatat(directory, path, &st, AT_SYMLINK_NOFOLLOW))
        errno = EPERM;
    return true;
}

PRELOAD_HOOK int mkdirat(int directory, const char *path, mode_t mode)
{
    return cannot_be_made(directory, path) ? -1 : PRELOAD_NEXT(mkdirat)(directory, path, mode);
}

PRELOAD_HOOK int mkdir(const char *path, mode_t mode)
{
    return cannot_be_made(AT_FDCWD, path) ? -1 : PRELOAD_NEXT(mkdir)(path, mode);
}

PRELOAD_HOOK int symlinkat(const char *target, int directory, const char *path)
{
    return cannot_be_made(directory, path) ? -1 : PRELOAD_NEXT(symlinkat)(target, directory, path);
}

PRELOAD_HOOK int symlink(const char *target, const char *path)
{
    return cannot_be_made(AT_FDCWD, path) ? -1 : PRELOAD_NEXT(symlink)(target, path);
}

PRELOAD_HOOK int linkat(int from_directory, const char *from, int to_directory, const char *to,
                        int flags)
{
    if (is_fixed(from_directory, from) || cannot_be_made(to_directory, to))
        return -1;
    return PRELOAD_NEXT(linkat)(from_directory, from, to_directory, to, flags);
}

PRELOAD_HOOK int link(const char *from, const char *to)
{
    if (is_fixed(AT_FDCWD, from) || cannot_be_made(AT_FDCWD, to))
        return -1;
    return PRELOAD_NEXT(link)(from, to);
}

PRELOAD_HOOK int unlinkat(int directory, const char *path, int flags)
{
    return cannot_be_removed(directory, path) ? -1 : PRELOAD_NEXT(unlinkat)(directory, path, flags);
}

PRELOAD_HOOK int unlink(const char *path)
{
    return cannot_be_removed(AT_FDCWD, path) ? -1 : PRELOAD_NEXT(unlink)(path);
}

PRELOAD_HOOK int rmdir(const char *path)
{
    return cannot_be_removed(AT_FDCWD, path) ? -1 : PRELOAD_NEXT(rmdir)(path);
}

PRELOAD_HOOK int remove(const char *path)
{
    return cannot_be_removed(AT_FDCWD, path) ? -1 : PRELOAD_NEXT(remove)(path);
}

static bool cannot_be_renamed(int from_directory, const char *from, int to_directory,
                              const char *to)
{
    return cannot_be_removed(from_directory, from) || is_fixed(to_directory, to);
}

PRELOAD_HOOK int renameat2(int from_directory, const char *from, int to_directory, const char *to,
                           unsigned int flags)
{
    if (cannot_be_renamed(from_directory, from, to_directory, to))
        return -1;
    return PRELOAD_NEXT(renameat2)(from_directory, from, to_directory, to, flags);
}

PRELOAD_HOOK int renameat(int from_directory, const char *from, int to_directory, const char *to)
{
    if (cannot_be_renamed(from_directory, from, to_directory, to))
        return -1;
    return PRELOAD_NEXT(renameat)(from_directory, from, to_directory, to);
}

PRELOAD_HOOK int rename(const char *from, const char *to)
{
    if (cannot_be_renamed(AT_FDCWD, from, AT_FDCWD, to))
        return -1;
    return PRELOAD_NEXT(rename)(from, to);
}

/* ---- modes, owners, times ---- */

PRELOAD_HOOK int fchmodat(int directory, const char *path, mode_t mode, int flags)
{
    preload_real_path text;

    (void)preload_hook_redirect(&directory, &path, text);
    return PRELOAD_NEXT(fchmodat)(directory, path, mode, flags);
}

PRELOAD_HOOK int chmod(const char *path, mode_t mode)
{
    preload_real_path text;
    int directory = AT_FDCWD;

    (void)preload_hook_redirect(&directory, &path, text);
    return PRELOAD_NEXT(chmod)(path, mode);
}

PRELOAD_HOOK int fchownat(int directory, const char *path, uid_t owner, gid_t group, int flags)
{
    preload_real_path text;

    (void)preload_hook_redirect(&directory, &path, text);
    return PRELOAD_NEXT(fchownat)(directory, path, owner, group, flags);
}

PRELOAD_HOOK int chown(const char *path, uid_t owner, gid_t group)
{
    preload_real_path text;
    int directory = AT_FDCWD;

    (void)preload_hook_redirect(&directory, &path, text);
    return PRELOAD_NEXT(chown)(path, owner, group);
}

PRELOAD_HOOK int lchown(const char *path, uid_t owner, gid_t group)
{
    preload_real_path text;
    int directory = AT_FDCWD;

    (void)preload_hook_redirect(&directory, &path, text);
    return PRELOAD_NEXT(lchown)(path, owner, group);
}

PRELOAD_HOOK int utimensat(int directory, const char *path, const struct timespec times[2],
                           int flags)
{
    preload_real_path text;

    (void)preload_hook_redirect(&directory, &path, text);
    return PRELOAD_NEXT(utimensat)(directory, path, times, flags);
}
