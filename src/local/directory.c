/* SPDX-License-Identifier: MIT */
#include "local/directory.h"

#include <errno.h>
#include <fcntl.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static int fault(struct cairn_directory *d, enum cairn_directory_fault what, int error)
{
    d->fault = what;
    d->error = error;
    return error;
}

/* Root's directories serve everybody's group; our own serve us; nobody else's do. */
static int check_owner(struct cairn_directory *d, const struct stat *st)
{
    if (st->st_uid != geteuid() && st->st_uid != 0)
        return fault(d, CAIRN_DIRECTORY_FOREIGN, EACCES);
    if (st->st_mode & S_IWOTH)
        return fault(d, CAIRN_DIRECTORY_OPEN_TO_OTHERS, EACCES);
    d->is_shared = (st->st_mode & (S_ISGID | S_IWGRP)) == (S_ISGID | S_IWGRP);
    d->group = st->st_gid;
    d->file_mode = d->is_shared ? 0660 : 0600;
    return 0;
}

static int check(struct cairn_directory *d)
{
    int fd = open(d->path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    struct stat st;
    int error;

    if (fd < 0) {
        error = errno;
        if (error == ENOENT)
            return fault(d, CAIRN_DIRECTORY_MISSING, error);
        if (error == ENOTDIR || error == ELOOP)
            return fault(d, CAIRN_DIRECTORY_NO_DIRECTORY, ENOTDIR);
        return fault(d, CAIRN_DIRECTORY_NO_ACCESS, error);
    }
    error = fstat(fd, &st) ? errno : check_owner(d, &st);
    close(fd);
    if (!error && eaccess(d->path, R_OK | W_OK | X_OK))
        return fault(d, CAIRN_DIRECTORY_NO_ACCESS, errno);
    return error;
}

static int set_path(struct cairn_directory *d, const char *folder, const char *name)
{
    int length;

    *d = (struct cairn_directory){.fault = CAIRN_DIRECTORY_FINE};
    length = snprintf(d->path, sizeof(d->path), "%s%s", folder, name);
    /* The files in it have names of their own. */
    if (length < 0 || length >= CAIRN_PATH_MAX - 64)
        return fault(d, CAIRN_DIRECTORY_TOO_LONG, ENAMETOOLONG);
    return 0;
}

static int use(struct cairn_directory *d, const char *folder, const char *name)
{
    int error = set_path(d, folder, name);

    if (error)
        return error;
    if (mkdir(d->path, 0700) && errno != EEXIST)
        return fault(d, errno == EACCES ? CAIRN_DIRECTORY_NO_WAY : CAIRN_DIRECTORY_MISSING, errno);
    return check(d);
}

/* As the environment names it. A program may go elsewhere and must find it all the same; and behind
 * a slash at the end a symlink would be followed. */
static int use_named(struct cairn_directory *d, const char *name)
{
    char folder[CAIRN_PATH_MAX] = "";
    char path[2 * CAIRN_PATH_MAX];
    int length = (int)strnlen(name, CAIRN_PATH_MAX);

    if (*name != '/' && !getcwd(folder, sizeof(folder))) {
        (void)set_path(d, name, "");
        return fault(d, CAIRN_DIRECTORY_NO_WAY, errno);
    }
    while (length > 1 && name[length - 1] == '/')
        length--;
    (void)snprintf(path, sizeof(path), "%s%s%.*s", folder, *name == '/' ? "" : "/", length, name);
    return use(d, path, "");
}

int cairn_directory_find(struct cairn_directory *ret_directory)
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

/* Lifts a descriptor above those of standard input, output and error: a daemon that has closed them
 * may print all the same. */
static int lift(int fd)
{
    int lifted = fd;

    if (fd >= 0 && fd <= STDERR_FILENO) {
        lifted = fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
        close(fd);
    }
    return lifted;
}

/*
 * The directory that a name is in, and what is left of the name: in a directory that several users
 * share, one of them may put a symbolic link in the place of a directory.
 */
static int open_parent(const struct cairn_directory *d, const char **name)
{
    const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const char *slash = strchr(*name, '/');
    int base = open(d->path, flags);
    char first[64];
    int fd;

    if (base < 0 || !slash)
        return base;
    (void)snprintf(first, sizeof(first), "%.*s", (int)(slash - *name), *name);
    fd = openat(base, first, flags);
    close(base);
    *name = slash + 1;
    return fd;
}

/* Only who makes a file sets its mode: the umask may have taken the group's bits away. */
static int open_or_make(const struct cairn_directory *d, int parent, const char *name, int flags)
{
    const int safe = flags | O_NOFOLLOW | O_CLOEXEC;
    int fd = flags & O_EXCL ? -1 : openat(parent, name, safe & ~O_CREAT);

    if (fd >= 0 || !(flags & O_CREAT) || (!(flags & O_EXCL) && errno != ENOENT))
        return fd;
    fd = openat(parent, name, safe | O_EXCL, d->file_mode);
    if (fd >= 0)
        (void)fchmod(fd, d->file_mode);
    else if (errno == EEXIST && !(flags & O_EXCL))
        fd = openat(parent, name, safe & ~O_CREAT);
    return fd;
}

/* Files of the directory itself are opened at once: nobody else changes where its path leads. */
static int open_at_path(const struct cairn_directory *d, const char *name, int flags)
{
    char path[CAIRN_PATH_MAX];
    int length = snprintf(path, sizeof(path), "%s/%s", d->path, name);

    if (length < 0 || length >= (int)sizeof(path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return lift(open_or_make(d, AT_FDCWD, path, flags));
}

int cairn_directory_open(const struct cairn_directory *d, const char *name, int flags)
{
    int parent;
    int error;
    int fd;

    if (!strchr(name, '/'))
        return open_at_path(d, name, flags);
    parent = open_parent(d, &name);
    if (parent < 0)
        return -1;
    fd = lift(open_or_make(d, parent, name, flags));
    error = errno;
    close(parent);
    errno = error;
    return fd;
}

DIR *cairn_directory_list(const struct cairn_directory *d, const char *name)
{
    int fd = cairn_directory_open(d, name, O_RDONLY | O_DIRECTORY);
    DIR *list = fd < 0 ? NULL : fdopendir(fd);

    if (fd >= 0 && !list)
        close(fd);
    return list;
}

void cairn_directory_remove(const struct cairn_directory *d, const char *name)
{
    int parent = open_parent(d, &name);

    if (parent < 0)
        return;
    (void)unlinkat(parent, name, 0);
    close(parent);
}

/* A file that grows beyond the limit costs the program its life. */
static bool may_be_so_long(int fd, size_t size_bytes)
{
    struct rlimit limit;
    struct stat st;

    return (!fstat(fd, &st) && (size_t)st.st_size >= size_bytes) ||
           getrlimit(RLIMIT_FSIZE, &limit) || limit.rlim_cur >= size_bytes;
}

int cairn_file_back(int fd, size_t offset, size_t size_bytes)
{
    int error;

    if (!may_be_so_long(fd, offset + size_bytes))
        return EFBIG;
    do
        error = posix_fallocate(fd, (off_t)offset, (off_t)size_bytes);
    while (error == EINTR);
    return error;
}

int cairn_file_extend(int fd, size_t size_bytes)
{
    if (!may_be_so_long(fd, size_bytes))
        return EFBIG;
    return ftruncate(fd, (off_t)size_bytes) ? errno : 0;
}

/* In a shared directory the new one is everybody's: its mode is set by a descriptor of it, in whose
 * place nobody can put something else. */
static int share(int parent, const char *name)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int error = fd < 0 || fchmod(fd, 02770) ? errno : 0;

    if (fd >= 0)
        close(fd);
    return error;
}

int cairn_directory_make(const struct cairn_directory *d, const char *name)
{
    int parent = open_parent(d, &name);
    int error;

    if (parent < 0)
        return errno;
    error = mkdirat(parent, name, 0700) ? errno : 0;
    if (!error && d->is_shared)
        error = share(parent, name);
    close(parent);
    return error == EEXIST ? 0 : error;
}
