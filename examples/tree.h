/* SPDX-License-Identifier: MIT */
/* Directories as treewalk.c opens them: relative to an open one, or by paths where there are only
 * these. */
#ifndef TREE_H
#define TREE_H

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#ifdef _WIN32

struct tree {
    DIR *stream;
    char *path;
};

/* Returns the path of a name in a directory, or NULL. The caller frees it. */
static inline char *tree_path(const struct tree *in, const char *name)
{
    size_t size = (in ? strlen(in->path) + 1 : 0) + strlen(name) + 1;
    char *path = malloc(size);

    if (path)
        (void)snprintf(path, size, "%s%s%s", in ? in->path : "", in ? "/" : "", name);
    else
        errno = ENOMEM;
    return path;
}

static inline int tree_stat(const struct tree *in, const char *name, struct stat *ret_st)
{
    char *path = tree_path(in, name);
    int result = path ? stat(path, ret_st) : -1;

    free(path);
    return result ? errno : 0;
}

static inline int tree_open(const struct tree *in, const char *name, struct tree *ret_tree)
{
    struct tree tree = {NULL, tree_path(in, name)};

    tree.stream = tree.path ? opendir(tree.path) : NULL;
    if (!tree.stream) {
        free(tree.path);
        return errno;
    }
    *ret_tree = tree;
    return 0;
}

static inline void tree_close(struct tree *tree)
{
    closedir(tree->stream);
    free(tree->path);
}

#else

struct tree {
    DIR *stream;
};

static inline int tree_stat(const struct tree *in, const char *name, struct stat *ret_st)
{
    return fstatat(dirfd(in->stream), name, ret_st, AT_SYMLINK_NOFOLLOW) ? errno : 0;
}

/* Opens a directory; `in` is NULL for the first one. */
static inline int tree_open(const struct tree *in, const char *name, struct tree *ret_tree)
{
    int fd = in ? openat(dirfd(in->stream), name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)
                : open(name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *stream = fd < 0 ? NULL : fdopendir(fd);
    int error = errno;

    if (!stream) {
        if (fd >= 0)
            close(fd);
        return error;
    }
    ret_tree->stream = stream;
    return 0;
}

static inline void tree_close(struct tree *tree)
{
    closedir(tree->stream);
}

#endif

#endif
