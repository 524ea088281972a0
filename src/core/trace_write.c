/* SPDX-License-Identifier: MIT */
/*
 * The way of an event: what the code that CAIRN_TRACEPOINT() makes calls, in this order. Nothing
 * here is atomic but for loads and stores: the CPU is ours until cairn_trace_leave, and what
 * interrupts us has a level of its own.
 */
#include <cairn/comm_cache.h>
#include <cairn/trace_event.h>

#include "core/trace_section.h"
#include "core/trace_state.h"

#define RAW_OFFSET ((uint32_t)offsetof(struct cairn_record_head, common_type))

#define RECORD_MISC_KERNEL 1u /* PERF_RECORD_MISC_KERNEL */

static inline void leave_section(const struct cairn_trace *trace, struct cairn_trace_cpu *cpu,
                                 uint32_t level)
{
    cairn_trace_cpu_leave(cpu, level);
    if (trace->host->leave)
        trace->host->leave();
}

/* Nobody listens after all, or the level is too deep. */
static __attribute__((noinline, cold)) bool give_up(const struct cairn_trace *trace,
                                                    struct cairn_trace_cpu *cpu, uint32_t level)
{
    if (level >= CAIRN_TRACE_LEVELS)
        cairn_trace_cpu_drop(cpu);
    leave_section(trace, cpu, level);
    return false;
}

bool cairn_trace_enter(struct cairn_trace_event *event, struct cairn_trace_write *w)
{
    const struct cairn_trace *trace;
    const struct cairn_trace_state *state;
    struct cairn_trace_cpu *cpu;
    uint32_t level;

    /* Whether there is one; what is in it may be looked at in the section only. */
    if (!__atomic_load_n(&event->state, __ATOMIC_RELAXED))
        return false;
    trace = __atomic_load_n(&event->trace, __ATOMIC_RELAXED);
    if (cairn_unlikely(!trace))
        return false; /* taken out a moment ago */
    trace->host->enter(&w->context);
    cpu = &trace->buffer->cpus[w->context.cpu];
    level = cairn_trace_cpu_enter(cpu);
    /* The nest counter before the state: pairs with the barrier in cairn_i_trace_wait. */
    if (cairn_unlikely(trace->fence))
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
    /* Pairs with the release of try_change: the state's contents come after its address. */
    state = __atomic_load_n(&event->state, __ATOMIC_ACQUIRE);
    if (cairn_unlikely(level >= CAIRN_TRACE_LEVELS || !state || !state->todo))
        return give_up(trace, cpu, level);
    w->event = event;
    w->state = state;
    w->todo = state->todo;
    if (cairn_unlikely(!__atomic_load_n(&trace->buffer->on, __ATOMIC_RELAXED)) &&
        !state->counts[CAIRN_TRACE_RECORD])
        w->todo &= ~(uint32_t)CAIRN_TRACE_DO_RECORD;
    w->level = level;
    w->cpu = cpu;
    return true;
}

struct cairn_trace_callback *const *cairn_trace_typed(const struct cairn_trace_write *w,
                                                      uint32_t *ret_count)
{
    *ret_count = w->state->counts[CAIRN_TRACE_TYPED];
    return cairn_i_state_callbacks(w->state, CAIRN_TRACE_TYPED);
}

/* Whether the record goes into the rings. */
static bool is_recorded(const struct cairn_trace_write *w)
{
    return w->state->record && __atomic_load_n(&w->event->trace->buffer->on, __ATOMIC_RELAXED);
}

/*
 * The head of a record. What the host wrote in small pieces is read in the same pieces: read as one
 * it would have to wait for their stores.
 */
static inline void fill_head(const struct cairn_trace_write *w, struct cairn_record_head *record,
                             uint32_t size_bytes)
{
    const struct cairn_host_context *context = &w->context;
    uint32_t tid = __atomic_load_n(&context->tid, __ATOMIC_RELAXED);
    uint16_t id = w->event->id;

    record->type = CAIRN_RECORD_SAMPLE;
    record->misc = RECORD_MISC_KERNEL;
    record->size_bytes = (uint16_t)size_bytes;
    record->id = id;
    record->pid = __atomic_load_n(&context->pid, __ATOMIC_RELAXED);
    record->tid = tid;
    record->time_ns = context->time_ns;
    record->cpu = context->cpu;
    record->reserved = 0;
    record->raw_size_bytes = size_bytes - RAW_OFFSET;
    record->common_type = id;
    record->common_flags = __atomic_load_n(&context->flags, __ATOMIC_RELAXED);
    record->common_preempt_count = __atomic_load_n(&context->preempt_count, __ATOMIC_RELAXED);
    record->common_pid = (int32_t)tid;
}

/* The reservation's record, NULL when there is none: its head, and the zeros that fill it up. */
static inline void *use_record(struct cairn_trace_write *w, struct cairn_record_head *record,
                               uint32_t size_bytes)
{
    if (cairn_unlikely(!record))
        return NULL;
    __builtin_memset((char *)record + size_bytes - 8, 0, 8);
    fill_head(w, record, size_bytes);
    w->record = record;
    w->size_bytes = size_bytes;
    return (char *)record + RAW_OFFSET;
}

/* What is rare: the writer needs a new chunk, or the record is larger than any. */
static __attribute__((noinline)) void *reserve_slow(struct cairn_trace_write *w, uint32_t raw_bytes)
{
    uint32_t size_bytes = (RAW_OFFSET + raw_bytes + 7) & ~7u;

    if (raw_bytes > CAIRN_RECORD_MAX_BYTES - RAW_OFFSET) {
        cairn_trace_cpu_drop(w->cpu);
        return NULL;
    }
    return use_record(w, cairn_trace_buffer_reserve(w->cpu, w->level, size_bytes), size_bytes);
}

