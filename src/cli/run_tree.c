/* SPDX-License-Identifier: MIT */
/* Creates the tree of tracefs files in memory, and removes trees that are not needed any more. */
#include "cli/run_tree.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <ftw.h>
#include <inttypes.h>
#include <limits.h>
#include <linux/magic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/vfs.h>
#include <unistd.h>

#define IN_MEMORY "/dev/shm"
#define LINK      "of" /* in a tree: a symbolic link to its tracing directory */

typedef char tree_path[PATH_MAX + 256];

static bool is_in_memory(const char *path)
{
    struct statfs fs;

    return !statfs(path, &fs) && (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
}

/* The prefix of the names of this user's trees. It has the mount namespace, since in another one
 * the same path may be another directory. */
static void name_prefix(char prefix[64])
{
    struct stat st = {0};

    (void)stat("/proc/self/ns/mnt", &st);
    (void)snprintf(prefix, 64, "cairn-tree-%u-%" PRIx64 "-", geteuid(), (uint64_t)st.st_ino);
}

/* Writes the path of this user's tree for a tracing directory. It has the time of creation, since a
 * new directory may get the inode number of a removed one. False: the time is unknown. */
static bool name_tree(const char *path, tree_path tree)
{
    struct statx st;
    char prefix[64];

    if (statx(AT_FDCWD, path, AT_SYMLINK_NOFOLLOW, STATX_INO | STATX_BTIME, &st) ||
        !(st.stx_mask & STATX_BTIME))
        return false;
    name_prefix(prefix);
    (void)snprintf(tree, sizeof(tree_path), IN_MEMORY "/%s%x-%x-%" PRIx64 "-%" PRIx64 "-%x", prefix,
                   (unsigned)st.stx_dev_major, (unsigned)st.stx_dev_minor, (uint64_t)st.stx_ino,
                   (uint64_t)st.stx_btime.tv_sec, (unsigned)st.stx_btime.tv_nsec);
    return true;
}

/* ---- trees without a tracing directory ---- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    (void)remove(path);
    return 0;
}

/* True if the tracing directory of a tree was removed or replaced. */
static bool is_stale(const char *tree)
{
    tree_path link;
    tree_path directory;
    tree_path current;
    ssize_t size;

    (void)snprintf(link, sizeof(link), "%.4000s/" LINK, tree);
    size = readlink(link, directory, sizeof(directory) - 1);
    if (size < 0)
        return false; /* another process is creating it */
    directory[size] = 0;
    errno = 0;
    return name_tree(directory, current) ? strcmp(current, tree) != 0
                                         : errno == ENOENT || errno == ENOTDIR;
}

static void remove_stale(void)
{
    DIR *all = opendir(IN_MEMORY);
    char prefix[64];

    name_prefix(prefix);
    for (struct dirent *entry; all && (entry = readdir(all));) {
        tree_path tree;

        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
            continue;
        (void)snprintf(tree, sizeof(tree), IN_MEMORY "/%s", entry->d_name);
        if (is_stale(tree))
            (void)nftw(tree, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    }
    if (all)
        (void)closedir(all);
}

/* ---- the tree of this tracing directory ---- */

/* Creates the tree. Another user may have created a directory of this name: it is accepted only if
 * it is this user's, and accessible to nobody else. */
static bool make_tree(const char *tree, const char *path)
{
    tree_path link;
    struct stat st;

    (void)mkdir(tree, 0700);
    if (lstat(tree, &st) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 077)
        return false;
    (void)snprintf(link, sizeof(link), "%.4000s/" LINK, tree);
    (void)symlink(path, link); /* it may exist already */
    return true;
}

void cli_run_set_tree(bool is_shared, const char *path)
{
    char value[2 * PATH_MAX + 256];
    tree_path tree;

    (void)unsetenv("CAIRN_RUN_TREE");
    if (is_shared || is_in_memory(path) || !is_in_memory(IN_MEMORY))
        return;
    remove_stale();
    if (!name_tree(path, tree) || !make_tree(tree, path))
        return;
    (void)snprintf(value, sizeof(value), "%s:%s", tree, path);
    (void)setenv("CAIRN_RUN_TREE", value, 1);
}
