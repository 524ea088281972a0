/* SPDX-License-Identifier: MIT */
/* A library with places of its own: loaded, traced and unloaded by test_tracing_unload. Two are
 * made of this file, as alike as can be but for the names. The program has the library. */
#include <cairn/tracing.h>

__attribute__((visibility("default"))) void tracing_plugin_trace(int turn);

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
