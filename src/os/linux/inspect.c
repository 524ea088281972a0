/* SPDX-License-Identifier: MIT */
/* Other processes: their mappings and names in /proc. */
#include "os/inspect.h"
#include "os/process.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>

/* Number of mappings of a process that are searched for a file: some 10 ms. */
#define MAPPINGS_MAX 10000

/* True if a line of /proc/PID/maps is the file's: "range rights offset major:minor inode path". */
static bool is_of_file(const char *line, const struct os_mapped_file *file)
{
    unsigned long major_number;
    unsigned long minor_number;
    char *at;

    for (int i = 0; i < 3 && line; i++) {
        line = strchr(line, ' ');
        line += line != NULL;
    }
    if (!line)
        return false;
    major_number = strtoul(line, &at, 16);
    minor_number = *at ? strtoul(at + 1, &at, 16) : 0;
    return strtoull(at, NULL, 10) == file->inode &&
           ((major_number == major(file->device) && minor_number == minor(file->device)) ||
            strstr(at, file->name));
}

bool os_process_has_mapped(uint32_t pid, const struct os_mapped_file *file)
{
    char path[32];
    char *line = NULL;
    size_t size = 0;
    bool found = false;
    FILE *maps;

    (void)snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", pid);
    maps = fopen(path, "re");
    if (!maps)
        return false;
    for (int i = 0; i < MAPPINGS_MAX && !found && getline(&line, &size, maps) > 0; i++)
        found = is_of_file(line, file);
    free(line);
    (void)fclose(maps);
    return found;
}

/* Reads the first line of a file, and closes it. False: there is none. */
static bool read_line_of(int fd, char *text, size_t size)
{
    ssize_t length = fd < 0 ? -1 : read(fd, text, size - 1);

    if (fd >= 0)
        close(fd);
    if (length <= 0)
        return false;
    text[length] = 0;
    text[strcspn(text, "\n")] = 0;
    return true;
}

static bool read_line(const char *path, char *text, size_t size)
{
    return read_line_of(open(path, O_RDONLY | O_CLOEXEC), text, size);
}

bool os_process_is_ended_child(uint32_t pid)
{
    struct os_process_stat stat;

    return os_process_stat(pid, &stat) && stat.is_zombie && stat.parent == os_process_self();
}

bool os_process_has_ended(uint32_t pid)
{
    return kill((pid_t)pid, 0) && errno == ESRCH;
}

bool os_thread_name_of(uint32_t pid, uint32_t tid, char *ret_name, size_t size_bytes)
{
    char path[64];

    (void)snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/comm", pid, tid);
    return read_line(path, ret_name, size_bytes);
}

/* ---- namespaces ---- */

static uint64_t namespace_of(uint32_t pid, const char *kind)
{
    char path[48];
    struct stat st;

    (void)snprintf(path, sizeof(path), "/proc/%" PRIu32 "/ns/%s", pid, kind);
    return stat(path, &st) ? 0 : st.st_ino;
}

uint64_t os_pid_namespace_of(uint32_t pid)
{
    return namespace_of(pid, "pid");
}

/* The line NSpid has an id for each namespace, the innermost last. */
uint32_t os_number_inside(uint32_t pid, uint32_t tid)
{
    char path[64];
    char line[256];
    uint32_t number = 0;
    FILE *status;

    (void)snprintf(path, sizeof(path), "/proc/%" PRIu32 "/task/%" PRIu32 "/status", pid, tid);
    status = fopen(path, "re");
    while (status && !number && fgets(line, sizeof(line), status)) {
        if (!strncmp(line, "NSpid:", 6))
            number = (uint32_t)strtoul(strrchr(line, '\t') + 1, NULL, 10);
    }
    if (status)
        (void)fclose(status);
    return number;
}

/* ---- names of containers ---- */

/* Finds the container's name in that of a control group: "docker-ID.scope", "lxc.payload.NAME". */
static const char *strip(char *group)
{
    static const char *const before[] = {"docker-", "libpod-",      "cri-containerd-",
                                         "crio-",   "lxc.payload.", "machine-"};
    char *end = strrchr(group, '.');

    if (end && (!strcmp(end, ".scope") || !strcmp(end, ".service")))
        *end = '\0';
    for (size_t n = 0; n < sizeof(before) / sizeof(*before); n++) {
        if (!strncmp(group, before[n], strlen(before[n])))
            return group + strlen(before[n]);
    }
    return strlen(group) == 64 && strspn(group, "0123456789abcdef") == 64 ? group : NULL;
}

static bool name_by_group(uint32_t pid, char *ret_name, size_t size_bytes)
{
    char path[48];
    char line[512];
    bool is_found = false;
    FILE *groups;

    (void)snprintf(path, sizeof(path), "/proc/%" PRIu32 "/cgroup", pid);
    groups = fopen(path, "re");
    while (groups && !is_found && fgets(line, sizeof(line), groups)) {
        char *last = strrchr(line, '/');
        const char *name;

        line[strcspn(line, "\n")] = '\0';
        name = last ? strip(last + 1) : NULL;
        is_found = name && *name;
        if (is_found) /* the ids of containers are shown by their first twelve digits */
            (void)snprintf(ret_name, size_bytes, "%.*s", strlen(name) == 64 ? 12 : 63, name);
    }
    if (groups)
        (void)fclose(groups);
    return is_found;
}

/* Opens a regular file in the root directory of a process. The process may have replaced it by
 * anything, so links are not followed, and the type is checked. */
static int open_in_root(uint32_t pid, const char *directory, const char *name)
{
    char path[48];
    struct stat st;
    int parent;
    int root;
    int fd;

    (void)snprintf(path, sizeof(path), "/proc/%" PRIu32 "/root", pid);
    root = open(path, O_PATH | O_DIRECTORY | O_CLOEXEC);
    parent = root < 0 ? -1 : openat(root, directory, O_PATH | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    fd = parent < 0 ? -1 : openat(parent, name, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC);
    if (root >= 0)
        close(root);
    if (parent >= 0)
        close(parent);
    if (fd < 0 || (!fstat(fd, &st) && S_ISREG(st.st_mode)))
        return fd;
    close(fd);
    return -1;
}

static bool name_by_host(uint32_t pid, char *ret_name, size_t size_bytes)
{
    int fd = open_in_root(pid, "etc", "hostname");
    char text[64];
    char own[64] = "";

    (void)gethostname(own, sizeof(own) - 1);
    if (fd < 0 || !read_line_of(fd, text, sizeof(text)))
        return false;
    if (!*text || !strcmp(text, own) ||
        strspn(text, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-._") !=
            strlen(text))
        return false;
    (void)snprintf(ret_name, size_bytes, "%s", text);
    return true;
}

void os_container_name(uint32_t pid, char *ret_name, size_t size_bytes)
{
    if (!name_by_group(pid, ret_name, size_bytes) && !name_by_host(pid, ret_name, size_bytes))
        (void)snprintf(ret_name, size_bytes, "mnt:[%" PRIu64 "]", namespace_of(pid, "mnt"));
}
