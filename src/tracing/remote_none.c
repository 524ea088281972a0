/* SPDX-License-Identifier: MIT */
/* In the place of remote.c on Windows, where there is no tracing directory: nobody asks. */
#include "tracing/remote.h"

#include <stddef.h>

struct cairn_tracepoint tracing_remote_gate = CAIRN_TRACEPOINT_INIT;

void tracing_remote_open(void)
{
}

const struct cairn_tracepoint *tracing_remote_unwanted(void)
{
    return NULL;
}

void tracing_remote_show(void)
{
}

void tracing_remote_take(void)
{
}

void tracing_remote_take_in_event(const struct tracing_thread *thread)
{
    (void)thread;
}
