/* SPDX-License-Identifier: MIT */
/* The writer of LTTng-UST, a peer. Its library registers the event before main and waits for the
 * daemon. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_event.h"
#include "loops.h"

static inline void emit_event(uint32_t number, const char *text)
{
    lttng_ust_tracepoint(cairn_bench, event, number, text);
}

static bool event_enabled(void)
{
    return lttng_ust_tracepoint_enabled(cairn_bench, event);
}

int main(int argc, char **argv)
{
    static const struct bench_tracer lttng = {
        .enabled = event_enabled,
        BENCH_LOOPS,
    };

    return bench_main(&lttng, argc, argv);
}
