/* SPDX-License-Identifier: MIT */
/* A plugin with a provider of its own: test_eventheader_provider loads, uses and unloads it. */
#include <cairn/eventheader.h>

CAIRN_PROVIDER(plugin_provider, "EhPlugin");

__attribute__((visibility("default"))) int eventheader_plugin_write(void);

int eventheader_plugin_write(void)
{
    int error = cairn_provider_register(&plugin_provider);

    if (!error)
        error = CAIRN_WRITE_EVENT(plugin_provider, "FromPlugin", str8("Text", "plugin"));
    return error ? error : cairn_provider_unregister(&plugin_provider);
}
