/* SPDX-License-Identifier: MIT */
/*
 * The fast path of writing an event: recorded at the outermost level, if the filter passes it. Only
 * loads and stores are atomic: no other task runs on this CPU until the section ends, and
 * interrupts use their own level.
 */
#include "kernel/event_write.h"

#include "core/atomic.h"

/*
 * Fills the common fields. Members that the host wrote separately are read separately: a wider load
 * would stall until their stores reach the cache (store forwarding).
 */
static inline void *fill_common(const struct cairn_trace_write *w, void *raw)
{
    const struct cairn_host_context *context = &w->context;
    struct cairn_trace_common *common = raw;

    common->type = w->event->id;
    common->flags = core_load_relaxed(&context->flags);
    common->preempt_count = core_load_relaxed(&context->preempt_count);
    common->pid = (int32_t)core_load_relaxed(&context->tid);
    return raw;
}

void *cairn_trace_write_reserve(struct cairn_trace_write *w, uint32_t raw_bytes)
{
    void *raw;

    if (raw_bytes > CAIRN_RECORD_MAX_BYTES - RAW_OFFSET) {
        cairn_trace_cpu_drop(w->cpu);
        return NULL;
    }
    w->aside = false;
    w->raw_bytes = raw_bytes;
    raw = cairn_likely(w->state->direct) ? cairn_trace_cpu_reserve(w->cpu, w->level, raw_bytes)
                                         : kernel_trace_reserve_slow(w, raw_bytes);
    if (!raw)
        return NULL;
    w->raw = raw;
    if (w->level == 0 && w->state->direct && w->cpu->last_tid == w->context.tid) {
        w->direct = w->state; /* the size was not known before */
        w->direct_bytes = raw_bytes;
    }
    return fill_common(w, raw);
}

/*
 * True if the event only has to be recorded, and can be directly: at the outermost level, by the
 * task of the last event, into the current chunk. /
 */
static inline bool is_direct(const struct cairn_trace_write *w,
                             const struct cairn_trace_state *state, uint32_t level)
{
    const struct cairn_trace_cpu *cpu = w->cpu;
    const struct cairn_writer *writer = &cpu->levels[0].writer;

    return level == 0 && state && state->direct && core_load_relaxed(&w->trace->buffer->on) &&
           cpu->last_tid == w->context.tid && cairn_i_trace_fits(writer, w->direct_bytes);
}

/*
 * Most events call only this function and finish. rdtsc serializes: loads that depend on its result
 * are on the critical path, so the CPU array is loaded before `enter` is called. Rare cases are
 * tail calls of other functions.
 */
void *cairn_trace_write_enter(struct cairn_trace_event *event, struct cairn_trace_write *w,
                              uint32_t raw_bytes)
{
    struct cairn_trace *trace = core_load_relaxed(&event->trace);
    const struct cairn_trace_state *state;
    struct cairn_trace_cpu *cpu;
    uint32_t level;

    if (cairn_unlikely(!trace)) {
        w->todo = 0; /* removed a moment ago */
        return NULL;
    }
    w->event = event;
    w->trace = trace;
    w->cpu = trace->cpus;
    w->direct_bytes = raw_bytes;
    trace->enter(&w->context);
    trace = w->trace;
    w->cpu = cpu = w->cpu + w->context.cpu;
    level = cairn_trace_cpu_enter(cpu);
    /* The nest counter before the state: pairs with the barrier in kernel_trace_wait. */
    if (cairn_unlikely(trace->fence))
        core_fence_seq_cst();
    /* Pairs with the release of try_change: the state's contents come after its address. */
    state = core_load_acquire(&w->event->state);
    if (cairn_unlikely(!is_direct(w, state, level)))
        return kernel_trace_enter_slow(w, state, level);
    w->direct = state;
    return fill_common(w, cpu->levels[0].writer.next + CAIRN_TRACE_RECORD_HEAD_BYTES);
}

void cairn_trace_write_leave(struct cairn_trace_write *w)
{
    const struct cairn_trace *trace = w->trace;

    /* Work that an interrupt defers from here on waits for the next event. */
    if (cairn_unlikely(w->level || core_load_relaxed(&trace->deferred))) {
        kernel_trace_leave_slow(w);
        return;
    }
    leave_section(trace, w->cpu, 0);
}

/*
 * finish, if there is a filter, an interrupt came in between, deferred work is pending, the record
 * needs control records, or enter has not reserved.
 */
static __attribute__((noinline, cold)) void finish_slow(struct cairn_trace_write *w)
{
    if (!w->direct) {
        cairn_trace_write_commit(w);
    } else {
        w->level = 0;
        w->state = w->direct;
        w->raw = w->cpu->levels[0].writer.next + CAIRN_TRACE_RECORD_HEAD_BYTES;
        w->raw_bytes = w->direct_bytes;
        if (filter_matches(w))
            kernel_trace_commit(w);
    }
    cairn_trace_write_leave(w);
}

static __attribute__((noinline, cold)) void switch_keys_and_leave(const struct cairn_trace_write *w)
{
    cairn_trace_cpu_settle(w->cpu);
    if (w->trace->leave)
        w->trace->leave();
}

/* True if the event is recorded and nothing else, and its record is like the one before. */
static inline bool is_plain(const struct cairn_trace_write *w, const struct cairn_trace *trace,
                            const struct cairn_trace_cpu *cpu)
{
    return w->direct == &kernel_state_only_record && !core_load_relaxed(&cpu->dirty) &&
           !core_load_relaxed(&trace->deferred) && w->context.time_ns >= cpu->published_ns &&
           cairn_i_trace_follows(&cpu->levels[0], w->context.time_ns, w->context.pid);
}

void cairn_trace_write_finish(struct cairn_trace_write *w)
{
    const struct cairn_trace *trace = w->trace;
    struct cairn_trace_cpu *cpu = w->cpu;

    core_interrupt_barrier(); /* the record is whole */
    if (cairn_unlikely(!is_plain(w, trace, cpu))) {
        finish_slow(w);
        return;
    }
    cpu->published_ns = w->context.time_ns;
    cairn_i_trace_commit(&cpu->levels[0], kernel_trace_stamp_of(w), w->direct_bytes);
    if (cairn_i_trace_section_end(cpu)) {
        switch_keys_and_leave(w);
        return;
    }
    if (trace->leave)
        trace->leave();
}
