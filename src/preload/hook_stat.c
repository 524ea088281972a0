/* SPDX-License-Identifier: MIT */
/* Looking at what is at a path: stat and its kin. */
#undef _FILE_OFFSET_BITS
#include "preload/hook.h"

#include <fcntl.h>
#include <linux/magic.h>

static __attribute__((noinline)) int stat_missed(int directory, const char *path, struct stat *st,
                                                 int flags)
{
    preload_real_path text;

    if (!preload_hook_redirect_missed(&directory, &path, text))
        return -1;
    return PRELOAD_NEXT(fstatat)(directory, path, st, flags);
}

static __attribute__((noinline)) int stat_if_ours(int directory, const char *path, struct stat *st,
                                                  int flags)
{
    preload_real_path text;
    enum preload_place_side side = preload_hook_redirect(&directory, &path, text);
    int result = PRELOAD_NEXT(fstatat)(directory, path, st, flags);

    return result && side == PRELOAD_PLACE_OUTSIDE ? stat_missed(directory, path, st, flags)
                                                   : result;
}

PRELOAD_HOOK int fstatat(int directory, const char *path, struct stat *st, int flags)
{
    const struct preload_served *file = preload_hook_served_itself(directory, path, flags);
    int result;

    if (file)
        return preload_hook_fstat(file, directory, st);
    if (preload_hook_may_be_ours(directory, path))
        return stat_if_ours(directory, path, st, flags);
    result = PRELOAD_NEXT(fstatat)(directory, path, st, flags);
    if (__builtin_expect(result, 0) && preload_hook_may_be_detour(path))
        return stat_missed(directory, path, st, flags);
    return result;
}

PRELOAD_HOOK int stat(const char *path, struct stat *st)
{
    return fstatat(AT_FDCWD, path, st, 0);
}

PRELOAD_HOOK int lstat(const char *path, struct stat *st)
{
    return fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

PRELOAD_HOOK int fstatat64(int directory, const char *path, struct stat64 *st, int flags)
{
    return fstatat(directory, path, (struct stat *)st, flags);
}

PRELOAD_HOOK int stat64(const char *path, struct stat64 *st)
{
    return fstatat(AT_FDCWD, path, (struct stat *)st, 0);
}

PRELOAD_HOOK int lstat64(const char *path, struct stat64 *st)
{
    return fstatat(AT_FDCWD, path, (struct stat *)st, AT_SYMLINK_NOFOLLOW);
}

/* The names of these calls before glibc 2.33. */
PRELOAD_HOOK int __xstat(int version, const char *path, struct stat *st);
PRELOAD_HOOK int __lxstat(int version, const char *path, struct stat *st);
PRELOAD_HOOK int __fxstatat(int version, int directory, const char *path, struct stat *st,
                            int flags);

PRELOAD_HOOK int __xstat(int version, const char *path, struct stat *st)
{
    preload_real_path text;
    int directory = AT_FDCWD;

    (void)preload_hook_redirect(&directory, &path, text);
    return PRELOAD_NEXT(__xstat)(version, path, st);
}

PRELOAD_HOOK int __lxstat(int version, const char *path, struct stat *st)
{
    preload_real_path text;
    int directory = AT_FDCWD;

    (void)preload_hook_redirect(&directory, &path, text);
    return PRELOAD_NEXT(__lxstat)(version, path, st);
}

PRELOAD_HOOK int __fxstatat(int version, int directory, const char *path, struct stat *st,
                            int flags)
{
    preload_real_path text;

    (void)preload_hook_redirect(&directory, &path, text);
    return PRELOAD_NEXT(__fxstatat)(version, directory, path, st, flags);
}

PRELOAD_HOOK_ALIAS("__xstat") int __xstat64(int version, const char *path, struct stat *st);
PRELOAD_HOOK_ALIAS("__lxstat") int __lxstat64(int version, const char *path, struct stat *st);
PRELOAD_HOOK_ALIAS("__fxstatat")
int __fxstatat64(int version, int directory, const char *path, struct stat *st, int flags);

PRELOAD_HOOK int statx(int directory, const char *path, int flags, unsigned int mask,
                       struct statx *st)
{
    const struct preload_served *file = preload_hook_served_itself(directory, path, flags);
    int fd = directory;
    preload_real_path text;
    int result;

    (void)preload_hook_redirect(&directory, &path, text);
    result = PRELOAD_NEXT(statx)(directory, path, flags, mask, st);
    if (__builtin_expect(result, 0) && preload_hook_redirect_missed(&directory, &path, text))
        result = PRELOAD_NEXT(statx)(directory, path, flags, mask, st);
    return result || !file ? result : preload_hook_correct_statx(file, fd, mask, st);
}

PRELOAD_HOOK int statfs(const char *path, struct statfs *st)
{
    preload_real_path text;
    int directory = AT_FDCWD;
    bool is_ours = preload_hook_redirect(&directory, &path, text) == PRELOAD_PLACE_OURS;
    int result = PRELOAD_NEXT(statfs)(path, st);

    if (result && preload_hook_redirect_missed(&directory, &path, text)) {
        is_ours = true;
        result = PRELOAD_NEXT(statfs)(path, st);
    }
    if (!result && is_ours)
        st->f_type = TRACEFS_MAGIC;
    return result;
}

PRELOAD_HOOK int statfs64(const char *path, struct statfs64 *st)
{
    return statfs(path, (struct statfs *)st);
}
