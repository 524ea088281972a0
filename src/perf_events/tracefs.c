/* SPDX-License-Identifier: MIT */
/* Reads the list of tracepoints, and their descriptions. */
#include "perf_events/tracefs.h"

#include "core/glob.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <mntent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* ---- the directory ---- */

/* Opens the first mount of a type; `below` is the directory of tracefs in it. Returns 0; ENODEV. */
static int open_mounted(const char *type, const char *below, int *ret_fd)
{
    FILE *mounts = setmntent("/proc/self/mounts", "re");
    char buffer[2 * PATH_MAX];
    char path[2 * PATH_MAX];
    struct mntent entry;
    int err = ENODEV;

    while (mounts && err && getmntent_r(mounts, &entry, buffer, sizeof(buffer))) {
        if (strcmp(entry.mnt_type, type) != 0 ||
            snprintf(path, sizeof(path), "%s%s", entry.mnt_dir, below) >= (int)sizeof(path))
            continue;
        *ret_fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        err = *ret_fd < 0 ? errno : 0;
    }
    if (mounts)
        endmntent(mounts);
    return err;
}

#if defined(SYS_fsopen) && defined(SYS_fsconfig) && defined(SYS_fsmount)
enum { FS_CLOEXEC = 1, FS_CREATE = 6 }; /* FSOPEN_CLOEXEC, FSMOUNT_CLOEXEC; FSCONFIG_CMD_CREATE */

/* A mount that is attached nowhere. */
static int open_own_mount(int *ret_fd)
{
    int context = (int)syscall(SYS_fsopen, "tracefs", FS_CLOEXEC);
    int err = context < 0 ? errno : 0;
    int mount = -1;

    if (!err && syscall(SYS_fsconfig, context, FS_CREATE, NULL, NULL, 0) < 0)
        err = errno;
    if (!err) {
        mount = (int)syscall(SYS_fsmount, context, FS_CLOEXEC, 0);
        err = mount < 0 ? errno : 0;
    }
    if (!err) { /* of the mount itself only paths can be opened */
        *ret_fd = openat(mount, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
        err = *ret_fd < 0 ? errno : 0;
    }
    if (mount >= 0)
        close(mount);
    if (context >= 0)
        close(context);
    return err;
}
#else
static int open_own_mount(int *ret_fd)
{
    (void)ret_fd;
    return ENODEV;
}
#endif

int perf_events_tracefs_open(int *ret_fd)
{
    int err = open_mounted("tracefs", "", ret_fd);

    if (err == ENODEV)
        err = open_mounted("debugfs", "/tracing", ret_fd);
    if (err == ENODEV || err == ENOENT)
        err = open_own_mount(ret_fd);
    return err;
}

/* ---- tracepoints ---- */

/* Reads a file of unknown size. */
static int read_text(int directory, const char *path, char **ret_text, size_t *ret_bytes)
{
    int fd = openat(directory, path, O_RDONLY | O_CLOEXEC);
    size_t capacity = 4096;
    size_t size = 0;
    char *text = NULL;
    ssize_t more = 1;

    if (fd < 0)
        return errno;
    while (more > 0) {
        char *bigger = !text || size + 1 >= capacity ? realloc(text, capacity *= 2) : text;

        if (!bigger) {
            errno = ENOMEM;
            more = -1;
            break;
        }
        text = bigger;
        more = read(fd, text + size, capacity - size - 1);
        size += more > 0 ? (size_t)more : 0;
        if (more < 0 && errno == EINTR)
            more = 1;
    }
    close(fd);
    if (more < 0) {
        free(text);
        return errno;
    }
    text[size] = '\0';
    *ret_text = text;
    *ret_bytes = size;
    return 0;
}

static int read_file_of(int tracefs, const struct perf_events_tracepoint *t, const char *file,
                        char **ret_text, size_t *ret_bytes)
{
    char path[PATH_MAX];

    if (snprintf(path, sizeof(path), "events/%s/%s/%s", t->system, t->name, file) >=
        (int)sizeof(path))
        return ENAMETOOLONG;
    return read_text(tracefs, path, ret_text, ret_bytes);
}

int perf_events_tracepoint_read(int tracefs, const char *system, const char *name,
                                struct perf_events_tracepoint *ret_tracepoint)
{
    struct perf_events_tracepoint t = {.system = strdup(system), .name = strdup(name)};
    char *id = NULL;
    size_t id_bytes;
    int err = t.system && t.name ? 0 : ENOMEM;

    err = err ? err : read_file_of(tracefs, &t, "id", &id, &id_bytes);
    err = err ? err : read_file_of(tracefs, &t, "format", &t.format, &t.format_bytes);
    if (!err)
        t.id = (uint32_t)strtoul(id, NULL, 10);
    free(id);
    if (err)
        perf_events_tracepoint_free(&t);
    else
        *ret_tracepoint = t;
    return err;
}

int perf_events_tracefs_strings(int tracefs, char **ret_text, size_t *ret_bytes)
{
    return read_text(tracefs, "printk_formats", ret_text, ret_bytes);
}

void perf_events_tracepoint_free(struct perf_events_tracepoint *t)
{
    free(t->system);
    free(t->name);
    free(t->format);
    *t = (struct perf_events_tracepoint){0};
}

/* ---- the list ---- */

static DIR *open_directory(int parent, const char *name)
{
    int fd = openat(parent, name, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    DIR *directory = fd < 0 ? NULL : fdopendir(fd);

    if (fd >= 0 && !directory)
        close(fd);
    return directory;
}

static int visit_system(DIR *systems, const char *system, perf_events_visit *visit, void *context)
{
    DIR *names = open_directory(dirfd(systems), system);
    const struct dirent *entry;
    int err = 0;

    while (names && !err && (entry = readdir(names))) {
        if (entry->d_name[0] != '.' && (entry->d_type == DT_DIR || entry->d_type == DT_UNKNOWN))
            err = visit(context, system, entry->d_name);
    }
    if (names)
        closedir(names);
    return err;
}

int perf_events_tracefs_each(int tracefs, const char *system_pattern, perf_events_visit *visit,
                             void *context)
{
    DIR *systems = open_directory(tracefs, "events");
    const struct dirent *entry;
    int err = systems ? 0 : errno;

    while (systems && !err && (entry = readdir(systems))) {
        /* Perf events cannot be opened for ftrace's own. */
        if (entry->d_name[0] != '.' && strcmp(entry->d_name, "ftrace") != 0 &&
            core_glob_match(system_pattern, entry->d_name))
            err = visit_system(systems, entry->d_name, visit, context);
    }
    if (systems)
        closedir(systems);
    return err;
}
