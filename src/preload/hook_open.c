/* SPDX-License-Identifier: MIT */
/* Opening, and looking at what is there. */
#undef _FILE_OFFSET_BITS
#include "preload/hook.h"
#include "preload/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

bool cairn_hook_is_ours(int folder, const char *path, cairn_place_path ret_path)
{
    return cairn_hook_may_be_ours(folder, path) && cairn_place_resolve(folder, path, ret_path) &&
           !cairn_engine_is_locked_by_self();
}

static void renew_tree(void)
{
    cairn_engine_guard guard;

    cairn_engine_lock(&guard);
    (void)cairn_tree_renew();
    cairn_engine_unlock(&guard);
}

static void name_real_path(const char *ours, cairn_real_path text)
{
    (void)snprintf(text, sizeof(cairn_real_path), "%s/%s", cairn_place_root(), ours);
}

const char *cairn_hook_real_path(int *folder, const char *path, cairn_real_path text)
{
    cairn_place_path ours;

    if (!cairn_hook_is_ours(*folder, path, ours))
        return path;
    renew_tree();
    name_real_path(ours, text);
    *folder = AT_FDCWD;
    return text;
}

/* ---- open ---- */

/* A folder, or what is not there: nothing is ever made in it. */
static int open_real(const char *ours, int flags)
{
    const int making = O_CREAT | O_EXCL | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
    cairn_real_path path;
    struct stat st;
    int fd;

    renew_tree();
    name_real_path(ours, path);
    fd = CAIRN_NEXT(openat)(AT_FDCWD, path, flags & ~making);
    if (fd >= 0 && !fstat(fd, &st) && S_ISDIR(st.st_mode))
        cairn_served_add_folder(fd);
    return fd;
}

int cairn_hook_find(const char *ours, struct cairn_place *ret_place)
{
    cairn_engine_guard guard;
    int error;

    cairn_engine_lock(&guard);
    error = cairn_place_find(ours, ret_place);
    cairn_engine_unlock(&guard);
    return error;
}

static int open_ours(const char *ours, int flags)
{
    struct cairn_place place;
    int error = cairn_hook_find(ours, &place);

    if (error) {
        errno = error;
        return -1;
    }
    if (place.kind == CAIRN_PLACE_NONE || flags & O_PATH)
        return open_real(ours, flags);
    return cairn_served_open(&place, flags);
}

static bool is_mounts(const char *path)
{
    return (uintptr_t)path >= 4096 && path[0] == '/' && (path[1] == 'p' || path[1] == 'e') &&
           cairn_place_is_mounts(path) && *cairn_place_root() && !cairn_engine_is_locked_by_self();
}

static __attribute__((noinline)) int open_if_ours(int folder, const char *path, int flags,
                                                  unsigned int mode)
{
    cairn_place_path ours;

    if (cairn_hook_is_ours(folder, path, ours))
        return open_ours(ours, flags);
    return CAIRN_NEXT(openat)(folder, path, flags, mode);
}

int cairn_hook_open(int folder, const char *path, int flags, unsigned int mode)
{
    static const struct cairn_place mounts = {.kind = CAIRN_PLACE_MOUNTS};

    if (cairn_hook_may_be_ours(folder, path))
        return open_if_ours(folder, path, flags, mode);
    if (is_mounts(path) && (flags & (O_ACCMODE | O_PATH)) == O_RDONLY)
        return cairn_served_open(&mounts, flags);
    return CAIRN_NEXT(openat)(folder, path, flags, mode);
}

static unsigned int mode_of(int flags, va_list arguments)
{
    return flags & O_CREAT || (flags & O_TMPFILE) == O_TMPFILE ? va_arg(arguments, unsigned int)
                                                               : 0;
}

CAIRN_HOOK int open(const char *path, int flags, ...)
{
    va_list arguments;
    unsigned int mode;

    va_start(arguments, flags);
    mode = mode_of(flags, arguments);
    va_end(arguments);
    return cairn_hook_open(AT_FDCWD, path, flags, mode);
}

CAIRN_HOOK int openat(int folder, const char *path, int flags, ...)
{
    va_list arguments;
    unsigned int mode;

    va_start(arguments, flags);
    mode = mode_of(flags, arguments);
    va_end(arguments);
    return cairn_hook_open(folder, path, flags, mode);
}

