/* SPDX-License-Identifier: MIT */
/* Actions with typed tracepoints. */
#include "actions.h"

#include <cairn/kernel/control.h>
#include <cairn/typed_tracepoint.h>
#include <string.h>

/* clang-format off */
CAIRN_TRACEPOINT(typed, TP_SYSTEM(matrix),
    TP_PROTO(uint32_t number, const char *text),
    TP_ARGS(number, text),
    TP_STRUCT__entry(__field(uint32_t, number) __string(text, text)),
    TP_fast_assign(__entry->number = number; __assign_str(text);),
    TP_printk("number=%u text=%s", __entry->number, __get_str(text)));
/* clang-format on */

static void on_typed(void *data, uint32_t number, const char *text)
{
    (void)data, (void)number, (void)text;
}

static void on_record(void *data, const struct cairn_trace_event *event,
                      const struct cairn_record_head *record)
{
    (void)data, (void)event, (void)record;
}

static void on_raw(void *data, const struct cairn_trace_event *event, const uint64_t *arguments,
                   uint32_t count)
{
    (void)data, (void)event, (void)arguments, (void)count;
}

void call_back(void)
{
    struct cairn_trace_event *event = &cairn_event_typed;
    char own; /* a different address in each thread */

    TRY(register_trace_typed(on_typed, &own));
    TRY(cairn_trace_event_callback_add(event, CAIRN_TRACE_RECORD, (void (*)(void))on_record, &own,
                                       1));
    TRY(cairn_trace_event_callback_add(event, CAIRN_TRACE_RAW, (void (*)(void))on_raw, &own, 1));
    TRY(cairn_trace_event_filter_set(event, "number > 1", strlen("number > 1"), NULL));
    trace_typed(7, "text");
    TRY(cairn_trace_event_filter_set(event, "0", 1, NULL));
    trace_typed(8, "text");
    TRY(cairn_trace_event_callback_remove(event, CAIRN_TRACE_RAW, (void (*)(void))on_raw, &own));
    TRY(cairn_trace_event_callback_remove(event, CAIRN_TRACE_RECORD, (void (*)(void))on_record,
                                          &own));
    TRY(unregister_trace_typed(on_typed, &own));
    if (event->trace)
        TRY(cairn_trace_synchronize(event->trace));
}

void register_typed(void)
{
    TRY(cairn_trace_events_lost() != 0);
    TRY(cairn_trace_events_unregister(__start_cairn_trace_events, __stop_cairn_trace_events));
    TRY(cairn_trace_events_register(__start_cairn_trace_events, __stop_cairn_trace_events));
    trace_typed(9, "text");
}
