/* SPDX-License-Identifier: MIT */
/* The scheduler's events, as Perfetto has them: events of ftrace, in a bundle for their CPU. */
#include "exchange/perfetto.h"

#include "core/slice.h"
#include "timeline/sched_event.h"

#include <string.h>

static ProtobufCBinaryData comm_of(struct exchange_pf *pf,
                                   const struct timeline_sched_thread *thread)
{
    return exchange_pf_text(pf, (struct cairn_slice){thread->comm, (uint32_t)strlen(thread->comm)});
}

static void write_event(struct exchange_pf *pf, const struct cairn_event *event,
                        ExchangePf__FtraceEvent *ftrace)
{
    ExchangePf__FtraceBundle bundle = EXCHANGE_PF__FTRACE_BUNDLE__INIT;
    ExchangePf__Packet packet = EXCHANGE_PF__PACKET__INIT;

    ftrace->has_timestamp = true;
    ftrace->timestamp = pf->now_ns;
    ftrace->has_pid = (event->has & CAIRN_EVENT_TID) && event->tid != UINT32_MAX;
    ftrace->pid = event->tid;
    bundle.has_cpu = true;
    bundle.cpu = event->cpu;
    bundle.n_event = 1;
    bundle.event = &ftrace;
    packet.data_case = EXCHANGE_PF__PACKET__DATA_FTRACE_EVENTS;
    packet.ftrace_events = &bundle;
    exchange_pf_write(pf, &packet);
}

static void write_switch(struct exchange_pf *pf, const struct cairn_event *event,
                         const struct timeline_sched_event *sched)
{
    ExchangePf__SchedSwitch body = EXCHANGE_PF__SCHED_SWITCH__INIT;
    ExchangePf__FtraceEvent ftrace = EXCHANGE_PF__FTRACE_EVENT__INIT;

    body.has_prev_comm = body.has_prev_pid = body.has_prev_prio = body.has_prev_state = true;
    body.prev_comm = comm_of(pf, &sched->prev);
    body.prev_pid = (int32_t)sched->prev.tid;
    body.prev_prio = sched->prev.priority;
    body.prev_state = (int64_t)sched->prev_state;
    body.has_next_comm = body.has_next_pid = body.has_next_prio = true;
    body.next_comm = comm_of(pf, &sched->next);
    body.next_pid = (int32_t)sched->next.tid;
    body.next_prio = sched->next.priority;
    ftrace.event_case = EXCHANGE_PF__FTRACE_EVENT__EVENT_SCHED_SWITCH;
    ftrace.sched_switch = &body;
    write_event(pf, event, &ftrace);
}

static void write_wake(struct exchange_pf *pf, const struct cairn_event *event,
                       const struct timeline_sched_event *sched)
{
    ExchangePf__SchedWake body = EXCHANGE_PF__SCHED_WAKE__INIT;
    ExchangePf__FtraceEvent ftrace = EXCHANGE_PF__FTRACE_EVENT__INIT;

    body.has_comm = body.has_pid = body.has_prio = body.has_success = true;
    body.comm = comm_of(pf, &sched->next);
    body.pid = (int32_t)sched->next.tid;
    body.prio = sched->next.priority;
    body.success = 1;
    body.has_target_cpu = sched->target_cpu != UINT32_MAX;
    body.target_cpu = (int32_t)sched->target_cpu;
    ftrace.event_case = EXCHANGE_PF__FTRACE_EVENT__EVENT_SCHED_WAKEUP;
    if (core_slice_is(event->type->name, "sched_waking"))
        ftrace.event_case = EXCHANGE_PF__FTRACE_EVENT__EVENT_SCHED_WAKING;
    else if (core_slice_is(event->type->name, "sched_wakeup_new"))
        ftrace.event_case = EXCHANGE_PF__FTRACE_EVENT__EVENT_SCHED_WAKEUP_NEW;
    ftrace.sched_wakeup = &body;
    write_event(pf, event, &ftrace);
}

bool exchange_pf_write_sched(struct exchange_pf *pf, const struct cairn_event *event)
{
    struct timeline_sched_event sched;
    enum timeline_sched_kind kind =
        event->has & CAIRN_EVENT_CPU
            ? timeline_sched_read(&pf->sched, &pf->exporter->items, event, &sched)
            : TIMELINE_SCHED_NONE;

    if (kind == TIMELINE_SCHED_NONE)
        return false;
    if (kind == TIMELINE_SCHED_SWITCH)
        write_switch(pf, event, &sched);
    else
        write_wake(pf, event, &sched);
    return true;
}
