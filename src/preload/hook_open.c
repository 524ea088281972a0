/* SPDX-License-Identifier: MIT */
/* Opening, and looking at what is there. */
#undef _FILE_OFFSET_BITS
#include "preload/detour.h"
#include "preload/hook.h"
#include "preload/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/magic.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum cairn_place_side cairn_hook_side(int folder, const char *path, cairn_place_path ret_path)
{
    enum cairn_place_side side = CAIRN_PLACE_OUTSIDE;

    if (cairn_hook_may_be_ours(folder, path))
        side = cairn_place_resolve(folder, path, ret_path);
    return side && cairn_engine_is_locked_by_self() ? CAIRN_PLACE_OUTSIDE : side;
}

static void renew_tree(const char *ours, enum cairn_tree_depth depth)
{
    cairn_engine_guard guard;

    cairn_engine_lock(&guard);
    (void)cairn_tree_renew(ours, depth);
    cairn_engine_unlock(&guard);
}

void cairn_hook_renew_all(void)
{
    renew_tree("", CAIRN_TREE_ALL);
}

static void name_real_path(const char *ours, cairn_real_path text)
{
    (void)snprintf(text, sizeof(cairn_real_path), "%s/%s", cairn_place_root(), ours);
}

/* A slash at the end is for a folder alone. */
static bool ends_as_folder(const char *path)
{
    return path[strlen(path) - 1] == '/';
}

static void redirect_to(const char *ours, enum cairn_tree_depth depth, int *folder,
                        const char **path, cairn_real_path text)
{
    renew_tree(ours, depth);
    name_real_path(ours, text);
    if (ends_as_folder(*path) && !ends_as_folder(text))
        memcpy(text + strlen(text), "/", 2);
    *folder = AT_FDCWD;
    *path = text;
}

enum cairn_place_side cairn_hook_redirect_to(enum cairn_tree_depth depth, int *folder,
                                             const char **path, cairn_real_path text)
{
    cairn_place_path ours;
    enum cairn_place_side side = cairn_hook_side(*folder, *path, ours);

    if (side == CAIRN_PLACE_OURS) {
        redirect_to(ours, depth, folder, path, text);
    } else if (side == CAIRN_PLACE_LED_OUT) {
        memcpy(text, ours, sizeof(ours));
        *folder = AT_FDCWD;
        *path = text;
    }
    return side;
}

enum cairn_place_side cairn_hook_redirect(int *folder, const char **path, cairn_real_path text)
{
    return cairn_hook_redirect_to(CAIRN_TREE_PLACE, folder, path, text);
}

/* ---- detours ---- */

/* What is said of a path that leads to where our folder would be. */
static bool is_miss(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EACCES || error == EPERM ||
           error == EROFS;
}

static bool find_detour(int folder, const char *path, bool follows_last, cairn_place_path ours)
{
    return *cairn_place_root() && !cairn_engine_is_locked_by_self() &&
           cairn_detour_find(folder, path, follows_last, ours);
}

static bool redirect_detour(enum cairn_tree_depth depth, int *folder, const char **path,
                            cairn_real_path text)
{
    int error = errno;
    cairn_place_path ours;
    bool found = find_detour(*folder, *path, true, ours);

    if (found)
        redirect_to(ours, depth, folder, path, text);
    errno = error;
    return found;
}

bool cairn_hook_redirect_missed(int *folder, const char **path, cairn_real_path text)
{
    return cairn_hook_may_be_detour(*path) && is_miss(errno) && cairn_detour_may_be(*path) &&
           redirect_detour(CAIRN_TREE_PLACE, folder, path, text);
}

bool cairn_hook_redirect_missed_folder(enum cairn_tree_depth depth, int *folder, const char **path,
                                       cairn_real_path text)
{
    return is_miss(errno) && (uintptr_t)*path >= 4096 && redirect_detour(depth, folder, path, text);
}

