/* SPDX-License-Identifier: MIT */
/*
 * Shared by the fast and the slow path of writing an event. The code that CAIRN_TRACEPOINT()
 * generates calls enter and finish (event_write.c); if enter reports that there is more to do than
 * to record, it calls typed, reserve, commit, raw and leave, in this order.
 */
#ifndef KERNEL_EVENT_WRITE_H
#define KERNEL_EVENT_WRITE_H

#include <cairn/record.h>
#include <cairn/kernel/control.h>
#include <cairn/kernel/trace_buffer.h>
#include <cairn/typed_tracepoint.h>

#include "core/atomic.h"
#include "core/filter.h"
#include "kernel/event_state.h"

#define RAW_OFFSET ((uint32_t)offsetof(struct cairn_record_head, common_type))

/* The slow path of enter: nothing is reserved. Returns NULL. */
void *kernel_trace_enter_slow(struct cairn_trace_write *write,
                              const struct cairn_trace_state *state, uint32_t level);

/* reserve, if there is more to do than to record the event. */
void *kernel_trace_reserve_slow(struct cairn_trace_write *write, uint32_t raw_bytes);

/* leave, if the section may continue, or static keys were deferred. */
void kernel_trace_leave_slow(const struct cairn_trace_write *write);

/* True if a filter that needs the CPU or the task passes the record. */
bool kernel_trace_filter_of_task_matches(const struct cairn_trace_write *write);

/* True if the state's filter passes the record, or there is none. */
static inline bool filter_matches(const struct cairn_trace_write *w)
{
    const struct cairn_filter *filter = w->state->filter;

    if (!filter)
        return true;
    if (cairn_unlikely(filter->needs_task))
        return kernel_trace_filter_of_task_matches(w);
    return cairn_filter_match(filter, w->raw, w->raw_bytes, NULL);
}

static inline struct cairn_trace_stamp kernel_trace_stamp_of(const struct cairn_trace_write *w)
{
    return (struct cairn_trace_stamp){
        .time_ns = w->context.time_ns,
        .pid = core_load_relaxed(&w->context.pid),
        .id = w->event->id,
    };
}

/* Commits the record in the ring. */
static inline void kernel_trace_commit(const struct cairn_trace_write *w)
{
    struct cairn_trace_stamp stamp = kernel_trace_stamp_of(w);

    cairn_trace_cpu_commit(w->cpu, w->level, &stamp, w->raw_bytes);
}

static inline void leave_section(const struct cairn_trace *trace, struct cairn_trace_cpu *cpu,
                                 uint32_t level)
{
    cairn_trace_cpu_leave(cpu, level);
    if (trace->leave)
        trace->leave();
}

#endif
