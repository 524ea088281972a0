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

#define CAIRN_HOOK __attribute__((visibility("default")))

/* The name with 64 is the same function here. */
#define CAIRN_HOOK_ALIAS(name) __attribute__((visibility("default"), alias(name)))

/* Finds out if a path is in the tracing directory, or leads out of it. */
enum cairn_place_side cairn_hook_side(int directory, const char *path, cairn_place_path ret_path);

/* The one thing that is looked at first. A pointer that the kernel would refuse is left to it. */
static inline bool cairn_hook_may_be_ours(int directory, const char *path)
{
    bool may_be;

    if ((uintptr_t)path < 4096)
        may_be = false;
    else if (*path == '/')
        may_be = cairn_place_may_be(path);
    else
        may_be = directory == AT_FDCWD ? cairn_place_is_inside() : cairn_served_has(directory);
    return __builtin_expect(may_be, 0);
}

/* The slow path of a function: not inline, so that the fast path saves no registers. */
#define CAIRN_HOOK_REST __attribute__((noinline, cold))

/* The fast path, for nearly all calls: the descriptor is not that of a served file. */
#define CAIRN_HOOK_PASS(fd, name, ...)                                   \
    do {                                                                 \
        CAIRN_NEXT_TYPE(name) next_known = CAIRN_NEXT_KNOWN(name);       \
        if (__builtin_expect(next_known && !cairn_served_may_be(fd), 1)) \
            return next_known(__VA_ARGS__);                              \
    } while (0)

/* True if a path may lead to the tracing directory through a link. No path in the system's own
 * directories does, and most of the files that programs look for there do not exist. */
static inline bool cairn_hook_may_be_detour(const char *path)
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
static inline bool cairn_hook_ends_as_directory(const char *path)
{
    return path[strlen(path) - 1] == '/';
}

/* True for the errors of a path below a tracing directory that the system does not have. */
static inline bool cairn_hook_is_miss(int error)
{
    return error == ENOENT || error == ENOTDIR || error == EACCES || error == EPERM ||
           error == EROFS;
}

/* The file of a descriptor, or NULL. */
static inline struct cairn_served *cairn_hook_served(int fd)
{
    if (!cairn_served_has(fd) || cairn_engine_is_locked_by_self())
        return NULL;
    return cairn_served_of(fd);
}

/* The file that the calls with AT_EMPTY_PATH look at. */
static inline struct cairn_served *cairn_hook_served_itself(int fd, const char *path, int flags)
{
    return flags & AT_EMPTY_PATH && path && !*path ? cairn_hook_served(fd) : NULL;
}

/* True if there is an error, which is stored in errno. */
static inline bool cairn_hook_fails(int error)
{
    if (error)
        errno = error;
    return error != 0;
}

typedef char cairn_real_path[CAIRN_PATH_MAX + CAIRN_PLACE_PATH_MAX];

/*
 * Puts in place of a path what the C library is to be given. For one of ours that is the same place
 * in the real directory, brought up to date; for one that is led out of our directory, where it
 * leads.
 */
enum cairn_place_side cairn_hook_redirect(int *directory, const char **path, cairn_real_path text);

/* The same for who looks into a directory there. */
enum cairn_place_side cairn_hook_redirect_to(enum cairn_tree_depth depth, int *directory,
                                             const char **path, cairn_real_path text);

/* The same for a path of another look that the C library has failed on; errno says how, and stays.
 * True: it leads to our directory. */
bool cairn_hook_redirect_missed(int *directory, const char **path, cairn_real_path text);

/* The same for the path of a directory, which may have any name. */
bool cairn_hook_redirect_missed_directory(enum cairn_tree_depth depth, int *directory,
                                          const char **path, cairn_real_path text);

/* Brings the real directory up to date for who looks at a place of ours, and says where that is. */
void cairn_hook_renew(const char *ours, enum cairn_tree_depth depth, cairn_real_path ret_path);

/* Brings all of the real directory up to date. */
void cairn_hook_renew_all(void);

/* Makes of a path in the real directory the one that the program knows; others stay, and it is
 * false.
 */
bool cairn_hook_show(char *path, size_t space);

/* True if a path leads to the tracing directory through a link, to a file that the kernel may have
 * too. */
bool cairn_hook_find_detour(int directory, const char *path, cairn_place_path ret_path);

/* True if a path leads to the tracing directory through a link; without the quick check. */
bool cairn_hook_follow_detour(int directory, const char *path, bool follows_last,
                              cairn_place_path ret_path);

/* True if a path is that of a table of mounts to be served; a quick check comes first. */
bool cairn_hook_is_mounts(const char *path, struct cairn_place *ret_place);

static inline bool cairn_hook_may_be_mounts(const char *path)
{
    return (uintptr_t)path >= 4096 && path[0] == '/' && (path[1] == 'p' || path[1] == 'e') &&
           (path[2] == 'r' || path[2] == 't');
}

/* Finds the file at a path of the tracing directory: as cairn_place_find, with the engine's lock.
 */
int cairn_hook_find(const char *ours, struct cairn_place *ret_place);

/* open, of whatever kind. */
int cairn_hook_open(int directory, const char *path, int flags, unsigned int mode);

/* fstat of a served file. */
int cairn_hook_fstat(const struct cairn_served *file, int fd, struct stat *st);
int cairn_hook_correct_statx(const struct cairn_served *file, int fd, unsigned int mask,
                             struct statx *st);

/* read and write of served files, as the system calls. */
ssize_t cairn_hook_read(struct cairn_served *file, int fd, void *to, size_t size_bytes);
ssize_t cairn_hook_write(struct cairn_served *file, int fd, const void *from, size_t size_bytes);

#endif
