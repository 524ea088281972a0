/* SPDX-License-Identifier: MIT */
/* Finds the tracing directory and checks that it can be trusted. */
#include "engine/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* A user id and a NUL. */
#define USER_NAME_SIZE 24

static int fault(struct engine_directory *d, enum engine_directory_fault what, int error)
{
    d->fault = what;
    d->error = error;
    return error;
}

static int own(struct engine_directory *d, const struct stat *st)
{
    if (st->st_mode & S_IWOTH)
        return fault(d, ENGINE_DIRECTORY_OPEN_TO_OTHERS, EACCES);
    d->is_shared = (st->st_mode & (S_ISGID | S_IWGRP)) == (S_ISGID | S_IWGRP);
    d->owner = st->st_uid;
    d->group = st->st_gid;
    d->file_mode = d->is_shared ? 0660 : 0600;
    return 0;
}

/* If several users have access, each has a directory. */
static bool is_for_many(const struct stat *st)
{
    return st->st_uid == 0 && (geteuid() != 0 || st->st_mode & S_IWGRP);
}

static int fault_of_opening(struct engine_directory *d, int error)
{
    if (error == ENOENT)
        return fault(d, ENGINE_DIRECTORY_MISSING, error);
    if (error == ENOTDIR || error == ELOOP)
        return fault(d, ENGINE_DIRECTORY_NO_DIRECTORY, ENOTDIR);
    return fault(d, ENGINE_DIRECTORY_NO_ACCESS, error);
}

