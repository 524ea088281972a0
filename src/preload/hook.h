/* SPDX-License-Identifier: MIT */
/*
 * The functions that stand before the C library's. Each looks at one thing first, whether the path
 * or the descriptor is ours, and does nothing else to what is not.
 *
 * The engine itself calls these functions, holding its lock: to that thread nothing is ours.
 */
#ifndef PRELOAD_HOOK_H
#define PRELOAD_HOOK_H

#if !defined(__LP64__)
#error "off_t and off64_t must be one type"
#endif

#include "engine/engine.h"
#include "preload/next.h"
#include "preload/place_path.h"
#include "preload/served.h"
#include "preload/tree.h"

#include <errno.h>
#include <fcntl.h>
#include <string.h>

#define PRELOAD_HOOK __attribute__((visibility("default")))

/* The name with 64 is the same function here. */
#define PRELOAD_HOOK_ALIAS(name) __attribute__((visibility("default"), alias(name)))

/* Finds out if a path is in the tracing directory, or leads out of it. */
enum preload_place_side preload_hook_side(int directory, const char *path,
                                          tracefs_place_path ret_path);

/* The one thing that is looked at first. A pointer that the kernel would refuse is left to it. */
static inline bool preload_hook_may_be_ours(int directory, const char *path)
{
    bool may_be;

    if ((uintptr_t)path < 4096)
        may_be = false;
    else if (*path == '/')
        may_be = preload_place_may_be(path);
    else
        may_be = directory == AT_FDCWD ? preload_place_is_inside() : preload_served_has(directory);
    return __builtin_expect(may_be, 0);
}

/* The slow path of a function: not inline, so that the fast path saves no registers. */
#define PRELOAD_HOOK_REST __attribute__((noinline, cold))

/* The fast path, for nearly all calls: the descriptor is not that of a served file. */
#define PRELOAD_HOOK_PASS(fd, name, ...)                                   \
    do {                                                                   \
        PRELOAD_NEXT_TYPE(name) next_known = PRELOAD_NEXT_KNOWN(name);     \
        if (__builtin_expect(next_known && !preload_served_may_be(fd), 1)) \
            return next_known(__VA_ARGS__);                                \
    } while (0)

/* True if a path may lead to the tracing directory through a link. No path in the system's own
 * directories does, and most of the files that programs look for there do not exist. */
static inline bool preload_hook_may_be_detour(const char *path)
{
    if ((uintptr_t)path < 4096 || *path != '/')
        return (uintptr_t)path >= 4096;
    switch (path[1]) {
    case 'u':
        return path[2] != 's' || path[3] != 'r';
    case 'l':
        return path[2] != 'i' || path[3] != 'b';
    case 'e':
        return path[2] != 't' || path[3] != 'c';
    default:
        return true;
    }
}

/* True if a path ends in a slash: it names a directory only. */
static inline bool preload_hook_ends_as_directory(const char *path)
{
    return path[strlen(path) - 1] == '/';
}

/* True for the errors of a path below a tracing directory that the system does not have. */
static inline bool preload_hook_is_miss(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EACCES || error == EPERM ||
           error == EROFS;
}

/* The file of a descriptor, or NULL. */
static inline struct preload_served *preload_hook_served(int fd)
{
    if (!preload_served_has(fd) || engine_is_locked_by_self())
        return NULL;
    return preload_served_of(fd);
}

/* The file that the calls with AT_EMPTY_PATH look at. */
static inline struct preload_served *preload_hook_served_itself(int fd, const char *path, int flags)
{
    return flags & AT_EMPTY_PATH && path && !*path ? preload_hook_served(fd) : NULL;
}

/* True if there is an error, which is stored in errno. */
static inline bool preload_hook_fails(int error)
{
    if (error)
        errno = error;
    return error != 0;
}

typedef char preload_real_path[ENGINE_PATH_MAX + TRACEFS_PLACE_PATH_MAX];

/*
 * Puts in place of a path what the C library is to be given. For one of ours that is the same place
 * in the real directory, brought up to date; for one that is led out of our directory, where it
 * leads.
 */
enum preload_place_side preload_hook_redirect(int *directory, const char **path,
                                              preload_real_path text);

/* The same for who looks into a directory there. */
enum preload_place_side preload_hook_redirect_to(enum preload_tree_depth depth, int *directory,
                                                 const char **path, preload_real_path text);

/* The same for a path of another look that the C library has failed on; errno says how, and stays.
 * True: it leads to our directory. */
bool preload_hook_redirect_missed(int *directory, const char **path, preload_real_path text);

/* The same for the path of a directory, which may have any name. */
bool preload_hook_redirect_missed_directory(enum preload_tree_depth depth, int *directory,
                                            const char **path, preload_real_path text);

/* Brings the real directory up to date for who looks at a place of ours, and says where that is. */
void preload_hook_renew(const char *ours, enum preload_tree_depth depth,
                        preload_real_path ret_path);

/* Brings all of the real directory up to date. */
void preload_hook_renew_all(void);

/* Makes of a path in the real directory the one that the program knows; others stay, and it is
 * false.
 */
bool preload_hook_show(char *path, size_t space);

/* True if a path leads to the tracing directory through a link, to a file that the kernel may have
 * too. */
bool preload_hook_find_detour(int directory, const char *path, tracefs_place_path ret_path);

/* True if a path leads to the tracing directory through a link; without the quick check. */
bool preload_hook_follow_detour(int directory, const char *path, bool follows_last,
                                tracefs_place_path ret_path);

/* True if a path is that of a table of mounts to be served; a quick check comes first. */
bool preload_hook_is_mounts(const char *path, struct tracefs_place *ret_place);

static inline bool preload_hook_may_be_mounts(const char *path)
{
    return (uintptr_t)path >= 4096 && path[0] == '/' && (path[1] == 'p' || path[1] == 'e') &&
           (path[2] == 'r' || path[2] == 't');
}

/* Finds the file at a path of the tracing directory: as tracefs_place_find, with the engine's lock.
 */
int preload_hook_find(const char *ours, struct tracefs_place *ret_place);

/* open, of whatever kind. */
int preload_hook_open(int directory, const char *path, int flags, unsigned int mode);

/* fstat of a served file. */
int preload_hook_fstat(const struct preload_served *file, int fd, struct stat *st);
int preload_hook_correct_statx(const struct preload_served *file, int fd, unsigned int mask,
                               struct statx *st);

/* read and write of served files, as the system calls. */
ssize_t preload_hook_read(struct preload_served *file, int fd, void *to, size_t size_bytes);
ssize_t preload_hook_write(struct preload_served *file, int fd, const void *from,
                           size_t size_bytes);

#endif
