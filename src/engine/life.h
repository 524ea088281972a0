/* SPDX-License-Identifier: MIT */
/*
 * Liveness of processes. A process that holds an object in the tracing directory has an
 * open-file-description lock on the object's file: the kernel releases it however the process ends,
 * and when it executes another program (exec). If the lock is on a descriptor that a program may
 * have closed (daemons close all), pid and start time identify the process.
 */
#ifndef ENGINE_LIFE_H
#define ENGINE_LIFE_H

#include "core/private_api.h"

#include <stdbool.h>
#include <stdint.h>

struct cairn_life {
    uint32_t pid;
    uint64_t pid_start;     /* 0: not known */
    uint64_t pid_namespace; /* 0: not known */
};

/* The calling process. */
CAIRN_PRIVATE_API struct cairn_life cairn_life_of_self(void);

/* Takes the lock that shows that its holder lives; it is held until the last copy of fd is
 * closed. */
int cairn_life_lock(int fd);

/* The same for one of several holders, also in place of the lock of one. */
int cairn_life_share(int fd);

/* True if another process has locked the file that fd is another opening of. */
bool cairn_life_is_locked(int fd);

/* True if this process can see the other one, and it lives. */
bool cairn_life_is_here(const struct cairn_life *life);

/* True if the owner of the file that fd is another opening of is alive. */
bool cairn_life_is_alive(int fd, const struct cairn_life *life);

/* The same of the process whose process file fd is another opening of. */
CAIRN_PRIVATE_API bool cairn_life_of_process_file(int fd);

#endif
