/* SPDX-License-Identifier: MIT */
/* A plugin with a typed tracepoint: test_user_events_trace loads and unloads it. */
#include <cairn/typed_tracepoint.h>

/* clang-format off */
CAIRN_TRACEPOINT(plugged, TP_SYSTEM(unit), TP_PROTO(uint32_t n), TP_ARGS(n),
    TP_STRUCT__entry(__field(uint32_t, n)), TP_fast_assign(__entry->n = n;),
    TP_printk("n=%u", __entry->n));
/* clang-format on */

__attribute__((visibility("default"))) void plugin_write(uint32_t n);
__attribute__((visibility("default"))) int plugin_listen(void (*function)(void *, uint32_t));

void plugin_write(uint32_t n)
{
    trace_plugged(n);
}

/* No call unregisters the callback: unloading does. */
int plugin_listen(void (*function)(void *, uint32_t))
{
    return register_trace_plugged(function, NULL);
}
