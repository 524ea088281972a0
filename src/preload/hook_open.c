/* SPDX-License-Identifier: MIT */
/* Opening, and cutting short by a path, which opens. */
#undef _FILE_OFFSET_BITS
#include "preload/detour.h"
#include "preload/hook.h"
#include "preload/mounts.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <unistd.h>

static bool has_parent(preload_real_path path)
{
    char *slash = strrchr(path, '/');

    *slash = 0;
    return !PRELOAD_NEXT(faccessat)(AT_FDCWD, path, F_OK, 0);
}

/* The error of creating a file that exists, as `error` states, or not: EISDIR is a directory.
 */
static int refuse_making(preload_real_path path, int flags, int error)
{
    if (error == EISDIR && flags & O_CREAT && flags & O_EXCL)
        return EEXIST;
    if (error == ENOENT && flags & O_CREAT && has_parent(path))
        return EACCES;
    return error;
}

/* A directory, or what is not there: nothing is ever made in it. */
static int open_real(const char *ours, int flags)
{
    const int making = O_CREAT | O_EXCL | O_TRUNC | (O_TMPFILE & ~O_DIRECTORY);
    preload_real_path path;
    struct stat st;
    int fd;

    preload_hook_renew(ours, PRELOAD_TREE_DIRECTORY, path);
    fd = PRELOAD_NEXT(openat)(AT_FDCWD, path, flags & ~making);
    if (fd >= 0 && !fstat(fd, &st) && S_ISDIR(st.st_mode)) {
        if (flags & O_PATH || !(flags & (O_CREAT | O_TRUNC))) {
            preload_served_add_directory(fd);
            return fd;
        }
        (void)PRELOAD_NEXT(close)(fd);
        fd = -1;
        errno = EISDIR;
    }
    if (fd < 0 && !(flags & O_PATH))
        errno = refuse_making(path, flags, errno);
    return fd;
}

int preload_hook_find(const char *ours, struct tracefs_place *ret_place)
{
    engine_lock_state lock_state;
    int error;

    engine_lock(&lock_state);
    error = tracefs_place_find(ours, ret_place);
    engine_unlock(&lock_state);
    return error;
}

static int open_ours(const char *path, const char *ours, int flags)
{
    struct tracefs_place place;
    int error = preload_hook_find(ours, &place);

    if (preload_hook_ends_as_directory(path))
        flags |= O_DIRECTORY;
    if (error) {
        errno = error;
        return -1;
    }
    if (place.kind == TRACEFS_PLACE_NONE || flags & O_PATH)
        return open_real(ours, flags);
    return preload_served_open(&place, flags);
}

bool preload_hook_is_mounts(const char *path, struct tracefs_place *ret_place)
{
    *ret_place = (struct tracefs_place){.kind = PRELOAD_PLACE_MOUNTS};
    return preload_mounts_find(path, &ret_place->system) && *preload_place_root() &&
           !engine_is_locked_by_self() && !preload_mounts_have_ours(ret_place->system);
}

/* False: it is not ours. */
static __attribute__((noinline)) bool open_if_ours(int directory, const char *path, int flags,
                                                   unsigned int mode, int *ret_fd)
{
    tracefs_place_path ours;
    enum preload_place_side side = preload_hook_side(directory, path, ours);

    if (side == PRELOAD_PLACE_OUTSIDE)
        return false;
    *ret_fd = side == PRELOAD_PLACE_OURS ? open_ours(path, ours, flags)
                                         : PRELOAD_NEXT(openat)(AT_FDCWD, ours, flags, mode);
    return true;
}

static __attribute__((noinline)) int open_by_detour(int directory, const char *path, int flags,
                                                    unsigned int mode)
{
    tracefs_place_path ours;

    if (preload_hook_follow_detour(directory, path, !(flags & O_NOFOLLOW), ours))
        return open_ours(path, ours, flags);
    return PRELOAD_NEXT(openat)(directory, path, flags, mode);
}

