/* SPDX-License-Identifier: MIT */
/* The second of two sources with tracepoints of one header. Declarations are enough if another
 * source has the definitions. */
#ifdef DECLARE_ONLY
#define CAIRN_TRACEPOINTS_DECLARE_ONLY
#endif
#include "tracepoint_good.h"

#define CREATE_TRACE_POINTS
#include "tracepoint_linux.h"

const unsigned long linux_cpus[] = {5, 1};

int good_second(void)
{
    trace_good_begin(1);
    trace_good_text(2);
    trace_good_many(1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16);
    return 3;
}
