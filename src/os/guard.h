/* SPDX-License-Identifier: MIT */
/*
 * SIGBUS guard: reading memory that another process can remove. If a process truncates its pool's
 * file, accesses to the mapping raise SIGBUS in the reader. The guard puts zeros in the place of
 * each page that is gone, so that the reader continues and releases what it holds, and reports it.
 */
#ifndef OS_GUARD_H
#define OS_GUARD_H

#include <signal.h>
#include <stdbool.h>

struct os_guard {
    struct sigaction previous;
};

/* os_guard_run works between these two calls; they replace and restore the process's own handler of
 * SIGBUS. */
void os_guard_begin(struct os_guard *guard);
void os_guard_end(const struct os_guard *guard);

/* Runs body(arg) to its end. False: memory was removed, and body has read zeros there. */
bool os_guard_run(void (*body)(void *arg), void *arg);

#endif
