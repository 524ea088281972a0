/* SPDX-License-Identifier: MIT */
/* A plugin that has the library inside: loaded, used and unloaded by test_local_process. */
#include <cairn/user_events.h>

__attribute__((visibility("default"))) int engine_plugin_write(void);

int engine_plugin_write(void)
{
    static struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    struct iovec part = {"1234", 4};
    int error = cairn_tracepoint_register(&tp, "plugin u32 a");

    if (!error)
        error = cairn_tracepoint_write(&tp, &part, 1);
    (void)cairn_tracepoint_unregister(&tp);
    return error;
}
