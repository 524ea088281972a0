/* SPDX-License-Identifier: MIT */
/* The functions in front of the C library's that take a path. */
#undef _FILE_OFFSET_BITS /* it gives functions other names */
#include "accelerator/next.h"
#include "preload/calls.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <unistd.h>

#define FUNCTIONS(FUNCTION)                                         \
    FUNCTION(int, open, (const char *, int, ...))                   \
    FUNCTION(int, openat, (int, const char *, int, ...))            \
    FUNCTION(int, access, (const char *, int))                      \
    FUNCTION(int, faccessat, (int, const char *, int, int))         \
    FUNCTION(int, stat, (const char *, struct stat *))              \
    FUNCTION(int, lstat, (const char *, struct stat *))             \
    FUNCTION(int, fstatat, (int, const char *, struct stat *, int)) \
    FUNCTION(int, statx, (int, const char *, int, unsigned int, struct statx *))

ACCELERATOR_NEXT_TABLE(FUNCTIONS)

#define ALIAS(name, ...) __attribute__((visibility("default"), nonnull(__VA_ARGS__), alias(name)))

/* ---- opening ---- */

/* The mode is an argument of some calls only: what is not given is not used. */
#define TAKE_MODE(mode, last)       \
    do {                            \
        va_list list;               \
        va_start(list, last);       \
        (mode) = va_arg(list, int); \
        va_end(list);               \
    } while (0)

ACCELERATOR_HOOK int open(const char *path, int flags, ...)
{
    int result;
    int mode;

    TAKE_MODE(mode, flags);
    return preload_open(path, flags, &result) ? result : ACCELERATOR_NEXT(open)(path, flags, mode);
}

ACCELERATOR_HOOK int openat(int directory, const char *path, int flags, ...)
{
    int result;
    int mode;

    TAKE_MODE(mode, flags);
    return preload_open(path, flags, &result)
               ? result
               : ACCELERATOR_NEXT(openat)(directory, path, flags, mode);
}

ALIAS("open", 1) int open64(const char *path, int flags, ...);
ALIAS("openat", 2) int openat64(int directory, const char *path, int flags, ...);

/* The functions that the C library's headers call if no mode is given. */
ALIAS("open", 1) int __open_2(const char *path, int flags, ...);
ALIAS("open", 1) int __open64_2(const char *path, int flags, ...);
ALIAS("openat", 2) int __openat_2(int directory, const char *path, int flags, ...);
ALIAS("openat", 2) int __openat64_2(int directory, const char *path, int flags, ...);

/* ---- attributes ---- */

ACCELERATOR_HOOK int stat(const char *path, struct stat *st)
{
    int result;

    return preload_stat(path, st, &result) ? result : ACCELERATOR_NEXT(stat)(path, st);
}

ACCELERATOR_HOOK int lstat(const char *path, struct stat *st)
{
    int result;

    return preload_stat(path, st, &result) ? result : ACCELERATOR_NEXT(lstat)(path, st);
}

ACCELERATOR_HOOK int fstatat(int directory, const char *path, struct stat *st, int flags)
{
    int result;

    return preload_stat(path, st, &result) ? result
                                           : ACCELERATOR_NEXT(fstatat)(directory, path, st, flags);
}

ALIAS("stat", 1, 2) int stat64(const char *path, struct stat64 *st);
ALIAS("lstat", 1, 2) int lstat64(const char *path, struct stat64 *st);
ALIAS("fstatat", 2, 3) int fstatat64(int directory, const char *path, struct stat64 *st, int flags);

ACCELERATOR_HOOK int statx(int directory, const char *path, int flags, unsigned int mask,
                           struct statx *to)
{
    struct stat st;
    int result;

    if (!preload_stat(path, &st, &result))
        return ACCELERATOR_NEXT(statx)(directory, path, flags, mask, to);
    if (!result)
        *to = (struct statx){
            .stx_mask = STATX_TYPE | STATX_MODE | STATX_NLINK | STATX_UID | STATX_GID | STATX_INO |
                        STATX_SIZE,
            .stx_blksize = (uint32_t)st.st_blksize,
            .stx_nlink = 1,
            .stx_uid = st.st_uid,
            .stx_gid = st.st_gid,
            .stx_mode = (uint16_t)st.st_mode,
            .stx_ino = st.st_ino,
            .stx_size = (uint64_t)st.st_size,
        };
    return result;
}

/* The file is the caller's own; root may do all but execute. */
static int check_access(const struct stat *st, int mode)
{
    mode_t wanted = (mode_t)(mode & (R_OK | W_OK | X_OK)) << 6;
    mode_t granted = st->st_mode | (geteuid() == 0 ? S_IRUSR | S_IWUSR : 0);

    if (!(wanted & ~granted))
        return 0;
    errno = EACCES;
    return -1;
}

ACCELERATOR_HOOK int access(const char *path, int mode)
{
    struct stat st;
    int result;

    if (!preload_stat(path, &st, &result))
        return ACCELERATOR_NEXT(access)(path, mode);
    return result ? result : check_access(&st, mode);
}

ACCELERATOR_HOOK int faccessat(int directory, const char *path, int mode, int flags)
{
    struct stat st;
    int result;

    if (!preload_stat(path, &st, &result))
        return ACCELERATOR_NEXT(faccessat)(directory, path, mode, flags);
    return result ? result : check_access(&st, mode);
}
