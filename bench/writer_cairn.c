/* SPDX-License-Identifier: MIT */
/* The writer of cairn: an EventHeader event by the macro. */
#include "loops.h"

#include <cairn/eventheader.h>

CAIRN_PROVIDER(bench_provider, "Cairn_Bench");

static inline void emit_event(uint32_t number, const char *text)
{
    CAIRN_WRITE_EVENT(bench_provider, "event", u32("number", number), str8("text", text));
}

static int open_event(void)
{
    return cairn_provider_register(&bench_provider);
}

static bool event_enabled(void)
{
    return CAIRN_PROVIDER_ENABLED(bench_provider, VERBOSE,
                                  0x1); /* the defaults of CAIRN_WRITE_EVENT */
}

static void close_event(void)
{
    cairn_provider_unregister(&bench_provider);
}

int main(int argc, char **argv)
{
    static const struct bench_tracer cairn = {
        .open = open_event,
        .enabled = event_enabled,
        .close = close_event,
        BENCH_LOOPS,
    };

    return bench_main(&cairn, argc, argv);
}
