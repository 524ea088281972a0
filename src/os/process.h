/* SPDX-License-Identifier: MIT */
/* Processes: what identifies one, and who is alive; fork and exit. */
#ifndef OS_PROCESS_H
#define OS_PROCESS_H

#include "core/private_api.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <unistd.h>

/* The ids of the calling process and of its parent. */
static inline uint32_t os_process_self(void)
{
    return (uint32_t)getpid();
}

static inline uint32_t os_process_parent(void)
{
    return (uint32_t)getppid();
}

/* Facts about a process, from /proc. */
struct os_process_stat {
    uint32_t parent;
    uint32_t threads;
    uint64_t start_ticks; /* clock ticks from the system's start */
    bool is_zombie;       /* its first thread has ended */
};

/* False: there is no such process. */
bool os_process_stat(uint32_t pid, struct os_process_stat *ret_stat)
    CORE_PRIVATE_API(os_process_stat);

/* The start time of a process; with its number it identifies the process. 0: no such process, or
 * one that has ended and that its parent has not waited for; its first thread alone may have ended.
 */
uint64_t os_process_start(uint32_t pid);

/* The namespace that process numbers are valid in: that of the calling process. 0: not known. */
uint64_t os_process_namespace(void);

/* The number of threads of a process. 0: not known. */
size_t os_process_threads(uint32_t pid);

/* True if a process has mapped a file whose path contains a text. True also for a process that may
 * not be inspected. */
bool os_process_may_map(uint32_t pid, const char *path_part);

/* Functions around each fork of this process, called in the thread that forks. They are called in
 * the order of pthread_atfork; not for clone() itself. */
void os_process_at_fork(void (*before)(void), void (*in_parent)(void), void (*in_child)(void));

/* A function that exit calls, and dlclose of the object that contains us. */
void os_process_at_exit(void (*call)(void));

#endif