/* Goes from the shared directory to that of one user, which is named after the user's id. */
static int enter(struct engine_directory *d, int shared, const char *name)
{
    int made = d->is_others || !mkdirat(shared, name, 0700) ? 0 : errno;
    int fd = openat(shared, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    int error;

    d->shared_length = strlen(d->path);
    (void)snprintf(d->path + d->shared_length, sizeof(d->path) - d->shared_length, "/%s", name);
    if (fd < 0 && errno == ENOENT && made) {
        d->path[d->shared_length] = 0;
        return fault(d, ENGINE_DIRECTORY_NO_ACCESS, made);
    }
    if (fd < 0)
        return fault_of_opening(d, errno);
    error = fstat(fd, &st) ? errno : 0;
    if (!error && st.st_uid != strtoul(name, NULL, 10))
        error = fault(d, ENGINE_DIRECTORY_FOREIGN, EACCES);
    if (!error)
        error = own(d, &st);
    if (!error && faccessat(fd, ".", R_OK | W_OK | X_OK, AT_EACCESS))
        error = fault(d, ENGINE_DIRECTORY_NO_ACCESS, errno);
    close(fd);
    return error;
}

static int enter_own(struct engine_directory *d, int shared)
{
    char name[USER_NAME_SIZE];

    (void)snprintf(name, sizeof(name), "%ju", (uintmax_t)geteuid());
    return enter(d, shared, name);
}

/* The path may be that of the user's own directory in a shared one, as `cairn run` sets it. */
static void note_shared(struct engine_directory *d)
{
    const char *name = strrchr(d->path, '/');
    char own_name[USER_NAME_SIZE];
    char shared[ENGINE_PATH_MAX];
    struct stat st;

    (void)snprintf(own_name, sizeof(own_name), "%ju", (uintmax_t)geteuid());
    if (!name || name == d->path || strcmp(name + 1, own_name) != 0)
        return;
    (void)snprintf(shared, sizeof(shared), "%.*s", (int)(name - d->path), d->path);
    if (!lstat(shared, &st) && S_ISDIR(st.st_mode) && is_for_many(&st))
        d->shared_length = (size_t)(name - d->path);
}

static int look_at(struct engine_directory *d, int fd)
{
    struct stat st;
    int error;

    if (fstat(fd, &st))
        return fault(d, ENGINE_DIRECTORY_NO_ACCESS, errno);
    if (st.st_uid != geteuid() && st.st_uid != 0)
        return fault(d, ENGINE_DIRECTORY_FOREIGN, EACCES);
    error = own(d, &st);
    if (!error && is_for_many(&st))
        return enter_own(d, fd);
    note_shared(d);
    if (!error && eaccess(d->path, R_OK | W_OK | X_OK))
        return fault(d, ENGINE_DIRECTORY_NO_ACCESS, errno);
    return error;
}

static int check(struct engine_directory *d)
{
    int fd = open(d->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int error;

    if (fd < 0)
        return fault_of_opening(d, errno);
    error = look_at(d, fd);
    close(fd);
    return error;
}

static int set_path(struct engine_directory *d, const char *parent, const char *name)
{
    int length;

    *d = (struct engine_directory){.fault = ENGINE_DIRECTORY_FINE};
    length = snprintf(d->path, sizeof(d->path), "%s%s", parent, name);
    /* Leaves space for the names of the files in it. */
    if (length < 0 || length >= ENGINE_PATH_MAX - 64)
        return fault(d, ENGINE_DIRECTORY_TOO_LONG, ENAMETOOLONG);
    return 0;
}

static int use(struct engine_directory *d, const char *parent, const char *name)
{
    int error = set_path(d, parent, name);

    if (error)
        return error;
    if (mkdir(d->path, 0700) && errno != EEXIST)
        return fault(d, errno == EACCES ? ENGINE_DIRECTORY_NO_WAY : ENGINE_DIRECTORY_MISSING,
                     errno);
    return check(d);
}

/* Uses the path of the environment. It is made absolute, because a program may change its
 * directory; slashes at its end are removed, because a symlink before them would be followed. */
static int use_named(struct engine_directory *d, const char *name)
{
    char parent[ENGINE_PATH_MAX] = "";
    char path[2 * ENGINE_PATH_MAX];
    int length = (int)strnlen(name, ENGINE_PATH_MAX);

    if (*name != '/' && !getcwd(parent, sizeof(parent))) {
        (void)set_path(d, name, "");
        return fault(d, ENGINE_DIRECTORY_NO_WAY, errno);
    }
    while (length > 1 && name[length - 1] == '/')
        length--;
    (void)snprintf(path, sizeof(path), "%s%s%.*s", parent, *name == '/' ? "" : "/", length, name);
    return use(d, path, "");
}

int engine_directory_find(struct engine_directory *ret_directory)
{
    const char *chosen = secure_getenv("CAIRN_TRACING_DIR");
    const char *runtime = secure_getenv("XDG_RUNTIME_DIR");
    char own[32];

    if (chosen && *chosen)
        return use_named(ret_directory, chosen);
    if (!set_path(ret_directory, "/run/cairn", "") && !check(ret_directory))
        return 0;
    if (runtime && *runtime == '/' && !use(ret_directory, runtime, "/cairn"))
        return 0;
    (void)snprintf(own, sizeof(own), "%ju", (uintmax_t)geteuid());
    return use(ret_directory, "/dev/shm/cairn-", own);
}

int engine_directory_of_other(const struct engine_directory *own, const char *name,
                              struct engine_directory *ret_directory)
{
    char number[USER_NAME_SIZE];
    int shared;
    int error;

    *ret_directory = (struct engine_directory){.is_others = true};
    (void)snprintf(number, sizeof(number), "%ju", (uintmax_t)strtoul(name, NULL, 10));
    if (!own->shared_length || strcmp(number, name) != 0)
        return EINVAL;
    memcpy(ret_directory->path, own->path, own->shared_length);
    shared = engine_directory_open_shared(own, O_RDONLY);
    if (shared < 0)
        return errno;
    error = enter(ret_directory, shared, name);
    close(shared);
    return error;
}

/* The dot makes it a path through the descriptor, whose last part is no link. */
int engine_directory_of_descriptor(int fd, struct engine_directory *ret_directory)
{
    struct stat st;

    *ret_directory = (struct engine_directory){.is_others = true};
    (void)snprintf(ret_directory->path, sizeof(ret_directory->path), "/proc/self/fd/%d/.", fd);
    if (fstat(fd, &st))
        return fault(ret_directory, ENGINE_DIRECTORY_NO_ACCESS, errno);
    return own(ret_directory, &st);
}
