/* SPDX-License-Identifier: MIT */
/* Memory for large events: as many as threads have written at the same time. */
#include "preload/buffer.h"
#include "tracefs/program.h"

static struct preload_buffer *unused;

struct preload_buffer *preload_buffer_take(void)
{
    struct preload_buffer *buffer = unused;

    if (!buffer)
        return tracefs_memory_take(sizeof(*buffer));
    unused = buffer->next;
    return buffer;
}

void preload_buffer_give(struct preload_buffer *buffer)
{
    buffer->next = unused;
    unused = buffer;
}
