/* SPDX-License-Identifier: MIT */
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
#define OF        "of" /* in a tree: a symbolic link to its tracing directory */

typedef char tree_path[PATH_MAX + 256];

static bool is_in_memory(const char *path)
{
    struct statfs fs;

    return !statfs(path, &fs) && (fs.f_type == TMPFS_MAGIC || fs.f_type == RAMFS_MAGIC);
}

/* How the trees of this user begin, in this mount namespace: in another a path leads elsewhere. */
static void name_prefix(char prefix[64])
{
    struct stat st = {0};

    (void)stat("/proc/self/ns/mnt", &st);
    (void)snprintf(prefix, 64, "cairn-tree-%u-%" PRIx64 "-", geteuid(), (uint64_t)st.st_ino);
}

/* Of this user's tree for a tracing directory; a directory that is made anew has another, though it
 * may have the number of the one before. False: that cannot be told. */
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

/* ---- those whose tracing directory is gone ---- */

static int remove_one(const char *path, const struct stat *st, int type, struct FTW *at)
{
    (void)st;
    (void)type;
    (void)at;
    (void)remove(path);
    return 0;
}

static bool is_gone(const char *tree)
{
    tree_path link;
    tree_path of;
    tree_path current;
    ssize_t size;

    (void)snprintf(link, sizeof(link), "%.4000s/" OF, tree);
    size = readlink(link, of, sizeof(of) - 1);
    if (size < 0)
        return false; /* it is being made */
    of[size] = 0;
    errno = 0;
    return name_tree(of, current) ? strcmp(current, tree) != 0
                                  : errno == ENOENT || errno == ENOTDIR;
}

static void remove_gone(void)
{
    DIR *all = opendir(IN_MEMORY);
    char prefix[64];

    name_prefix(prefix);
    for (struct dirent *entry; all && (entry = readdir(all));) {
        tree_path tree;

        if (strncmp(entry->d_name, prefix, strlen(prefix)) != 0)
            continue;
        (void)snprintf(tree, sizeof(tree), IN_MEMORY "/%s", entry->d_name);
        if (is_gone(tree))
            (void)nftw(tree, remove_one, 16, FTW_DEPTH | FTW_PHYS | FTW_MOUNT);
    }
    if (all)
        (void)closedir(all);
}

/* ---- the one that is there ---- */

/* Anybody may make a directory of this name before us: ours is open to us alone. */
static bool make_tree(const char *tree, const char *path)
{
    tree_path link;
    struct stat st;

    (void)mkdir(tree, 0700);
    if (lstat(tree, &st) || !S_ISDIR(st.st_mode) || st.st_uid != geteuid() || st.st_mode & 077)
        return false;
    (void)snprintf(link, sizeof(link), "%.4000s/" OF, tree);
    (void)symlink(path, link); /* it may be there */
    return true;
}

void cli_run_set_tree(bool is_shared, const char *path)
{
    char value[2 * PATH_MAX + 256];
    tree_path tree;

    (void)unsetenv("CAIRN_RUN_TREE");
    if (is_shared || is_in_memory(path) || !is_in_memory(IN_MEMORY))
        return;
    remove_gone();
    if (!name_tree(path, tree) || !make_tree(tree, path))
        return;
    (void)snprintf(value, sizeof(value), "%s:%s", tree, path);
    (void)setenv("CAIRN_RUN_TREE", value, 1);
}
