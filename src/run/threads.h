/* SPDX-License-Identifier: MIT */
/* The threads of programs that write events: each has a context of the engine's. For the one thread
 * that writes for them. */
#ifndef RUN_THREADS_H
#define RUN_THREADS_H

#include <stdint.h>

/* From here on, events that are written are those of a thread. Returns 0; EPERM there is no such
 * thread that we can see; ENOMEM. */
int run_thread_become(uint32_t tid);

#endif
