/* SPDX-License-Identifier: MIT */
/*
 * Liveness of processes. A process that holds an object in the tracing directory has an
 * open-file-description lock on the object's file: the kernel releases it however the process ends,
 * and when it executes another program (exec). If the lock is on a descriptor that a program may
 * have closed (daemons close all), pid and start time identify the process.
 */
#ifndef ENGINE_LIVENESS_H
#define ENGINE_LIVENESS_H

#include "core/private_api.h"

#include <stdbool.h>
#include <stdint.h>

struct engine_liveness {
    uint32_t pid;
    uint64_t pid_start;     /* 0: not known */
    uint64_t pid_namespace; /* 0: not known */
};

/* The calling process. */
struct engine_liveness engine_liveness_of_self(void) CORE_PRIVATE_API(engine_liveness_of_self);

/* Takes the lock that shows that its holder lives; it is held until the last copy of fd is
 * closed. */
int engine_liveness_lock(int fd);

/* The same for one of several holders, also in place of the lock of one. */
int engine_liveness_share(int fd);

/* True if another process has locked the file that fd is another opening of. */
bool engine_liveness_is_locked(int fd);

/* True if this process can see the other one, and it lives. */
bool engine_liveness_is_here(const struct engine_liveness *liveness);

/* True if the owner of the file that fd is another opening of is alive. */
bool engine_liveness_is_alive(int fd, const struct engine_liveness *liveness);

/* The same of the process whose process file fd is another opening of. */
bool engine_liveness_of_process_file(int fd) CORE_PRIVATE_API(engine_liveness_of_process_file);

#endif
