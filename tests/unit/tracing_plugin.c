/* SPDX-License-Identifier: MIT */
/* A library with call sites of its own: test_tracing_unload loads, traces and unloads it. Two
 * libraries are built from this file; they differ in names only. The program contains cairn. */
#include <cairn/tracing.h>

__attribute__((visibility("default"))) void tracing_plugin_trace(int turn);
__attribute__((visibility("default"))) struct cairn_span *tracing_plugin_begin(void);

static void inner(int turn)
{
    CAIRN_FUNCTION(DEBUG, kv("turn", turn), target(PLUGIN_NAME));
    CAIRN_INFO((target(PLUGIN_NAME), name(PLUGIN_NAME "_event"), kv(PLUGIN_NAME "_turn", turn)),
               "turn %d", turn);
}

void tracing_plugin_trace(int turn)
{
    CAIRN_SCOPE(INFO, PLUGIN_NAME, target(PLUGIN_NAME), kv("text", cairn_empty()));

    CAIRN_RECORD(cairn_span_current(), "text", "a text of the library's");
    inner(turn);
}

/* The span is the caller's. */
struct cairn_span *tracing_plugin_begin(void)
{
    return CAIRN_SPAN(INFO, PLUGIN_NAME, target(PLUGIN_NAME), kv("text", "a text of the span's"));
}
