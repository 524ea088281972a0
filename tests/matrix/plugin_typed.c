/* SPDX-License-Identifier: MIT */
/* The typed tracepoint of the object. */
#include <cairn/typed_tracepoint.h>

void plugin_trace_typed(void);

/* clang-format off */
CAIRN_TRACEPOINT(plugged, TP_SYSTEM(matrix),
    TP_PROTO(uint32_t number),
    TP_ARGS(number),
    TP_STRUCT__entry(__field(uint32_t, number)),
    TP_fast_assign(__entry->number = number;),
    TP_printk("number=%u", __entry->number));
/* clang-format on */

void plugin_trace_typed(void)
{
    trace_plugged(1);
}
