/* SPDX-License-Identifier: MIT */
/* The functions that ours stand before: each is found when it is called first. */
#ifndef PRELOAD_NEXT_H
#define PRELOAD_NEXT_H

#include "core/atomic.h"

#include <dirent.h>
#include <fts.h>
#include <ftw.h>
#include <glob.h>
#include <spawn.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/vfs.h>
#include <wordexp.h>

#define PRELOAD_NEXT_FUNCTIONS(F)                                                              \
    F(int, close, (int))                                                                       \
    F(int, close_range, (unsigned int, unsigned int, int))                                     \
    F(void, closefrom, (int))                                                                  \
    F(int, dup, (int))                                                                         \
    F(int, dup2, (int, int))                                                                   \
    F(int, dup3, (int, int, int))                                                              \
    F(int, fcntl, (int, int, ...))                                                             \
    F(int, ioctl, (int, unsigned long, ...))                                                   \
    F(ssize_t, read, (int, void *, size_t))                                                    \
    F(ssize_t, pread, (int, void *, size_t, off_t))                                            \
    F(ssize_t, readv, (int, const struct iovec *, int))                                        \
    F(ssize_t, preadv, (int, const struct iovec *, int, off_t))                                \
    F(ssize_t, preadv2, (int, const struct iovec *, int, off_t, int))                          \
    F(ssize_t, __read_chk, (int, void *, size_t, size_t))                                      \
    F(ssize_t, __pread_chk, (int, void *, size_t, off_t, size_t))                              \
    F(ssize_t, write, (int, const void *, size_t))                                             \
    F(ssize_t, pwrite, (int, const void *, size_t, off_t))                                     \
    F(ssize_t, writev, (int, const struct iovec *, int))                                       \
    F(ssize_t, pwritev, (int, const struct iovec *, int, off_t))                               \
    F(ssize_t, pwritev2, (int, const struct iovec *, int, off_t, int))                         \
    F(off_t, lseek, (int, off_t, int))                                                         \
    F(int, ftruncate, (int, off_t))                                                            \
    F(void *, mmap, (void *, size_t, int, int, int, off_t))                                    \
    F(int, fstat, (int, struct stat *))                                                        \
    F(int, fstatat, (int, const char *, struct stat *, int))                                   \
    F(int, statx, (int, const char *, int, unsigned int, struct statx *))                      \
    F(int, statfs, (const char *, struct statfs *))                                            \
    F(int, __xstat, (int, const char *, struct stat *))                                        \
    F(int, __lxstat, (int, const char *, struct stat *))                                       \
    F(int, __fxstat, (int, int, struct stat *))                                                \
    F(int, __fxstatat, (int, int, const char *, struct stat *, int))                           \
    F(int, access, (const char *, int))                                                        \
    F(int, faccessat, (int, const char *, int, int))                                           \
    F(ssize_t, readlink, (const char *, char *, size_t))                                       \
    F(ssize_t, readlinkat, (int, const char *, char *, size_t))                                \
    F(char *, realpath, (const char *, char *))                                                \
    F(char *, canonicalize_file_name, (const char *))                                          \
    F(char *, getcwd, (char *, size_t))                                                        \
    F(char *, get_current_dir_name, (void))                                                    \
    F(ssize_t, getxattr, (const char *, const char *, void *, size_t))                         \
    F(ssize_t, lgetxattr, (const char *, const char *, void *, size_t))                        \
    F(ssize_t, listxattr, (const char *, char *, size_t))                                      \
    F(ssize_t, llistxattr, (const char *, char *, size_t))                                     \
    F(int, chdir, (const char *))                                                              \
    F(int, fchdir, (int))                                                                      \
    F(DIR *, opendir, (const char *))                                                          \
    F(int, scandirat,                                                                          \
      (int, const char *, struct dirent ***, int (*)(const struct dirent *),                   \
       int (*)(const struct dirent **, const struct dirent **)))                               \
    F(int, nftw, (const char *, __nftw_func_t, int, int))                                      \
    F(int, ftw, (const char *, __ftw_func_t, int))                                             \
    F(FTS *, fts_open, (char *const *, int, int (*)(const FTSENT **, const FTSENT **)))        \
    F(FTSENT *, fts_read, (FTS *))                                                             \
    F(FTSENT *, fts_children, (FTS *, int))                                                    \
    F(int, fts_close, (FTS *))                                                                 \
    F(int, wordexp, (const char *, wordexp_t *, int))                                          \
    F(ssize_t, sendfile, (int, int, off_t *, size_t))                                          \
    F(ssize_t, copy_file_range, (int, off_t *, int, off_t *, size_t, unsigned int))            \
    F(ssize_t, splice, (int, off_t *, int, off_t *, size_t, unsigned int))                     \
    F(int, mkdirat, (int, const char *, mode_t))                                               \
    F(int, mkdir, (const char *, mode_t))                                                      \
    F(int, symlinkat, (const char *, int, const char *))                                       \
    F(int, symlink, (const char *, const char *))                                              \
    F(int, linkat, (int, const char *, int, const char *, int))                                \
    F(int, link, (const char *, const char *))                                                 \
    F(int, unlinkat, (int, const char *, int))                                                 \
    F(int, unlink, (const char *))                                                             \
    F(int, rmdir, (const char *))                                                              \
    F(int, remove, (const char *))                                                             \
    F(int, renameat2, (int, const char *, int, const char *, unsigned int))                    \
    F(int, renameat, (int, const char *, int, const char *))                                   \
    F(int, rename, (const char *, const char *))                                               \
    F(int, fchmodat, (int, const char *, mode_t, int))                                         \
    F(int, chmod, (const char *, mode_t))                                                      \
    F(int, fchownat, (int, const char *, uid_t, gid_t, int))                                   \
    F(int, chown, (const char *, uid_t, gid_t))                                                \
    F(int, lchown, (const char *, uid_t, gid_t))                                               \
    F(int, utimensat, (int, const char *, const struct timespec *, int))                       \
    F(int, truncate, (const char *, off_t))                                                    \
    F(int, glob, (const char *, int, int (*)(const char *, int), glob_t *))                    \
    F(FILE *, fopen, (const char *, const char *))                                             \
    F(int, fflush, (FILE *))                                                                   \
    F(int, fclose, (FILE *))                                                                   \
    F(FILE *, freopen, (const char *, const char *, FILE *))                                   \
    F(FILE *, fdopen, (int, const char *))                                                     \
    F(int, fileno, (FILE *))                                                                   \
    F(int, vdprintf, (int, const char *, va_list))                                             \
    F(int, __vdprintf_chk, (int, int, const char *, va_list))                                  \
    F(FILE *, setmntent, (const char *, const char *))                                         \
    F(int, clone, (int (*)(void *), void *, int, void *, ...))                                 \
    F(pid_t, _Fork, (void))                                                                    \
    F(long, syscall, (long, ...))                                                              \
    F(ssize_t, recvmsg, (int, struct msghdr *, int))                                           \
    F(int, recvmmsg, (int, struct mmsghdr *, unsigned int, int, struct timespec *))            \
    F(int, posix_spawn_file_actions_addopen,                                                   \
      (posix_spawn_file_actions_t *, int, const char *, int, mode_t))                          \
    F(int, posix_spawn_file_actions_addchdir_np, (posix_spawn_file_actions_t *, const char *)) \
    F(int, posix_spawn_file_actions_destroy, (posix_spawn_file_actions_t *))                   \
    F(int, openat, (int, const char *, int, ...))

