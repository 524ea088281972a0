/* SPDX-License-Identifier: MIT */
/* The threads of programs that write events: each has a context of the engine's. For the one thread
 * that writes for them. */
#ifndef RUN_THREADS_H
#define RUN_THREADS_H

#include <stdint.h>

/* Sets the thread of the events that are written from here on. Returns 0; EPERM this process sees
 * no such thread; ENOMEM. */
int run_thread_become(uint32_t tid);

#endif
