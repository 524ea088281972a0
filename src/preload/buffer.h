/* SPDX-License-Identifier: MIT */
/* Memory for events that are too large for the stack of a signal handler. Under the engine's lock.
 */
#ifndef PRELOAD_BUFFER_H
#define PRELOAD_BUFFER_H

#include "tracefs/data.h"

struct preload_buffer {
    struct preload_buffer *next;
    uint8_t bytes[TRACEFS_DATA_MAX_BYTES];
};

/* One is used again, and never freed. NULL: there is no memory. */
struct preload_buffer *preload_buffer_take(void);
void preload_buffer_give(struct preload_buffer *buffer);

#endif
