/* SPDX-License-Identifier: MIT */
/* An object with a call site of each kind, which matrix.c loads and unloads. The program contains
 * the library. */
#include <cairn/eventheader.h>
#include <cairn/tracing.h>

CAIRN_PROVIDER(plugin, "Matrix_Plugin");

/* in plugin_typed.c */
void plugin_trace_typed(void);

__attribute__((visibility("default"))) void plugin_trace(void);

void plugin_trace(void)
{
    CAIRN_SCOPE(INFO, "plugged");

    (void)CAIRN_WRITE_EVENT(plugin, "Plugged", level(ERROR), u32("number", 1));
    CAIRN_INFO("plugged");
    plugin_trace_typed();
}

static __attribute__((constructor)) void begin(void)
{
    (void)cairn_provider_register(&plugin);
}

static __attribute__((destructor)) void end(void)
{
    (void)cairn_provider_unregister(&plugin);
}
