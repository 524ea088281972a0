/* SPDX-License-Identifier: MIT */
/* The writer of LTTng-UST, a peer. Its library registers the events before main and waits for the
 * daemon. With BENCH_MIXED, the event of writer_mixed.c. */
#define LTTNG_UST_TRACEPOINT_CREATE_PROBES
#define LTTNG_UST_TRACEPOINT_DEFINE
#include "lttng_event.h"
#include "loops.h"

#ifdef BENCH_MIXED

static const uint8_t request[] = {0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15};
static const uint32_t timings_us[] = {120, 4500, 33};

static inline void emit_event(uint32_t number, const char *text)
{
    lttng_ust_tracepoint(cairn_bench, mixed, number, text, "/var/lib/server/pages/index.html",
                         request, 0.75, -1, true, timings_us);
}

static bool event_enabled(void)
{
    return lttng_ust_tracepoint_enabled(cairn_bench, mixed);
}

#else

static inline void emit_event(uint32_t number, const char *text)
{
    lttng_ust_tracepoint(cairn_bench, event, number, text);
}

static bool event_enabled(void)
{
    return lttng_ust_tracepoint_enabled(cairn_bench, event);
}

#endif

int main(int argc, char **argv)
{
    static const struct bench_tracer lttng = {
        .enabled = event_enabled,
        BENCH_LOOPS,
    };

    return bench_main(&lttng, argc, argv);
}
