/* SPDX-License-Identifier: MIT */
/* Memory for the events that are too large for a stack: a signal handler's may be a few KiB, and
 * the kernel's write needs none of it. No system call, no lock: any thread, any signal handler. */
#ifndef PRELOAD_EVENT_MEMORY_H
#define PRELOAD_EVENT_MEMORY_H

#include <stdint.h>

/* Returns memory for TRACEFS_DATA_MAX_BYTES and 64 more bytes, or NULL if all is in use. */
uint8_t *preload_event_memory_take(void);
void preload_event_memory_give(const uint8_t *memory);

/* In a forked child: gives what the parent's other threads had taken. */
void preload_event_memory_check_process(void);

#endif
