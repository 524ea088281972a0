/* SPDX-License-Identifier: MIT */
/*
 * SIGBUS guard: reading memory that another process can remove. If a process truncates its pool's
 * file, accesses to the mapping raise SIGBUS in the reader. The guard turns that into a return
 * value.
 */
#ifndef SESSION_GUARD_H
#define SESSION_GUARD_H

#include <signal.h>
#include <stdbool.h>

struct cairn_os_guard {
    struct sigaction previous;
};

/* Between these two cairn_os_guard_run works; the process's own handler of SIGBUS is put aside. */
void cairn_os_guard_begin(struct cairn_os_guard *guard);
void cairn_os_guard_end(const struct cairn_os_guard *guard);

/* Runs body(arg). False: memory was gone, body was left in the middle. */
bool cairn_os_guard_run(void (*body)(void *arg), void *arg);

#endif
