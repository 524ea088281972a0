/* SPDX-License-Identifier: MIT */
/* A plugin with a typed tracepoint: loaded and unloaded by test_user_events_trace. */
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

/* Nobody takes the callback away: unloading does. */
int plugin_listen(void (*function)(void *, uint32_t))
{
    return register_trace_plugged(function, NULL);
}
