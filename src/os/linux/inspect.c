/* SPDX-License-Identifier: MIT */
/* Other processes: their mappings and names in /proc. */
#include "os/inspect.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
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

/* Reads a short file. False: there is nothing to read. */
static bool read_line(const char *path, char *text, size_t size)
{
    int fd = open(path, O_RDONLY | O_CLOEXEC);
    ssize_t length = fd < 0 ? -1 : read(fd, text, size - 1);

    if (fd >= 0)
        close(fd);
    if (length <= 0)
        return false;
    text[length] = 0;
    text[strcspn(text, "\n")] = 0;
    return true;
}

bool os_process_is_ended_child(uint32_t pid)
{
    char path[32];
    char text[256];
    const char *after_name;

    (void)snprintf(path, sizeof(path), "/proc/%" PRIu32 "/stat", pid);
    if (!read_line(path, text, sizeof(text)))
        return false;
    after_name = strrchr(text, ')'); /* of "PID (name) Z PARENT ..." */
    return after_name && !strncmp(after_name, ") Z ", 4) &&
           strtol(after_name + 4, NULL, 10) == getpid();
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
