/* SPDX-License-Identifier: MIT */
/* The first of two sources with tracepoints of one header. */
#include "tracepoint_good.h"
#include "tracepoint_linux.h"

/* Defined in one source only. */
CAIRN_TRACEPOINT(good_own, TP_SYSTEM(good), TP_PROTO(const void *where), TP_ARGS(where),
                 TP_STRUCT__entry(__field(const void *, where)),
                 TP_fast_assign(__entry->where = where;), TP_printk("%p", __entry->where));

static void called(void *data, int pid)
{
    *(int *)data += pid;
}

int good_first(void)
{
    static const uint32_t list[] = {1, 2};
    struct good_point point = {'x', 0.5};
    int sum = 0;

    if (register_trace_good_begin(called, &sum) || unregister_trace_good_begin(called, &sum))
        return 0;
    trace_good_types(1, true, "text", list, 2, GOOD_GREEN, point, 0.5F);
    trace_good_nothing();
    trace_good_own(&sum);
    if (trace_good_begin_enabled())
        trace_good_begin(1);
    trace_good_even(1);
    trace_good_even(2);

    trace_linux_level(LINUX_HIGH, "who");
    trace_linux_simple(0);
    trace_linux_condition(0);
    trace_linux_condition(1);
    trace_linux_print(3);
    trace_linux_whole_condition(1);
    trace_linux_whole_condition(2);
    trace_linux_from_macros(1, 2);
    trace_linux_bare(&sum);
    trace_linux_left_out(1);
    trace_linux_left_out_too(1);
    if (trace_linux_left_out_enabled())
        return 0;
    trace_linux_hyphen(1);
    return 13;
}

void good_events(struct cairn_trace_event *const **ret_start,
                 struct cairn_trace_event *const **ret_stop)
{
    *ret_start = __start_cairn_trace_events;
    *ret_stop = __stop_cairn_trace_events;
}
