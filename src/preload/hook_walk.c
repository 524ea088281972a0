/* SPDX-License-Identifier: MIT */
/*
 * nftw and ftw: the C library walks by itself, past our functions. It is given the real directory,
 * with all that is in it, and the program gets the names that it knows.
 */
#undef _FILE_OFFSET_BITS
#include "preload/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <string.h>

struct walk {
    __nftw_func_t visit;
    __ftw_func_t visit_plain; /* ftw's */
    const char *given;        /* where the program has it begin */
    size_t given_length;      /* without slashes at the end */
    size_t real_length;
    int flags;
};

/* The walk that this thread is in: the C library hands nothing through. */
static __thread const struct walk *current;

static int visit_by_name(const char *real, const struct stat *st, int type, struct FTW *place)
{
    const struct walk *walk = current;
    struct FTW shown = *place; /* the C library goes on with its own */
    size_t length = strlen(real) - walk->real_length;
    char name[ENGINE_PATH_MAX];
    const char *slash;
    int result;

    if (walk->given_length + length >= sizeof(name)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    memcpy(name, walk->given, walk->given_length);
    memcpy(name + walk->given_length, real + walk->real_length, length + 1);
    slash = strrchr(name, '/');
    shown.base = slash ? (int)(slash + 1 - name) : 0;
    if (walk->flags & FTW_CHDIR)
        preload_place_look_around();
    result =
        walk->visit_plain ? walk->visit_plain(name, st, type) : walk->visit(name, st, type, &shown);
    current = walk; /* it may have walked elsewhere */
    return result;
}

static int walk_real(const char *real, int fds, struct walk *walk)
{
    const struct walk *outer = current;
    int result;

    while (walk->given_length > 1 && walk->given[walk->given_length - 1] == '/')
        walk->given_length--;
    walk->real_length = strlen(real);
    while (real[walk->real_length - 1] == '/')
        walk->real_length--;
    current = walk;
    result = PRELOAD_NEXT(nftw)(real, visit_by_name, fds, walk->flags);
    current = outer;
    if (walk->flags & FTW_CHDIR)
        preload_place_look_around();
    return result;
}

static struct walk begin(const char *path, int flags)
{
    return (struct walk){.given = path, .given_length = path ? strlen(path) : 0, .flags = flags};
}

PRELOAD_HOOK int nftw(const char *path, __nftw_func_t visit, int fds, int flags)
{
    struct walk walk = begin(path, flags);
    preload_real_path text;
    int directory = AT_FDCWD;
    int result;

    walk.visit = visit;
    if (preload_hook_redirect_to(PRELOAD_TREE_ALL, &directory, &path, text) == PRELOAD_PLACE_OURS)
        return walk_real(path, fds, &walk);
    result = PRELOAD_NEXT(nftw)(path, visit, fds, flags);
    if (result < 0 &&
        preload_hook_redirect_missed_directory(PRELOAD_TREE_ALL, &directory, &path, text))
        return walk_real(path, fds, &walk);
    return result;
}

PRELOAD_HOOK int ftw(const char *path, __ftw_func_t visit, int fds)
{
    struct walk walk = begin(path, 0);
    preload_real_path text;
    int directory = AT_FDCWD;
    int result;

    walk.visit_plain = visit;
    if (preload_hook_redirect_to(PRELOAD_TREE_ALL, &directory, &path, text) == PRELOAD_PLACE_OURS)
        return walk_real(path, fds, &walk);
    result = PRELOAD_NEXT(ftw)(path, visit, fds);
    if (result < 0 &&
        preload_hook_redirect_missed_directory(PRELOAD_TREE_ALL, &directory, &path, text))
        return walk_real(path, fds, &walk);
    return result;
}

PRELOAD_HOOK_ALIAS("nftw") int nftw64(const char *path, __nftw64_func_t visit, int fds, int flags);
PRELOAD_HOOK_ALIAS("ftw") int ftw64(const char *path, __ftw64_func_t visit, int fds);
