/* SPDX-License-Identifier: MIT */
/* On Windows: ETW has no such numbers. */
#include "tracing/recorders.h"

void tracing_recorders_begin(struct tracing_recorders *known)
{
    (void)known;
}

bool tracing_recorders_have_changed(const struct tracing_recorders *known)
{
    (void)known;
    return false;
}

uint64_t tracing_recorders_new(struct tracing_recorders *known)
{
    (void)known;
    return 0;
}

bool tracing_recorders_want(const struct cairn_tracepoint *tp, uint64_t slots)
{
    (void)tp;
    return slots && false;
}
