/* SPDX-License-Identifier: MIT */
/* A kernel that includes headers by the names from before they moved to cairn/kernel/. */
#define CAIRN_KERNEL
#include <cairn/comm_cache.h>
#include <cairn/trace.h>
#include <cairn/trace_buffer.h>
#include <cairn/trace_event.h>
#include <cairn/trace_text.h>

CAIRN_TRACEPOINT(old_names, TP_SYSTEM(demo), TP_PROTO(int a), TP_ARGS(a),
                 TP_STRUCT__entry(__field(int, a)), TP_fast_assign(__entry->a = a;),
                 TP_printk("a=%d", __entry->a));

/* One object of each header. */
static struct cairn_comm_cache comms;
static struct cairn_trace_buffer buffer;
static struct cairn_trace_text text;
static struct cairn_trace trace;

int main(void)
{
    trace.comms = &comms;
    text.buffer = &buffer;
    trace_old_names(1); /* not initialized: does nothing */
    return trace_old_names_enabled() || !text.buffer || !trace.comms;
}
