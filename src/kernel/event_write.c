/* SPDX-License-Identifier: MIT */
/*
 * The fast path of writing an event: recorded at the outermost level, if the filter passes it. Only
 * loads and stores are atomic: no other task runs on this CPU until the section ends, and
 * interrupts use their own level.
 */
#include "kernel/event_write.h"

#include "core/atomic.h"

#define RECORD_MISC_KERNEL 1u /* PERF_RECORD_MISC_KERNEL */

static inline void store_pair(uint32_t *to, uint32_t first, uint32_t second)
{
    const uint32_t pair[2] = {first, second};

    __builtin_memcpy(to, pair, sizeof(pair));
}

/*
 * Fills the head of a record. Members that the host wrote separately are read separately: a wider
 * load would stall until their stores reach the cache (store forwarding).
 */
static inline void fill_head(const struct cairn_trace_write *w, struct cairn_record_head *record,
                             uint32_t size_bytes)
{
    const struct cairn_host_context *context = &w->context;
    uint32_t tid = core_load_relaxed(&context->tid);
    uint16_t id = w->event->id;

    record->type = CAIRN_RECORD_SAMPLE;
    record->misc = RECORD_MISC_KERNEL;
    record->size_bytes = (uint16_t)size_bytes;
    record->id = id;
    record->pid = core_load_relaxed(&context->pid);
    record->tid = tid;
    record->time_ns = context->time_ns;
    store_pair(&record->cpu, context->cpu, 0); /* and `reserved` */
    record->raw_size_bytes = size_bytes - RAW_OFFSET;
    record->common_type = id;
    record->common_flags = core_load_relaxed(&context->flags);
    record->common_preempt_count = core_load_relaxed(&context->preempt_count);
    record->common_pid = (int32_t)tid;
}

/* Fills the head and the padding of a record. Returns the raw part. */
static inline void *fill_record(const struct cairn_trace_write *w, struct cairn_record_head *record,
                                uint32_t size_bytes)
{
    __builtin_memset((char *)record + size_bytes - 8, 0, 8);
    fill_head(w, record, size_bytes);
    return (char *)record + RAW_OFFSET;
}

void *cairn_trace_write_reserve(struct cairn_trace_write *w, uint32_t raw_bytes)
{
    uint32_t size_bytes = (RAW_OFFSET + raw_bytes + 7) & ~7u;
    struct cairn_record_head *record;

    if (raw_bytes > CAIRN_RECORD_MAX_BYTES - RAW_OFFSET) {
        cairn_trace_cpu_drop(w->cpu);
        return NULL;
    }
    w->aside = false;
    record = cairn_likely(w->state->direct) ? cairn_trace_cpu_reserve(w->cpu, w->level, size_bytes)
                                            : kernel_trace_reserve_slow(w, size_bytes);
    if (!record)
        return NULL;
    w->record = record;
    w->size_bytes = size_bytes;
    if (w->level == 0 && w->state->direct && w->cpu->last_tid == w->context.tid) {
        w->direct = w->state; /* the size was not known before */
        w->direct_bytes = size_bytes;
    }
    return fill_record(w, record, size_bytes);
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
           cpu->last_tid == w->context.tid &&
           (size_t)(writer->end - writer->next) >= w->direct_bytes;
}

/*
 * Most events call only this function and finish. rdtsc serializes: loads that depend on its result
 * are on the critical path, so the CPU array is loaded before `enter` is called. Rare cases are
 * tail calls of other functions.
 */
void *cairn_trace_write_enter(struct cairn_trace_event *event, struct cairn_trace_write *w,
                              uint32_t record_bytes)
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
    w->direct_bytes = record_bytes;
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
    return fill_record(w, (struct cairn_record_head *)(void *)cpu->levels[0].writer.next,
                       w->direct_bytes);
}

void cairn_trace_write_leave(struct cairn_trace_write *w)
{
    const struct cairn_trace *trace = w->trace;

    /* Work that an interrupt defers from here on waits for the next event. */
    if (cairn_unlikely(w->level || core_load_relaxed(&trace->due))) {
        kernel_trace_leave_slow(w);
        return;
    }
    leave_section(trace, w->cpu, 0);
}

/*
 * finish, if there is a filter, an interrupt came in between, or deferred work is pending, or if
 * enter has not reserved.
 */
static __attribute__((noinline, cold)) void finish_slow(struct cairn_trace_write *w)
{
    if (!w->direct) {
        cairn_trace_write_commit(w);
    } else {
        w->level = 0;
        w->state = w->direct;
        w->record = w->cpu->levels[0].writer.next;
        w->size_bytes = w->direct_bytes;
        if (filter_matches(w))
            cairn_trace_cpu_commit(w->cpu, 0, w->size_bytes);
    }
    cairn_trace_write_leave(w);
}

static __attribute__((noinline, cold)) void switch_keys_and_leave(const struct cairn_trace_write *w)
{
    cairn_trace_cpu_settle(w->cpu);
    if (w->trace->leave)
        w->trace->leave();
}

void cairn_trace_write_finish(struct cairn_trace_write *w)
{
    const struct cairn_trace *trace = w->trace;
    struct cairn_trace_cpu *cpu = w->cpu;

    core_interrupt_barrier(); /* the record is whole */
    if (cairn_unlikely(w->direct != &kernel_state_only_record || core_load_relaxed(&cpu->dirty) ||
                       core_load_relaxed(&trace->due))) {
        finish_slow(w);
        return;
    }
    cairn_i_trace_commit_alone(cpu, w->context.time_ns, w->direct_bytes);
    if (cairn_i_trace_section_end(cpu)) {
        switch_keys_and_leave(w);
        return;
    }
    if (trace->leave)
        trace->leave();
}
