/* SPDX-License-Identifier: MIT */
/* The writer of lttng_ust_tracef, LTTng-UST's printf, a peer: the fields of writer_tracing.c. */
#include "loops.h"

#include <lttng/tracef.h>

static inline void emit_event(uint32_t number, const char *text)
{
    lttng_ust_tracef("number=%u text=%s half=%u", number, text, number / 2);
}

static bool event_enabled(void)
{
    return lttng_ust_tracepoint_enabled(lttng_ust_tracef, event);
}

int main(int argc, char **argv)
{
    static const struct bench_tracer tracef = {
        .enabled = event_enabled,
        BENCH_LOOPS,
    };

    return bench_main(&tracef, argc, argv);
}
