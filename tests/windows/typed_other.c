/* SPDX-License-Identifier: MIT */
/* Another source with the same tracepoints. */
#include "typed_events.h"

void write_elsewhere(void)
{
    trace_single(2, NULL, SMALL);
}
