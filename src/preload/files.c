/* SPDX-License-Identifier: MIT */
/* The open emulated files, and their descriptors. */
#include "preload/files.h"
#include "preload/path.h"
#include "preload/process.h"
#include "tracefs/program.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#define SEALS (F_SEAL_WRITE | F_SEAL_GROW | F_SEAL_SHRINK)

struct preload_file *preload_files[PRELOAD_FD_MAX];

static struct preload_file *unused;
static unsigned int end; /* no descriptor from here on was ever served */

/* A memory file's name: what it is, the access, and the path of the tracing directory. */
static const char prefix[] = "cairn";
static const char accesses[] = {[O_RDONLY] = 'r', [O_WRONLY] = 'w', [O_RDWR] = '+'};

/* ---- files ---- */

static struct preload_file *take_file(void)
{
    struct preload_file *file = unused;

    if (file) {
        unused = file->next;
        return file;
    }
    return tracefs_memory_take(sizeof(*file));
}

/* The memory of `data` stays with the file. */
static void give_file(struct preload_file *file)
{
    if (file->data)
        tracefs_data_release(file->data);
    engine_output_free(&file->content);
    file->next = unused;
    unused = file;
}

static void drop_reference(struct preload_file *file)
{
    if (--file->references == 0)
        give_file(file);
}

/* ---- the table ---- */

static void set(int fd, struct preload_file *file)
{
    struct preload_file *former = preload_files[fd];

    accelerator_descriptors_forget((unsigned int)fd, (unsigned int)fd);
    if (file)
        file->references++;
    core_store_relaxed(&preload_files[fd], file);
    if ((unsigned int)fd >= end)
        end = (unsigned int)fd + 1;
    if (former)
        drop_reference(former);
}

static bool is_of(const struct preload_file *file, int fd)
{
    struct stat st;

    return !fstat(fd, &st) && st.st_dev == file->device && st.st_ino == file->inode;
}

struct preload_file *preload_files_find(int fd)
{
    struct preload_file *file = preload_files_may_have(fd) ? preload_files[fd] : NULL;
    int saved = errno;

    if (file && !is_of(file, fd)) {
        if (preload_process_is_own())
            set(fd, NULL);
        file = NULL;
    }
    errno = saved;
    return file;
}

void preload_files_copy(int from, int to)
{
    struct preload_file *file = preload_files_find(from);

    if (from != to && (unsigned int)to < PRELOAD_FD_MAX && (file || preload_files[to]) &&
        preload_process_is_own())
        set(to, file);
}

void preload_files_forget(unsigned int first, unsigned int last)
{
    if (!preload_process_is_own())
        return;
    for (unsigned int fd = first; fd <= last && fd < end; fd++) {
        if (preload_files[fd])
            set((int)fd, NULL);
    }
}

/* ---- opening ---- */

/* Calls that bypass this library read the last content of the file, or that from when it was
 * opened: the C library's streams, and programs that are executed. */
static int store(const struct preload_file *file, int fd)
{
    const struct engine_output *content = &file->content;

    if (ftruncate(fd, (off_t)content->size_bytes) ||
        pwrite(fd, content->bytes, content->size_bytes, 0) != (ssize_t)content->size_bytes)
        return errno;
    return 0;
}

int preload_files_renew(struct preload_file *file, int fd)
{
    int error = tracefs_content_renew(&file->node_file, &file->content);

    return error || file->access != O_RDONLY ? error : store(file, fd);
}

static bool has_text(const struct preload_file *file)
{
    return file->node_file.kind != TRACEFS_FILE_DATA && file->node_file.kind != TRACEFS_FILE_PIPE;
}

static int fill(struct preload_file *file, int fd)
{
    int error;

    if (file->node_file.kind == TRACEFS_FILE_DATA && !file->data) {
        file->data = tracefs_memory_take(sizeof(*file->data));
        if (!file->data)
            return ENOMEM;
    }
    if (file->access == O_WRONLY || !has_text(file))
        return 0;
    error = preload_files_renew(file, fd);
    return error || file->access == O_RDONLY ? error : store(file, fd);
}

static int take_on(tracefs_node node, int access, int fd)
{
    struct preload_file *file = (unsigned int)fd < PRELOAD_FD_MAX ? take_file() : NULL;
    struct stat st;
    int error;

    if (!file)
        return (unsigned int)fd < PRELOAD_FD_MAX ? ENOMEM : EMFILE;
    *file = (struct preload_file){.access = access, .data = file->data};
    error = tracefs_node_file(node, &file->node_file);
    if (!error)
        error = fstat(fd, &st) ? errno : fill(file, fd);
    if (error) {
        give_file(file);
        return error;
    }
    file->device = st.st_dev;
    file->inode = st.st_ino;
    set(fd, file);
    return 0;
}

static int check(tracefs_node node, int flags)
{
    struct tracefs_file file;
    int error = tracefs_node_file(node, &file);
    const bool is_written = (flags & O_ACCMODE) != O_RDONLY;

    if (error)
        return error;
    if ((flags & (O_CREAT | O_EXCL)) == (O_CREAT | O_EXCL))
        return EEXIST;
    if (flags & O_DIRECTORY)
        return ENOTDIR;
    if (!is_written)
        return 0;
    if (!(file.mode & S_IWUSR) && geteuid() != 0)
        return EACCES;
    if (file.kind == TRACEFS_FILE_PIPE)
        return EACCES;
    return flags & O_TRUNC ? tracefs_control_truncate(&file) : 0;
}

static int make_memory_file(const char *path, int access)
{
    char name[256];

    (void)snprintf(name, sizeof(name), "%s:%c:%s", prefix, accesses[access], path);
    return memfd_create(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
}

int preload_files_open(tracefs_node node, const char *path, int flags, int *ret_fd)
{
    const int access = flags & O_ACCMODE;
    int error = access > O_RDWR ? EINVAL : check(node, flags);
    int fd = error ? -1 : make_memory_file(path, access);

    if (error)
        return error;
    if (fd < 0)
        return errno;
    error = take_on(node, access, fd);
    if (error) {
        (void)close(fd);
        return error;
    }
    /* A write that does not pass this library gets EPERM, and is not lost silently. */
    if (access != O_RDONLY)
        (void)fcntl(fd, F_ADD_SEALS, SEALS);
    (void)fcntl(fd, F_SETFL, flags & (O_NONBLOCK | O_APPEND));
    if (!(flags & O_CLOEXEC))
        (void)fcntl(fd, F_SETFD, 0);
    *ret_fd = fd;
    return 0;
}

void preload_files_inherit(int fd)
{
    char path[32];
    char name[512];
    const char *access;
    const char *file;
    tracefs_node node;
    ssize_t size;

    if (fcntl(fd, F_GET_SEALS) < 0)
        return;
    (void)snprintf(path, sizeof(path), "/proc/self/fd/%d", fd);
    size = readlink(path, name, sizeof(name) - 1);
    name[size > 0 ? size : 0] = 0;
    file = strchr(name, ':'); /* "/memfd:", the name, " (deleted)" */
    if (!file || strncmp(++file, prefix, strlen(prefix)) != 0 || file[strlen(prefix)] != ':')
        return;
    file += sizeof(prefix);
    access = memchr(accesses, *file, sizeof(accesses));
    name[strcspn(name, " ")] = 0;
    if (access && file[1] == ':' && !preload_path_find(file + 2, &node))
        (void)take_on(node, (int)(access - accesses), fd);
}