CAIRN_HOOK int creat(const char *path, mode_t mode)
{
    return cairn_hook_open(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

CAIRN_HOOK_ALIAS("open") int open64(const char *path, int flags, ...);
CAIRN_HOOK_ALIAS("openat") int openat64(int folder, const char *path, int flags, ...);
CAIRN_HOOK_ALIAS("creat") int creat64(const char *path, mode_t mode);

/* What calls become with _FORTIFY_SOURCE. */
CAIRN_HOOK int __open_2(const char *path, int flags);
CAIRN_HOOK int __openat_2(int folder, const char *path, int flags);

CAIRN_HOOK int __open_2(const char *path, int flags)
{
    return cairn_hook_open(AT_FDCWD, path, flags, 0);
}

CAIRN_HOOK int __openat_2(int folder, const char *path, int flags)
{
    return cairn_hook_open(folder, path, flags, 0);
}

CAIRN_HOOK_ALIAS("__open_2") int __open64_2(const char *path, int flags);
CAIRN_HOOK_ALIAS("__openat_2") int __openat64_2(int folder, const char *path, int flags);

/* ---- stat and access ---- */

static __attribute__((noinline)) int stat_if_ours(int folder, const char *path, struct stat *st,
                                                  int flags)
{
    cairn_real_path text;
    const char *real = cairn_hook_real_path(&folder, path, text);

    return CAIRN_NEXT(fstatat)(folder, real, st, flags);
}

CAIRN_HOOK int fstatat(int folder, const char *path, struct stat *st, int flags)
{
    const struct cairn_served *file = cairn_hook_served_itself(folder, path, flags);

    if (file)
        return cairn_hook_fstat(file, folder, st);
    if (cairn_hook_may_be_ours(folder, path))
        return stat_if_ours(folder, path, st, flags);
    return CAIRN_NEXT(fstatat)(folder, path, st, flags);
}

CAIRN_HOOK int stat(const char *path, struct stat *st)
{
    return fstatat(AT_FDCWD, path, st, 0);
}

CAIRN_HOOK int lstat(const char *path, struct stat *st)
{
    return fstatat(AT_FDCWD, path, st, AT_SYMLINK_NOFOLLOW);
}

CAIRN_HOOK int fstatat64(int folder, const char *path, struct stat64 *st, int flags)
{
    return fstatat(folder, path, (struct stat *)st, flags);
}

CAIRN_HOOK int stat64(const char *path, struct stat64 *st)
{
    return fstatat(AT_FDCWD, path, (struct stat *)st, 0);
}

CAIRN_HOOK int lstat64(const char *path, struct stat64 *st)
{
    return fstatat(AT_FDCWD, path, (struct stat *)st, AT_SYMLINK_NOFOLLOW);
}

/* What calls were before glibc 2.33. */
CAIRN_HOOK int __xstat(int version, const char *path, struct stat *st);
CAIRN_HOOK int __lxstat(int version, const char *path, struct stat *st);
CAIRN_HOOK int __fxstatat(int version, int folder, const char *path, struct stat *st, int flags);

CAIRN_HOOK int __xstat(int version, const char *path, struct stat *st)
{
    cairn_real_path text;
    int folder = AT_FDCWD;
    const char *real = cairn_hook_real_path(&folder, path, text);

    return CAIRN_NEXT(__xstat)(version, real, st);
}

CAIRN_HOOK int __lxstat(int version, const char *path, struct stat *st)
{
    cairn_real_path text;
    int folder = AT_FDCWD;
    const char *real = cairn_hook_real_path(&folder, path, text);

    return CAIRN_NEXT(__lxstat)(version, real, st);
}

CAIRN_HOOK int __fxstatat(int version, int folder, const char *path, struct stat *st, int flags)
{
    cairn_real_path text;
    const char *real = cairn_hook_real_path(&folder, path, text);

    return CAIRN_NEXT(__fxstatat)(version, folder, real, st, flags);
}

CAIRN_HOOK_ALIAS("__xstat") int __xstat64(int version, const char *path, struct stat *st);
CAIRN_HOOK_ALIAS("__lxstat") int __lxstat64(int version, const char *path, struct stat *st);
CAIRN_HOOK_ALIAS("__fxstatat")
int __fxstatat64(int version, int folder, const char *path, struct stat *st, int flags);

CAIRN_HOOK int statx(int folder, const char *path, int flags, unsigned int mask, struct statx *st)
{
    const struct cairn_served *file = cairn_hook_served_itself(folder, path, flags);
    int fd = folder;
    cairn_real_path text;
    const char *real = cairn_hook_real_path(&folder, path, text);
    int result = CAIRN_NEXT(statx)(folder, real, flags, mask, st);

    return result || !file ? result : cairn_hook_correct_statx(file, fd, st);
}

static __attribute__((noinline)) int access_if_ours(int folder, const char *path, int mode,
                                                    int flags)
{
    cairn_real_path text;
    const char *real = cairn_hook_real_path(&folder, path, text);

    return CAIRN_NEXT(faccessat)(folder, real, mode, flags);
}

CAIRN_HOOK int faccessat(int folder, const char *path, int mode, int flags)
{
    if (cairn_hook_may_be_ours(folder, path))
        return access_if_ours(folder, path, mode, flags);
    return CAIRN_NEXT(faccessat)(folder, path, mode, flags);
}

CAIRN_HOOK int access(const char *path, int mode)
{
    return faccessat(AT_FDCWD, path, mode, 0);
}

CAIRN_HOOK int eaccess(const char *path, int mode)
{
    cairn_real_path text;
    int folder = AT_FDCWD;
    const char *real = cairn_hook_real_path(&folder, path, text);

    return CAIRN_NEXT(eaccess)(real, mode);
}

CAIRN_HOOK int euidaccess(const char *path, int mode)
{
    return eaccess(path, mode);
}

CAIRN_HOOK int statfs(const char *path, struct statfs *st)
{
    cairn_real_path text;
    int folder = AT_FDCWD;
    const char *real = cairn_hook_real_path(&folder, path, text);
    int result = CAIRN_NEXT(statfs)(real, st);

    if (!result && real == text)
        st->f_type = TRACEFS_MAGIC;
    return result;
}

CAIRN_HOOK int statfs64(const char *path, struct statfs64 *st)
{
    return statfs(path, (struct statfs *)st);
}
