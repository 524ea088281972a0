/* SPDX-License-Identifier: MIT */
/* A source that only uses the tracepoints that others define. */
#define CAIRN_TRACEPOINTS_DECLARE_ONLY
#include "typed_events.h"

void write_declared(void)
{
    trace_single(4, NULL, SMALL);
}
