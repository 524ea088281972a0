/* SPDX-License-Identifier: MIT */
/* Finds the directories of traces, in the order of their names. */
#include "ctf/paths.h"

#include <dirent.h>
#include <errno.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* LTTng's traces are at most 6 directories below that of their session. */
#define DEPTH_MAX 8u

static char *join(const char *directory, const char *name)
{
    char *path;

    return asprintf(&path, "%s/%s", directory, name) < 0 ? NULL : path;
}

/* Returns 0; ENOENT; ENOMEM. */
static int has_metadata(const char *directory)
{
    char *path = join(directory, "metadata");
    struct stat st;
    bool has;

    if (!path)
        return ENOMEM;
    has = !stat(path, &st) && S_ISREG(st.st_mode);
    free(path);
    return has ? 0 : ENOENT;
}

static int add(struct ctf_paths *paths, const char *directory)
{
    char **bigger;

    if (paths->count == CTF_PATHS_MAX)
        return EMFILE;
    bigger = (char **)realloc((void *)paths->paths, (paths->count + 1) * sizeof(*bigger));
    if (!bigger)
        return ENOMEM;
    paths->paths = bigger;
    bigger[paths->count] = strdup(directory);
    if (!bigger[paths->count])
        return ENOMEM;
    paths->count++;
    return 0;
}

/* Symbolic links are not followed: they may lead to a directory above. */
static bool is_directory(const char *path)
{
    struct stat st;

    return !lstat(path, &st) && S_ISDIR(st.st_mode);
}

/* LTTng's directories in that of a session. */
static bool is_of_session(const char *name)
{
    return !strcmp(name, "ust") || !strcmp(name, "kernel") || !strcmp(name, "archives");
}

static int find(struct ctf_paths *paths, const char *directory, unsigned depth);

/* Other directories in the given one may be traces, and are not searched: it may be any. */
static int find_below(struct ctf_paths *paths, const char *directory, const char *name,
                      unsigned depth)
{
    char *path = join(directory, name);
    int err;

    if (!path)
        return ENOMEM;
    if (!is_directory(path))
        err = 0;
    else if (depth > 1 || is_of_session(name))
        err = find(paths, path, depth);
    else if ((err = has_metadata(path)) == 0)
        err = add(paths, path);
    else if (err == ENOENT)
        err = 0;
    free(path);
    return err;
}

static int find(struct ctf_paths *paths, const char *directory, unsigned depth)
{
    struct dirent **entries;
    int err = has_metadata(directory);
    int count;

    if (err != ENOENT)
        return err ? err : add(paths, directory);
    if (depth == DEPTH_MAX)
        return 0;
    count = scandir(directory, &entries, NULL, alphasort);
    if (count < 0) /* another one may have been removed meanwhile */
        return depth && errno == ENOENT ? 0 : errno;
    err = 0;
    for (int i = 0; i < count; i++) {
        if (!err && entries[i]->d_name[0] != '.')
            err = find_below(paths, directory, entries[i]->d_name, depth + 1);
        free(entries[i]);
    }
    free((void *)entries);
    return err;
}

int ctf_paths_find(const char *directory, struct ctf_paths *ret_paths)
{
    int err;

    *ret_paths = (struct ctf_paths){0};
    err = find(ret_paths, directory, 0);
    return !err && !ret_paths->count ? ENOENT : err;
}

void ctf_paths_free(struct ctf_paths *paths)
{
    for (size_t i = 0; i < paths->count; i++)
        free(paths->paths[i]);
    free((void *)paths->paths);
    *paths = (struct ctf_paths){0};
}
