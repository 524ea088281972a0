/* SPDX-License-Identifier: MIT */
/* Files of the tracing directory: opened, made, listed and removed by descriptors, not by paths. */
#include "engine/directory.h"

#include "os/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/* Moves a descriptor above those of standard input, output and error: a daemon that has closed
 * them may print nevertheless. */
static int lift(int fd)
{
    if (fd < 0 || fd > STDERR_FILENO || !os_file_lift(&fd, STDERR_FILENO + 1))
        return fd;
    close(fd);
    return -1;
}

int engine_directory_open_shared(const struct engine_directory *d, int flags)
{
    char path[ENGINE_PATH_MAX];

    (void)snprintf(path, sizeof(path), "%.*s", (int)d->shared_length, d->path);
    return open(path, flags | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
}

/* Checks the owner: a user who may write to the shared directory may replace another user's. */
static int open_of_user(const struct engine_directory *d, int flags)
{
    int shared = engine_directory_open_shared(d, O_PATH);
    int fd = shared < 0 ? -1 : openat(shared, d->path + d->shared_length + 1, flags);
    struct stat st;

    if (shared >= 0)
        close(shared);
    if (fd < 0 || (!fstat(fd, &st) && st.st_uid == d->owner))
        return fd;
    close(fd);
    errno = EACCES;
    return -1;
}

/*
 * Opens the directory that a name is in, and returns the rest of the name: in a directory that
 * several users share, one of them may replace a directory by a symbolic link.
 */
static int open_parent(const struct engine_directory *d, const char **name)
{
    const int flags = O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
    const char *slash = strchr(*name, '/');
    int base = d->shared_length ? open_of_user(d, flags) : open(d->path, flags);
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

/* Sets the mode of a file that was created: the umask may have removed the group's bits. */
static void hand_over(const struct engine_directory *d, int fd)
{
    (void)fchmod(fd, d->file_mode);
    if (d->is_others)
        (void)fchown(fd, d->owner, (gid_t)-1);
}

static int open_or_make(const struct engine_directory *d, int parent, const char *name, int flags)
{
    const int safe = flags | O_NOFOLLOW | O_CLOEXEC;
    int fd = flags & O_EXCL ? -1 : openat(parent, name, safe & ~O_CREAT);

    if (fd >= 0 || !(flags & O_CREAT) || (!(flags & O_EXCL) && (errno != ENOENT || d->is_others)))
        return fd;
    fd = openat(parent, name, safe | O_EXCL, d->file_mode);
    if (fd >= 0)
        hand_over(d, fd);
    else if (errno == EEXIST && !(flags & O_EXCL))
        fd = openat(parent, name, safe & ~O_CREAT);
    return fd;
}

/* Another user may have made a pipe of this name, or a link to a file of somebody else. */
static int open_checked(const struct engine_directory *d, int parent, const char *name, int flags)
{
    struct stat st;
    int fd;

    if ((!d->is_others && !d->is_shared) || flags & O_DIRECTORY)
        return open_or_make(d, parent, name, flags);
    fd = open_or_make(d, parent, name, flags | O_NONBLOCK);
    if (fd < 0 || (!fstat(fd, &st) && S_ISREG(st.st_mode) && st.st_nlink <= 1))
        return fd;
    close(fd);
    errno = EACCES;
    return -1;
}

/* Files of the directory itself are opened directly: nobody else can change where its path leads.
 */
static int open_at_path(const struct engine_directory *d, const char *name, int flags)
{
    char path[ENGINE_PATH_MAX];
    int length = snprintf(path, sizeof(path), "%s/%s", d->path, name);

    if (length < 0 || length >= (int)sizeof(path)) {
        errno = ENAMETOOLONG;
        return -1;
    }
    return lift(open_checked(d, AT_FDCWD, path, flags));
}

int engine_directory_open(const struct engine_directory *d, const char *name, int flags)
{
    int parent;
    int error;
    int fd;

    if (!strchr(name, '/') && !d->shared_length)
        return open_at_path(d, name, flags);
    parent = open_parent(d, &name);
    if (parent < 0)
        return -1;
    fd = lift(open_checked(d, parent, name, flags));
    error = errno;
    close(parent);
    errno = error;
    return fd;
}

DIR *engine_directory_list_fd(int fd)
{
    DIR *list = fd < 0 ? NULL : fdopendir(fd);

    if (fd >= 0 && !list)
        close(fd);
    return list;
}

DIR *engine_directory_list(const struct engine_directory *d, const char *name)
{
    return engine_directory_list_fd(engine_directory_open(d, name, O_RDONLY | O_DIRECTORY));
}

const char *engine_directory_next(const struct engine_directory *d, DIR *list, uint32_t *count)
{
    struct dirent *item;

    while ((item = readdir(list)) && item->d_name[0] == '.')
        ;
    if (!item || (d->is_others && *count == ENGINE_DIRECTORY_FILES_MAX))
        return NULL;
    ++*count;
    return item->d_name;
}

int engine_directory_remove(const struct engine_directory *d, const char *name)
{
    int parent = open_parent(d, &name);
    int error;

    if (parent < 0)
        return errno == ENOENT ? 0 : errno;
    error = unlinkat(parent, name, 0) ? errno : 0;
    close(parent);
    return error == ENOENT ? 0 : error;
}

int engine_directory_rename(const struct engine_directory *d, const char *name,
                            const char *new_name)
{
    const char *slash = strrchr(new_name, '/');
    int parent = open_parent(d, &name);
    int error;

    if (parent < 0)
        return errno;
    error =
        renameat2(parent, name, parent, slash ? slash + 1 : new_name, RENAME_NOREPLACE) ? errno : 0;
    close(parent);
    return error;
}

/* In a shared directory others could replace the new directory: its mode is set through a
 * descriptor, which cannot be replaced. */
static int share(int parent, const char *name)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    int error = fd < 0 || fchmod(fd, 02770) ? errno : 0;

    if (fd >= 0)
        close(fd);
    return error;
}

int engine_directory_make(const struct engine_directory *d, const char *name)
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
