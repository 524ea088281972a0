/* SPDX-License-Identifier: MIT */
/* Processes: what /proc says about them; handlers of fork and exit. */
#include "os/process.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

/* Functions of the C++ ABI, which every C library has; no header declares them. */
extern int __cxa_atexit(void (*call)(void *), void *arg, void *object);
extern void *__dso_handle __attribute__((visibility("hidden")));

/* Fields of /proc/PID/stat. */
enum { STAT_STATE = 3, STAT_PARENT = 4, STAT_THREADS = 20, STAT_START = 22 };

/* Returns a field of the text, which begins after field 2. */
static const char *field_of(const char *text, int field)
{
    for (int i = 2; text && i < field; i++)
        text = strchr(text + 1, ' ');
    return text ? text + 1 : "";
}

bool os_process_stat(uint32_t pid, struct os_process_stat *ret_stat)
{
    char path[32];
    char text[1024];
    const char *p;
    ssize_t size;
    int fd;

    (void)snprintf(path, sizeof(path), "/proc/%u/stat", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return false;
    size = read(fd, text, sizeof(text) - 1);
    close(fd);
    if (size <= 0)
        return false;
    text[size] = 0;
    /* Field 2, the name in parentheses, may hold anything; the last ')' ends it. */
    p = strrchr(text, ')');
    *ret_stat = (struct os_process_stat){
        .parent = (uint32_t)strtoul(field_of(p, STAT_PARENT), NULL, 10),
        .threads = (uint32_t)strtoul(field_of(p, STAT_THREADS), NULL, 10),
        .start_ticks = strtoull(field_of(p, STAT_START), NULL, 10),
        .is_zombie = *field_of(p, STAT_STATE) == 'Z',
    };
    return true;
}

uint64_t os_process_start(uint32_t pid)
{
    struct os_process_stat stat;

    if (!os_process_stat(pid, &stat) || (stat.is_zombie && stat.threads <= 1))
        return 0;
    return stat.start_ticks;
}

uint64_t os_process_namespace(void)
{
    struct stat st;

    return stat("/proc/self/ns/pid", &st) ? 0 : st.st_ino;
}

/* The directory has a link for each of its entries, and two of its own. */
size_t os_process_threads(uint32_t pid)
{
    char path[32];
    struct stat st;

    (void)snprintf(path, sizeof(path), "/proc/%u/task", pid);
    return stat(path, &st) || st.st_nlink < 2 ? 0 : st.st_nlink - 2;
}

/* Searches a file for a text, block by block. */
static bool is_in_file(int fd, const char *text)
{
    char buffer[1024];
    size_t kept = 0; /* the end of what was read before: the text may begin there */
    ssize_t size;

    while ((size = read(fd, buffer + kept, sizeof(buffer) - kept)) > 0) {
        size_t length = kept + (size_t)size;

        if (memmem(buffer, length, text, strlen(text)))
            return true;
        kept = length < strlen(text) ? length : strlen(text);
        memmove(buffer, buffer + length - kept, kept);
    }
    return false;
}

bool os_process_may_map(uint32_t pid, const char *path_part)
{
    char path[32];
    bool found;
    int fd;

    (void)snprintf(path, sizeof(path), "/proc/%u/maps", pid);
    fd = open(path, O_RDONLY | O_CLOEXEC);
    if (fd < 0)
        return errno != ENOENT && errno != ESRCH;
    found = is_in_file(fd, path_part);
    close(fd);
    return found;
}

void os_process_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void))
{
    (void)pthread_atfork(before, in_parent, in_child);
}

static void call_at_exit(void *call)
{
    void (*function)(void);

    memcpy(&function, &call, sizeof(function));
    function();
}

/* atexit does the same, but ThreadSanitizer's atexit does not know which object registers: after
 * dlclose it would call a function that is gone. */
void os_process_at_exit(void (*call)(void))
{
    void *pointer;

    memcpy(&pointer, &call, sizeof(pointer));
    (void)__cxa_atexit(call_at_exit, pointer, &__dso_handle);
}
