/* SPDX-License-Identifier: MIT */
/* The output under a temporary name. */
#include "exchange/target.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* ---- create ---- */

/* "out/x.ctf/" without the slashes at its end; "/" stays. */
static char *copy_path(const char *path)
{
    size_t length = strlen(path);

    while (length > 1 && path[length - 1] == '/')
        length--;
    return strndup(path, length);
}

/* Links are followed, so that what they point to is replaced, and not they. */
static char *resolve(const char *path)
{
    char *real = realpath(path, NULL);

    return real ? real : copy_path(path); /* it is missing, or is a pipe without a name */
}

static int name_temporary(struct exchange_target *target)
{
    const char *slash = strrchr(target->path, '/');
    const char *name = slash ? slash + 1 : target->path;

    if (asprintf(&target->temporary, "%.*s.%s.%ld.tmp", (int)(name - target->path), target->path,
                 name, (long)getpid()) >= 0)
        return 0;
    target->temporary = NULL;
    return ENOMEM;
}

/* A directory is replaced only if it is empty: rename refuses others too, but after all work. */
static int check_empty(const char *path)
{
    DIR *directory = opendir(path);
    const struct dirent *entry;
    int err = 0;

    if (!directory)
        return errno;
    while (!err && (entry = readdir(directory))) {
        if (strcmp(entry->d_name, ".") != 0 && strcmp(entry->d_name, "..") != 0)
            err = EEXIST;
    }
    closedir(directory);
    return err;
}

static int open_directly(struct exchange_target *target)
{
    target->fd = open(target->path, O_WRONLY | O_CLOEXEC);
    target->owns_fd = target->fd >= 0;
    return target->fd < 0 ? errno : 0;
}

enum route { BY_TEMPORARY, DIRECTLY, TO_STDOUT };

/* True for /dev/stdout, too: another file must not take its place. */
static bool is_stdout(const struct stat *st)
{
    struct stat own;

    return !fstat(STDOUT_FILENO, &own) && own.st_dev == st->st_dev && own.st_ino == st->st_ino;
}

/* A device or a pipe is written directly. */
static int choose_route(const struct exchange_target *target, enum route *ret_route)
{
    struct stat st;

    *ret_route = BY_TEMPORARY;
    if (stat(target->path, &st) < 0)
        return errno == ENOENT ? 0 : errno;
    if (target->is_directory)
        return S_ISDIR(st.st_mode) ? check_empty(target->path) : ENOTDIR;
    if (S_ISDIR(st.st_mode))
        return EISDIR;
    if (!S_ISREG(st.st_mode))
        *ret_route = DIRECTLY;
    else if (is_stdout(&st))
        *ret_route = TO_STDOUT;
    return 0;
}

static int create(struct exchange_target *target)
{
    int err = name_temporary(target);

    if (err)
        return err;
    if (target->is_directory) {
        err = mkdir(target->temporary, 0777) < 0 ? errno : 0;
    } else {
        target->fd = open(target->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        target->owns_fd = target->fd >= 0;
        err = target->fd < 0 ? errno : 0;
    }
    if (err) { /* it is another's: not to be removed */
        free(target->temporary);
        target->temporary = NULL;
    }
    return err;
}

static int open_path(struct exchange_target *target, const char *path)
{
    enum route route;
    int err;

    target->path = resolve(path);
    if (!target->path)
        return ENOMEM;
    err = choose_route(target, &route);
    if (err)
        return err;
    if (route == TO_STDOUT)
        target->fd = STDOUT_FILENO;
    else
        err = route == DIRECTLY ? open_directly(target) : create(target);
    return err;
}

int exchange_target_open(struct exchange_target *target, const char *path, bool is_directory)
{
    int err = 0;

    *target = (struct exchange_target){.fd = -1, .is_directory = is_directory};
    if (strcmp(path, "-") != 0)
        err = *path ? open_path(target, path) : ENOENT;
    else if (is_directory)
        err = ENOTDIR;
    else
        target->fd = STDOUT_FILENO;
    if (err)
        exchange_target_close(target);
    return err;
}

int exchange_target_create(const struct exchange_target *target, const char *name, int *ret_fd)
{
    int directory = open(target->temporary, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int err = 0;
    int fd;

    if (directory < 0)
        return errno;
    fd = openat(directory, name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (fd < 0)
        err = errno;
    else
        *ret_fd = fd;
    close(directory);
    return err;
}

/* ---- commit and remove ---- */

static int close_fd(struct exchange_target *target)
{
    int err = target->owns_fd && close(target->fd) < 0 ? errno : 0;

    target->owns_fd = false;
    target->fd = -1;
    return err;
}

int exchange_target_commit(struct exchange_target *target)
{
    int err = close_fd(target);

    if (!err && target->temporary && rename(target->temporary, target->path) < 0)
        err = errno;
    if (err)
        return err;
    free(target->temporary);
    target->temporary = NULL;
    return 0;
}

/* A directory contains files only. */
static void remove_directory(const char *path)
{
    DIR *directory = opendir(path);
    const struct dirent *entry;

    while (directory && (entry = readdir(directory)))
        (void)unlinkat(dirfd(directory), entry->d_name, 0);
    if (directory)
        closedir(directory);
    (void)rmdir(path);
}

void exchange_target_close(struct exchange_target *target)
{
    (void)close_fd(target);
    if (target->temporary && target->is_directory)
        remove_directory(target->temporary);
    else if (target->temporary)
        (void)unlink(target->temporary);
    free(target->temporary);
    free(target->path);
    *target = (struct exchange_target)EXCHANGE_TARGET_NONE;
}
