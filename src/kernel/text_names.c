/* SPDX-License-Identifier: MIT */
/* Looks up names of a trace's events and tasks, for its text. */
#include "core/errno.h"
#include "core/slice.h"

#include <cairn/kernel/comm_cache.h>
#include <cairn/typed_tracepoint.h>

static int find_event(void *data, uint16_t id, struct cairn_trace_format *ret_format)
{
    const struct cairn_trace_event *event = cairn_trace_find_id(data, id);

    if (!event)
        return ENOENT;
    *ret_format = (struct cairn_trace_format){
        .name = core_slice_of(event->name),
        .schema = &event->event_class->schema,
        .print = event->event_class->print,
        .since_ns = event->since_ns,
    };
    return 0;
}

static int find_comm(void *data, uint32_t tid, char ret_comm[CAIRN_COMM_BYTES])
{
    const struct cairn_trace *trace = data;

    if (trace->host->comm_find)
        return trace->host->comm_find(tid, ret_comm);
    return trace->comms ? cairn_comm_cache_find(trace->comms, tid, ret_comm) : ENOENT;
}

void cairn_trace_names_fill(struct cairn_trace *trace, struct cairn_trace_names *ret_names)
{
    *ret_names = (struct cairn_trace_names){.event = find_event, .comm = find_comm, .data = trace};
}