struct preload_next {
#define PRELOAD_NEXT_MEMBER(type, name, arguments) type(*name) arguments;
    PRELOAD_NEXT_FUNCTIONS(PRELOAD_NEXT_MEMBER)
#undef PRELOAD_NEXT_MEMBER
};

enum { PRELOAD_NEXT_COUNT = sizeof(struct preload_next) / sizeof(void *) };

/* Those that were called already; NULL the others. */
extern void *preload_next_functions[PRELOAD_NEXT_COUNT] __attribute__((visibility("hidden")));

/* Finds one, the slow way. Any thread, any signal handler. */
void *preload_next_find(size_t number);

static inline void *preload_next_function(size_t number)
{
    void *function = core_load_relaxed(&preload_next_functions[number]);

    return __builtin_expect(!function, 0) ? preload_next_find(number) : function;
}

#define PRELOAD_NEXT_TYPE(name)   __typeof__(((struct preload_next *)NULL)->name)
#define PRELOAD_NEXT_NUMBER(name) (offsetof(struct preload_next, name) / sizeof(void *))

/* The function of a name, to be called; NULL where the C library has none of the name. */
#define PRELOAD_NEXT(name) \
    ((PRELOAD_NEXT_TYPE(name))preload_next_function(PRELOAD_NEXT_NUMBER(name)))

/* The same, if it was called already: no call, for what is done with each call of the program. */
#define PRELOAD_NEXT_KNOWN(name) \
    ((PRELOAD_NEXT_TYPE(name))core_load_relaxed(&preload_next_functions[PRELOAD_NEXT_NUMBER(name)]))

#endif