/* A directory may be called anything. */
static __attribute__((noinline)) int open_missed(int directory, const char *path, int flags)
{
    int error = errno;
    tracefs_place_path ours;

    if (preload_hook_is_miss(error) && (flags & O_DIRECTORY || preload_detour_may_be(path)) &&
        preload_hook_follow_detour(directory, path, !(flags & O_NOFOLLOW), ours))
        return open_ours(path, ours, flags);
    errno = error;
    return -1;
}

int preload_hook_open(int directory, const char *path, int flags, unsigned int mode)
{
    struct tracefs_place mounts;
    int fd;

    if (preload_hook_may_be_ours(directory, path) &&
        open_if_ours(directory, path, flags, mode, &fd))
        return fd;
    if (preload_hook_may_be_mounts(path) && (flags & (O_ACCMODE | O_PATH)) == O_RDONLY &&
        preload_hook_is_mounts(path, &mounts))
        return preload_served_open(&mounts, flags);
    if (!preload_hook_may_be_detour(path))
        return PRELOAD_NEXT(openat)(directory, path, flags, mode);
    if (__builtin_expect(preload_detour_is_likely(path), 0))
        return open_by_detour(directory, path, flags, mode);
    fd = PRELOAD_NEXT(openat)(directory, path, flags, mode);
    return __builtin_expect(fd < 0, 0) ? open_missed(directory, path, flags) : fd;
}

/* Which is to open it so; there is nothing that could be cut elsewhere. */
PRELOAD_HOOK int truncate(const char *path, off_t size)
{
    tracefs_place_path ours;
    int fd;

    if (preload_hook_side(AT_FDCWD, path, ours) != PRELOAD_PLACE_OURS &&
        !preload_hook_find_detour(AT_FDCWD, path, ours))
        return PRELOAD_NEXT(truncate)(path, size);
    fd = open_ours(path, ours, O_WRONLY | O_TRUNC | O_CLOEXEC);
    return fd < 0 ? -1 : close(fd);
}

PRELOAD_HOOK_ALIAS("truncate") int truncate64(const char *path, off_t size);

/* A mode that was not given is whatever is there; the C library looks at it only where one is. */
PRELOAD_HOOK int preload_hook_open_plain(const char *path, int flags,
                                         unsigned int mode) __asm__("open");
PRELOAD_HOOK int preload_hook_openat(int directory, const char *path, int flags,
                                     unsigned int mode) __asm__("openat");

PRELOAD_HOOK int preload_hook_open_plain(const char *path, int flags, unsigned int mode)
{
    return preload_hook_open(AT_FDCWD, path, flags, mode);
}

PRELOAD_HOOK int preload_hook_openat(int directory, const char *path, int flags, unsigned int mode)
{
    return preload_hook_open(directory, path, flags, mode);
}

PRELOAD_HOOK int creat(const char *path, mode_t mode)
{
    return preload_hook_open(AT_FDCWD, path, O_CREAT | O_WRONLY | O_TRUNC, mode);
}

PRELOAD_HOOK_ALIAS("open")
int preload_hook_open64(const char *path, int flags, unsigned int mode) __asm__("open64");
PRELOAD_HOOK_ALIAS("openat")
int preload_hook_openat64(int directory, const char *path, int flags,
                          unsigned int mode) __asm__("openat64");
PRELOAD_HOOK_ALIAS("creat") int creat64(const char *path, mode_t mode);

/* The names of these calls with _FORTIFY_SOURCE. */
PRELOAD_HOOK int __open_2(const char *path, int flags);
PRELOAD_HOOK int __openat_2(int directory, const char *path, int flags);

PRELOAD_HOOK int __open_2(const char *path, int flags)
{
    return preload_hook_open(AT_FDCWD, path, flags, 0);
}

PRELOAD_HOOK int __openat_2(int directory, const char *path, int flags)
{
    return preload_hook_open(directory, path, flags, 0);
}

PRELOAD_HOOK_ALIAS("__open_2") int __open64_2(const char *path, int flags);
PRELOAD_HOOK_ALIAS("__openat_2") int __openat64_2(int directory, const char *path, int flags);