/*
 * This one and the next two leave what is rare to a last call of another function, and so need no
 * stack for themselves.
 */
void *cairn_trace_reserve(struct cairn_trace_write *w, uint32_t raw_bytes)
{
    uint32_t size_bytes = (RAW_OFFSET + raw_bytes + 7) & ~7u;
    const struct cairn_writer *writer = &w->cpu->levels[w->level].writer;

    if (cairn_unlikely(raw_bytes > CAIRN_RECORD_MAX_BYTES - RAW_OFFSET ||
                       (size_t)(writer->end - writer->next) < size_bytes))
        return reserve_slow(w, raw_bytes);
    return use_record(w, (struct cairn_record_head *)(void *)writer->next, size_bytes);
}

static bool filter_matches(const struct cairn_trace_write *w)
{
    const struct cairn_filter *filter = w->state->filter;
    const struct cairn_host *host = w->event->trace->host;
    const char *raw = (const char *)w->record + RAW_OFFSET;
    char comm[CAIRN_FILTER_COMM_BYTES] = "<...>";
    const struct cairn_filter_task task = {.cpu = w->context.cpu, .comm = comm};

    if (!cairn_filter_needs_task(filter))
        return cairn_filter_match(filter, raw, w->size_bytes - RAW_OFFSET, NULL);
    if (host->comm)
        host->comm(comm);
    return cairn_filter_match(filter, raw, w->size_bytes - RAW_OFFSET, &task);
}

void cairn_i_state_call_record(const struct cairn_trace_write *w)
{
    struct cairn_trace_callback *const *callbacks =
        cairn_i_state_callbacks(w->state, CAIRN_TRACE_RECORD);

    for (uint32_t i = 0; i < w->state->counts[CAIRN_TRACE_RECORD]; i++) {
        cairn_trace_record_function *function =
            (cairn_trace_record_function *)CAIRN_TRACE_FUNCTION(callbacks[i]);

        if (function)
            function(callbacks[i]->data, w->event, w->record);
    }
}

/* The task's name, when the CPU was another task's at the last event. */
static void push_comm(const struct cairn_trace_write *w)
{
    const struct cairn_trace *trace = w->event->trace;
    const struct cairn_host *host = trace->host;
    char comm[CAIRN_FILTER_COMM_BYTES];

    w->cpu->last_tid = w->context.tid;
    if (!w->context.tid || !host->comm || !__atomic_load_n(&trace->record_comms, __ATOMIC_RELAXED))
        return;
    host->comm(comm);
    if (host->comm_push)
        host->comm_push(w->context.tid, comm);
    else if (trace->comms)
        cairn_comm_cache_push(trace->comms, w->context.tid, comm);
}

/* What not each event has: a filter, callbacks, a new task, a host that takes the record. */
static __attribute__((noinline)) void commit_slow(struct cairn_trace_write *w)
{
    const struct cairn_host *host = w->event->trace->host;

    if (w->state->filter && !filter_matches(w))
        return; /* what is not committed is reserved again */
    if (w->state->counts[CAIRN_TRACE_RECORD])
        cairn_i_state_call_record(w);
    if (!is_recorded(w))
        return;
    if (w->cpu->last_tid != w->context.tid)
        push_comm(w);
    if (!host->push_record)
        cairn_trace_buffer_commit(w->cpu, w->level, w->size_bytes);
    else if (host->push_record(w->record, w->size_bytes))
        cairn_trace_cpu_drop(w->cpu);
}

void cairn_trace_commit(struct cairn_trace_write *w)
{
    if (cairn_unlikely(!w->state->plain || w->cpu->last_tid != w->context.tid)) {
        commit_slow(w);
        return;
    }
    cairn_trace_buffer_commit(w->cpu, w->level, w->size_bytes);
}

void cairn_trace_raw(struct cairn_trace_write *w, const uint64_t *arguments, uint32_t count)
{
    struct cairn_trace_callback *const *callbacks =
        cairn_i_state_callbacks(w->state, CAIRN_TRACE_RAW);

    for (uint32_t i = 0; i < w->state->counts[CAIRN_TRACE_RAW]; i++) {
        cairn_trace_raw_function *function =
            (cairn_trace_raw_function *)CAIRN_TRACE_FUNCTION(callbacks[i]);

        if (function)
            function(callbacks[i]->data, w->event, arguments, count);
    }
}

/* In a task that other CPUs need not wait for: where static keys may be patched. */
static bool may_settle(const struct cairn_trace_write *w)
{
    const uint8_t busy = CAIRN_TRACE_FLAG_IRQS_OFF | CAIRN_TRACE_FLAG_HARDIRQ |
                         CAIRN_TRACE_FLAG_SOFTIRQ | CAIRN_TRACE_FLAG_NMI;

    return w->level == 0 && !(w->context.flags & busy) && !w->context.preempt_count;
}

static __attribute__((noinline)) void leave_slow(struct cairn_trace_write *w)
{
    struct cairn_trace *trace = w->event->trace;

    leave_section(trace, w->cpu, w->level);
    if (may_settle(w))
        cairn_i_trace_settle_due(trace);
}

void cairn_trace_leave(struct cairn_trace_write *w)
{
    const struct cairn_trace *trace = w->event->trace;

    /* What is put off from here on, by an interrupt, waits for the next event. */
    if (cairn_unlikely(w->level || __atomic_load_n(&trace->due, __ATOMIC_RELAXED))) {
        leave_slow(w);
        return;
    }
    leave_section(trace, w->cpu, 0);
}
