/* SPDX-License-Identifier: MIT */
/* Opens, replaces and closes the output of cairn record. */
#include "cli/record_output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static bool is_same_file(int a, int b)
{
    struct stat x;
    struct stat y;

    return !fstat(a, &x) && !fstat(b, &y) && x.st_dev == y.st_dev && x.st_ino == y.st_ino;
}

/* True for a device such as /dev/null, on which mixed output does no harm. */
static bool is_device(int fd)
{
    struct stat st;

    return !fstat(fd, &st) && S_ISCHR(st.st_mode);
}

/* ---- streams ---- */

/* Opens the file of a descriptor again, so that O_NONBLOCK does not affect others who use it.
 * Duplicates the descriptor if that is impossible, as for a socket or another user's pipe. */
static int open_again(int fd)
{
    char path[32];
    int again;

    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    again = open(path, O_WRONLY | O_NONBLOCK | O_CLOEXEC);
    return again >= 0 ? again : fcntl(fd, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
}

/* A closed standard output is /dev/null, open for reading: opened again it would take anything. */
static bool is_writable(int fd)
{
    int flags = fcntl(fd, F_GETFL);

    return flags >= 0 && (flags & O_ACCMODE) != O_RDONLY;
}

static int check_standard_output(struct cli_record_output *o)
{
    o->is_standard_output = is_same_file(o->fd, STDOUT_FILENO);
    if (!o->is_standard_output || is_device(o->fd) || !is_same_file(o->fd, STDERR_FILENO))
        return CLI_OK;
    cli_error(o->verb, "standard error is the same file as the stream: redirect one of them");
    return CLI_USAGE;
}

static int open_standard_output(struct cli_record_output *o)
{
    struct stat st;

    if (isatty(STDOUT_FILENO)) {
        cli_error(o->verb, "standard output is a terminal: redirect it to a pipe or a file");
        return CLI_USAGE;
    }
    if (!is_writable(STDOUT_FILENO))
        errno = EBADF;
    else if (fstat(STDOUT_FILENO, &st) || S_ISREG(st.st_mode)) /* shares the file position */
        o->fd = fcntl(STDOUT_FILENO, F_DUPFD_CLOEXEC, STDERR_FILENO + 1);
    else
        o->fd = open_again(STDOUT_FILENO);
    return CLI_OK;
}

static int open_stream(struct cli_record_output *o)
{
    o->fd = open(o->path, O_WRONLY | O_CLOEXEC);
    if (o->fd >= 0)
        (void)fcntl(o->fd, F_SETFL, O_NONBLOCK);
    return CLI_OK;
}

/* ---- files ---- */

/* True for a path of an open descriptor: the file is written to, not replaced. */
static bool is_descriptor_path(const char *path)
{
    return !strncmp(path, "/dev/fd/", 8) || !strncmp(path, "/dev/std", 8) ||
           !strncmp(path, "/proc/", 6);
}

/* True if a new file can replace the one at `target`, which need not exist. */
static bool can_replace(const char *target)
{
    const char *end = strrchr(target, '/');
    char *directory = strndup(target, end ? (size_t)(end - target) + 1 : 0);
    const char *parent = end ? directory : ".";
    struct stat parent_stat;
    struct stat target_stat;
    bool can = directory && !eaccess(parent, W_OK | X_OK) && !stat(parent, &parent_stat);

    /* With the sticky bit, only the owner of a file may rename it. */
    if (can && parent_stat.st_mode & S_ISVTX && geteuid() && parent_stat.st_uid != geteuid() &&
        !stat(target, &target_stat))
        can = target_stat.st_uid == geteuid();
    free(directory);
    return can;
}

/* Sets o->target; NULL if no file is to be replaced. */
static int find_target(struct cli_record_output *o)
{
    struct stat st;

    if (is_descriptor_path(o->path))
        return 0;
    if (lstat(o->path, &st)) {
        o->target = errno == ENOENT ? strdup(o->path) : NULL;
        return errno == ENOENT ? 0 : errno;
    }
    if (eaccess(o->path, W_OK) && errno != ENOENT)
        return errno;
    o->target = realpath(o->path, NULL); /* NULL for a dangling link */
    return 0;
}

static int find_file(struct cli_record_output *o)
{
    int error = find_target(o);
    int fd;

    if (!error && o->target && can_replace(o->target))
        return CLI_OK;
    free(o->target);
    o->target = NULL;
    /* Does not truncate it: the writer does. */
    fd = error ? -1 : open(o->path, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (fd < 0) {
        cli_errno(o->verb, error ? error : errno, "cannot write %s", o->path);
        return CLI_FAILED;
    }
    o->fd = fd;
    return CLI_OK;
}

int cli_record_output_create(struct cli_record_output *o)
{
    int error = 0;

    if (!o->target)
        return CLI_OK;
    if (asprintf(&o->temporary, "%s.new.%d", o->target, (int)getpid()) < 0) {
        o->temporary = NULL;
        error = ENOMEM;
    }
    if (!error) {
        o->fd = open(o->temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        error = o->fd < 0 ? errno : 0;
    }
    if (!error)
        return CLI_OK;
    free(o->temporary);
    o->temporary = NULL;
    cli_errno(o->verb, error, "cannot write %s", o->path);
    return CLI_FAILED;
}

/* Renames the old file to FILE.old. An empty file is not a recording. */
static int keep_old(const struct cli_record_output *o)
{
    struct stat st;
    char *old;
    int error;

    if (stat(o->target, &st) || !st.st_size)
        return 0;
    if (asprintf(&old, "%s.old", o->target) < 0)
        return ENOMEM;
    error = rename(o->target, old) ? errno : 0;
    free(old);
    return error;
}

void cli_record_output_keep(struct cli_record_output *o)
{
    int error;

    if (!o->temporary)
        return;
    error = keep_old(o);
    if (!error && rename(o->temporary, o->target))
        error = errno;
    if (error) {
        cli_errno(o->verb, error, "cannot replace %s; the recording is in %s", o->path,
                  o->temporary);
        free(o->target);
        o->target = o->temporary;
        o->path = o->target;
    } else {
        free(o->temporary);
    }
    o->temporary = NULL;
}

/* ---- where the file is at the end ---- */

static bool is_at(const struct cli_record_output *o, const char *path)
{
    int fd = open(path, O_PATH | O_CLOEXEC);
    bool is_same = fd >= 0 && is_same_file(fd, o->fd);

    if (fd >= 0)
        close(fd);
    return is_same;
}

/* The path that an open file has now; NULL: it has none, or it is not known. */
static char *path_of(int fd)
{
    char link[32];

    (void)snprintf(link, sizeof(link), "/proc/self/fd/%d", fd);
    return realpath(link, NULL);
}

/* False: its name is gone, which was reported. */
static bool find(struct cli_record_output *o)
{
    char *path;

    if (is_at(o, o->path))
        return true;
    path = path_of(o->fd);
    if (!path || !is_at(o, path)) {
        free(path);
        cli_error(o->verb, "%s was removed or replaced during the recording, which is lost",
                  o->path);
        return false;
    }
    cli_error(o->verb, "%s was moved during the recording, which is in %s", o->path, path);
    o->moved = path;
    o->path = path;
    return true;
}

/* The size of the header of perf.data. */
#define PERF_DATA_HEADER 104

/* False if there are zeros where something was written: somebody has emptied the file before a page
 * was in it, which leaves no hole. The end of a recording writes the header of perf.data again, but
 * not the record after it. */
static bool has_beginning(const struct cli_record_output *o)
{
    char magic[] = "PERFILE2";
    uint64_t record = 1;

    (void)pread(o->fd, magic, strlen(magic), 0);
    if (!strcmp(magic, "PERFILE2"))
        (void)pread(o->fd, &record, sizeof(record), PERF_DATA_HEADER);
    return magic[0] && record;
}

/* All of it was written in order: a hole is where somebody has cut it, before more was written. */
static bool is_whole(const struct cli_record_output *o, uint64_t bytes)
{
    off_t end = lseek(o->fd, 0, SEEK_END);
    off_t hole = lseek(o->fd, 0, SEEK_HOLE);

    return end < 0 || ((uint64_t)end >= bytes && (hole < 0 || hole >= end) && has_beginning(o));
}

bool cli_record_output_check(struct cli_record_output *o, uint64_t bytes)
{
    if (o->mode != CAIRN_PERF_FILE)
        return true;
    o->is_lost = !find(o);
    if (!o->is_lost && !is_whole(o, bytes)) {
        o->is_lost = true;
        cli_error(o->verb, "%s was cut short during the recording: a part of it is lost", o->path);
    }
    return !o->is_lost;
}

/* ---- opening and closing ---- */

const char *cli_record_output_name(const struct cli_record_output *o)
{
    return strcmp(o->path, "-") != 0 ? o->path : "standard output";
}

int cli_record_output_open(struct cli_record_output *o)
{
    struct stat st;
    bool is_file = strcmp(o->path, "-") != 0 && (stat(o->path, &st) || S_ISREG(st.st_mode));
    int status;

    o->fd = -1;
    o->mode = is_file ? CAIRN_PERF_FILE : CAIRN_PERF_PIPE;
    if (!*o->path) {
        cli_error(o->verb, "the name of the output file is empty");
        return CLI_USAGE;
    }
    if (is_file)
        status = find_file(o);
    else
        status = strcmp(o->path, "-") ? open_stream(o) : open_standard_output(o);
    if (status || (is_file && o->target))
        return status;
    if (o->fd >= 0)
        return check_standard_output(o);
    cli_errno(o->verb, errno, "cannot write %s", cli_record_output_name(o));
    return CLI_FAILED;
}

/* Does nothing for a stream, and on a file system without fsync. */
static int write_to_disk(const struct cli_record_output *o)
{
    if (o->mode != CAIRN_PERF_FILE || !fsync(o->fd))
        return 0;
    return errno == EINVAL || errno == EROFS || errno == ENOSYS ? 0 : errno;
}

bool cli_record_output_close(struct cli_record_output *o)
{
    int error = 0;

    if (o->temporary)
        (void)unlink(o->temporary);
    else if (o->fd >= 0)
        error = write_to_disk(o);
    if (o->fd >= 0 && close(o->fd) && !error && errno != EINTR)
        error = errno;
    if (error)
        cli_errno(o->verb, error, "cannot write all of %s to the disk", cli_record_output_name(o));
    free(o->target);
    free(o->temporary);
    free(o->moved);
    *o = (struct cli_record_output){.fd = -1};
    return !error;
}
