/* SPDX-License-Identifier: MIT */
/* The second source that includes trace_event_points.h. */
#include "trace_event_points.h"

const struct cairn_trace_event *other_event(void)
{
    return &cairn_event_task_begin;
}

void other_hit(uint32_t pid)
{
    trace_task_begin(pid);
}