bool cairn_hook_find_detour(int folder, const char *path, cairn_place_path ret_path)
{
    return cairn_hook_may_be_detour(path) && cairn_detour_is_likely(path) &&
           find_detour(folder, path, true, ret_path);
}

/* ---- open ---- */

static bool has_parent(cairn_real_path path)
{
    char *slash = strrchr(path, '/');

    *slash = 0;
    return !CAIRN_NEXT(faccessat)(AT_FDCWD, path, F_OK, 0);
}

/* What is said of who wants to make what is there, as `error` tells, or not: EISDIR is a folder. */
static int refuse_making(cairn_real_path path, int flags, int error)
{
    if (error == EISDIR && flags & O_CREAT && flags & O_EXCL)
        return EEXIST;
    if (error == ENOENT && flags & O_CREAT && has_parent(path))
        return EACCES;
    return error;
}

/* A folder, or what is not there: nothing is ever made in it. */
static int open_real(const char *ours, int flags)
{
    const int making = O_CREAT | O_EXCL | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
    cairn_real_path path;
    struct stat st;
    int fd;

    renew_tree(ours, CAIRN_TREE_FOLDER);
    name_real_path(ours, path);
    fd = CAIRN_NEXT(openat)(AT_FDCWD, path, flags & ~making);
    if (fd >= 0 && !fstat(fd, &st) && S_ISDIR(st.st_mode)) {
        if (flags & O_PATH || !(flags & (O_CREAT | O_TRUNC))) {
            cairn_served_add_folder(fd);
            return fd;
        }
        (void)CAIRN_NEXT(close)(fd);
        fd = -1;
        errno = EISDIR;
    }
    if (fd < 0 && !(flags & O_PATH))
        errno = refuse_making(path, flags, errno);
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

static int open_ours(const char *path, const char *ours, int flags)
{
    struct cairn_place place;
    int error = cairn_hook_find(ours, &place);

    if (ends_as_folder(path))
        flags |= O_DIRECTORY;
    if (error) {
        errno = error;
        return -1;
    }
    if (place.kind == CAIRN_PLACE_NONE || flags & O_PATH)
        return open_real(ours, flags);
    return cairn_served_open(&place, flags);
}

bool cairn_hook_is_mounts(const char *path, struct cairn_place *ret_place)
{
    *ret_place = (struct cairn_place){.kind = CAIRN_PLACE_MOUNTS};
    return cairn_mounts_find(path, &ret_place->system) && *cairn_place_root() &&
           !cairn_engine_is_locked_by_self() && !cairn_mounts_have_ours(ret_place->system);
}

/* False: it is not ours. */
static __attribute__((noinline)) bool open_if_ours(int folder, const char *path, int flags,
                                                   unsigned int mode, int *ret_fd)
{
    cairn_place_path ours;
    enum cairn_place_side side = cairn_hook_side(folder, path, ours);

    if (side == CAIRN_PLACE_OUTSIDE)
        return false;
    *ret_fd = side == CAIRN_PLACE_OURS ? open_ours(path, ours, flags)
                                       : CAIRN_NEXT(openat)(AT_FDCWD, ours, flags, mode);
    return true;
}

static __attribute__((noinline)) int open_by_detour(int folder, const char *path, int flags,
                                                    unsigned int mode)
{
    cairn_place_path ours;

    if (find_detour(folder, path, !(flags & O_NOFOLLOW), ours))
        return open_ours(path, ours, flags);
    return CAIRN_NEXT(openat)(folder, path, flags, mode);
}

/* A folder may be called anything. */
static __attribute__((noinline)) int open_missed(int folder, const char *path, int flags)
{
    int error = errno;
    cairn_place_path ours;

    if (is_miss(error) && (flags & O_DIRECTORY || cairn_detour_may_be(path)) &&
        find_detour(folder, path, !(flags & O_NOFOLLOW), ours))
        return open_ours(path, ours, flags);
    errno = error;
    return -1;
}

int cairn_hook_open(int folder, const char *path, int flags, unsigned int mode)
{
    struct cairn_place mounts;
    int fd;

    if (cairn_hook_may_be_ours(folder, path) && open_if_ours(folder, path, flags, mode, &fd))
        return fd;
    if (cairn_hook_may_be_mounts(path) && (flags & (O_ACCMODE | O_PATH)) == O_RDONLY &&
        cairn_hook_is_mounts(path, &mounts))
        return cairn_served_open(&mounts, flags);
    if (!cairn_hook_may_be_detour(path))
        return CAIRN_NEXT(openat)(folder, path, flags, mode);
    if (__builtin_expect(cairn_detour_is_likely(path), 0))
        return open_by_detour(folder, path, flags, mode);
    fd = CAIRN_NEXT(openat)(folder, path, flags, mode);
    return __builtin_expect(fd < 0, 0) ? open_missed(folder, path, flags) : fd;
}

/* Which is to open it so; there is nothing that could be cut elsewhere. */
CAIRN_HOOK int truncate(const char *path, off_t size)
{
    cairn_place_path ours;
    int fd;

    if (cairn_hook_side(AT_FDCWD, path, ours) != CAIRN_PLACE_OURS &&
        !cairn_hook_find_detour(AT_FDCWD, path, ours))
        return CAIRN_NEXT(truncate)(path, size);
    fd = open_ours(path, ours, O_WRONLY | O_TRUNC | O_CLOEXEC);
    return fd < 0 ? -1 : close(fd);
}

CAIRN_HOOK_ALIAS("truncate") int truncate64(const char *path, off_t size);

/* A mode that was not given is whatever is there; the C library looks at it only where one is. */
CAIRN_HOOK int cairn_hook_open_plain(const char *path, int flags,
                                     unsigned int mode) __asm__("open");
CAIRN_HOOK int cairn_hook_openat(int folder, const char *path, int flags,
                                 unsigned int mode) __asm__("openat");

CAIRN_HOOK int cairn_hook_open_plain(const char *path, int flags, unsigned int mode)
{
    return cairn_hook_open(AT_FDCWD, path, flags, mode);
}

CAIRN_HOOK int cairn_hook_openat(int folder, const char *path, int flags, unsigned int mode)
{
    return cairn_hook_open(folder, path, flags, mode);
}

CAIRN_HOOK int creat(const char *path, mode_t mode)
{
    return cairn_hook_open(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

CAIRN_HOOK_ALIAS("open")
int cairn_hook_open64(const char *path, int flags, unsigned int mode) __asm__("open64");
CAIRN_HOOK_ALIAS("openat")
int cairn_hook_openat64(int folder, const char *path, int flags,
                        unsigned int mode) __asm__("openat64");
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

static __attribute__((noinline)) int stat_missed(int folder, const char *path, struct stat *st,
                                                 int flags)
{
    cairn_real_path text;

    if (!cairn_hook_redirect_missed(&folder, &path, text))
        return -1;
    return CAIRN_NEXT(fstatat)(folder, path, st, flags);
}

static __attribute__((noinline)) int stat_if_ours(int folder, const char *path, struct stat *st,
                                                  int flags)
{
    cairn_real_path text;
    enum cairn_place_side side = cairn_hook_redirect(&folder, &path, text);
    int result = CAIRN_NEXT(fstatat)(folder, path, st, flags);

    return result && side == CAIRN_PLACE_OUTSIDE ? stat_missed(folder, path, st, flags) : result;
}

CAIRN_HOOK int fstatat(int folder, const char *path, struct stat *st, int flags)
{
    const struct cairn_served *file = cairn_hook_served_itself(folder, path, flags);
    int result;

    if (file)
        return cairn_hook_fstat(file, folder, st);
    if (cairn_hook_may_be_ours(folder, path))
        return stat_if_ours(folder, path, st, flags);
    result = CAIRN_NEXT(fstatat)(folder, path, st, flags);
    if (__builtin_expect(result, 0) && cairn_hook_may_be_detour(path))
        return stat_missed(folder, path, st, flags);
    return result;
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

    (void)cairn_hook_redirect(&folder, &path, text);
    return CAIRN_NEXT(__xstat)(version, path, st);
}

CAIRN_HOOK int __lxstat(int version, const char *path, struct stat *st)
{
    cairn_real_path text;
    int folder = AT_FDCWD;

    (void)cairn_hook_redirect(&folder, &path, text);
    return CAIRN_NEXT(__lxstat)(version, path, st);
}

CAIRN_HOOK int __fxstatat(int version, int folder, const char *path, struct stat *st, int flags)
{
    cairn_real_path text;

    (void)cairn_hook_redirect(&folder, &path, text);
    return CAIRN_NEXT(__fxstatat)(version, folder, path, st, flags);
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
    int result;

    (void)cairn_hook_redirect(&folder, &path, text);
    result = CAIRN_NEXT(statx)(folder, path, flags, mask, st);
    if (__builtin_expect(result, 0) && cairn_hook_redirect_missed(&folder, &path, text))
        result = CAIRN_NEXT(statx)(folder, path, flags, mask, st);
    return result || !file ? result : cairn_hook_correct_statx(file, fd, mask, st);
}

static __attribute__((noinline)) int access_missed(int folder, const char *path, int mode,
                                                   int flags)
{
    cairn_real_path text;

    if (!cairn_hook_redirect_missed(&folder, &path, text))
        return -1;
    return CAIRN_NEXT(faccessat)(folder, path, mode, flags);
}

static __attribute__((noinline)) int access_if_ours(int folder, const char *path, int mode,
                                                    int flags)
{
    cairn_real_path text;
    enum cairn_place_side side = cairn_hook_redirect(&folder, &path, text);
    int result = CAIRN_NEXT(faccessat)(folder, path, mode, flags);

    return result && side == CAIRN_PLACE_OUTSIDE ? access_missed(folder, path, mode, flags)
                                                 : result;
}

CAIRN_HOOK int faccessat(int folder, const char *path, int mode, int flags)
{
    int result;

    if (cairn_hook_may_be_ours(folder, path))
        return access_if_ours(folder, path, mode, flags);
    result = CAIRN_NEXT(faccessat)(folder, path, mode, flags);
    if (__builtin_expect(result, 0) && cairn_hook_may_be_detour(path))
        return access_missed(folder, path, mode, flags);
    return result;
}

/* The C library's faccessat is another system call, which some sandboxes do not know. */
CAIRN_HOOK int access(const char *path, int mode)
{
    int result;

    if (cairn_hook_may_be_ours(AT_FDCWD, path))
        return access_if_ours(AT_FDCWD, path, mode, 0);
    result = CAIRN_NEXT(access)(path, mode);
    return __builtin_expect(result, 0) ? access_missed(AT_FDCWD, path, mode, 0) : result;
}

CAIRN_HOOK int eaccess(const char *path, int mode)
{
    return faccessat(AT_FDCWD, path, mode, AT_EACCESS);
}

CAIRN_HOOK int euidaccess(const char *path, int mode)
{
    return eaccess(path, mode);
}

CAIRN_HOOK int statfs(const char *path, struct statfs *st)
{
    cairn_real_path text;
    int folder = AT_FDCWD;
    bool is_ours = cairn_hook_redirect(&folder, &path, text) == CAIRN_PLACE_OURS;
    int result = CAIRN_NEXT(statfs)(path, st);

    if (result && cairn_hook_redirect_missed(&folder, &path, text)) {
        is_ours = true;
        result = CAIRN_NEXT(statfs)(path, st);
    }
    if (!result && is_ours)
        st->f_type = TRACEFS_MAGIC;
    return result;
}

CAIRN_HOOK int statfs64(const char *path, struct statfs64 *st)
{
    return statfs(path, (struct statfs *)st);
}
