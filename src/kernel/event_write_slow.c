/* SPDX-License-Identifier: MIT */
/* The slow path of writing an event: callbacks, nesting, records for the host. */
#include "core/atomic.h"
#include "kernel/event_write.h"
#include "kernel/trace_buffer_reader.h"
#include "kernel/section.h"

#include <cairn/kernel/comm_cache.h>

/*
 * The enum cairn_trace_do bits at a level: 0 if the event is not enabled any more, or the level is
 * too deep.
 */
static uint32_t what_to_do(const struct cairn_trace_write *w, const struct cairn_trace_state *state,
                           uint32_t level)
{
    if (level >= CAIRN_TRACE_LEVELS)
        cairn_trace_cpu_drop(w->cpu);
    if (level >= CAIRN_TRACE_LEVELS || !state)
        return 0;
    if (core_load_relaxed(&w->trace->buffer->on) || state->counts[CAIRN_TRACE_RECORD])
        return state->todo;
    return state->todo & ~(uint32_t)CAIRN_TRACE_DO_RECORD;
}

void *kernel_trace_enter_slow(struct cairn_trace_write *w, const struct cairn_trace_state *state,
                              uint32_t level)
{
    w->direct = NULL;
    w->level = level;
    w->state = state;
    w->todo = what_to_do(w, state, level);
    if (!w->todo)
        cairn_trace_write_leave(w);
    return NULL;
}

struct cairn_trace_callback *const *cairn_trace_write_typed(const struct cairn_trace_write *w,
                                                            uint32_t *ret_count)
{
    *ret_count = w->state->counts[CAIRN_TRACE_TYPED];
    return kernel_state_callbacks(w->state, CAIRN_TRACE_TYPED);
}

bool kernel_trace_filter_of_task_matches(const struct cairn_trace_write *w)
{
    const struct cairn_host *host = w->trace->host;
    char comm[CAIRN_FILTER_COMM_BYTES] = "<...>";
    const struct cairn_filter_task task = {.cpu = w->context.cpu, .comm = comm};

    if (host->comm)
        host->comm(comm);
    return cairn_filter_match(w->state->filter, w->raw, w->raw_bytes, &task);
}

void kernel_state_call_record(const struct cairn_trace_write *w)
{
    struct cairn_trace_callback *const *callbacks =
        kernel_state_callbacks(w->state, CAIRN_TRACE_RECORD);

    for (uint32_t i = 0; i < w->state->counts[CAIRN_TRACE_RECORD]; i++) {
        cairn_trace_record_function *function =
            (cairn_trace_record_function *)CAIRN_TRACE_FUNCTION(callbacks[i]);

        if (function)
            function(callbacks[i]->data, w->event, w->record);
    }
}

/* True if the record goes into the rings. */
static bool is_recorded(const struct cairn_trace_write *w)
{
    return w->state->record && core_load_relaxed(&w->trace->buffer->on);
}

/* Stores the task's name if the CPU's last event was of another task. */
static void push_comm(const struct cairn_trace_write *w)
{
    const struct cairn_trace *trace = w->trace;
    const struct cairn_host *host = trace->host;
    char comm[CAIRN_FILTER_COMM_BYTES];

    w->cpu->last_tid = w->context.tid;
    if (!w->context.tid || !host->comm || !core_load_relaxed(&trace->record_comms))
        return;
    host->comm(comm);
    if (host->comm_push)
        host->comm_push(w->context.tid, comm);
    else if (trace->comms)
        cairn_comm_cache_push(trace->comms, w->context.tid, comm);
}

/* The memory after the pool's chunks, as large as one. */
static uint8_t *aside_of(const struct cairn_trace_cpu *cpu)
{
    return cpu->pool.data + (size_t)cpu->pool.chunk_count * cpu->pool.chunk_bytes;
}

/*
 * Allocates memory for a record outside the rings, above the records of interrupted writers. NULL:
 * too little is left. Not a read-modify-write, as for `nest`: an interrupt in between returns what
 * it took.
 */
static void *take_aside(struct cairn_trace_cpu *cpu, uint32_t size_bytes)
{
    uint32_t used = core_load_relaxed(&cpu->aside_bytes);

    if (used + size_bytes + CAIRN_POOL_SLACK_BYTES > cpu->pool.chunk_bytes)
        return NULL;
    core_store_relaxed(&cpu->aside_bytes, used + size_bytes);
    core_interrupt_barrier();
    return aside_of(cpu) + used;
}

static void give_back(const struct cairn_trace_write *w)
{
    core_interrupt_barrier();
    core_store_relaxed(&w->cpu->aside_bytes,
                       (uint32_t)((const uint8_t *)w->record - aside_of(w->cpu)));
}

/*
 * Callbacks and the host get a whole record (struct cairn_record_head), which is built outside the
 * rings, and copied to them if it is recorded too.
 */
void *kernel_trace_reserve_slow(struct cairn_trace_write *w, uint32_t raw_bytes)
{
    bool is_whole = w->state->counts[CAIRN_TRACE_RECORD] || w->trace->host->push_record;

    if (is_recorded(w) && !is_whole)
        return cairn_trace_cpu_reserve(w->cpu, w->level, raw_bytes);
    w->size_bytes = (RAW_OFFSET + raw_bytes + 7) & ~7u;
    w->record = take_aside(w->cpu, w->size_bytes);
    w->aside = w->record != NULL;
    if (!w->record) {
        cairn_trace_cpu_drop(w->cpu);
        return NULL;
    }
    __builtin_memset((char *)w->record + w->size_bytes - 8, 0, 8);
    return (char *)w->record + RAW_OFFSET;
}

/* Fills in what precedes the common fields. */
static void fill_head(const struct cairn_trace_write *w)
{
    struct cairn_record_head *record = w->record;

    record->type = CAIRN_RECORD_SAMPLE;
    record->misc = KERNEL_TRACE_MISC;
    record->size_bytes = (uint16_t)w->size_bytes;
    record->id = w->event->id;
    record->pid = w->context.pid;
    record->tid = w->context.tid;
    record->time_ns = w->context.time_ns;
    record->cpu = w->context.cpu;
    record->reserved = 0;
    record->raw_size_bytes = w->size_bytes - RAW_OFFSET;
}

static void copy_to_ring(const struct cairn_trace_write *w)
{
    void *raw = cairn_trace_cpu_reserve(w->cpu, w->level, w->raw_bytes);

    if (!raw)
        return; /* it is counted */
    __builtin_memcpy(raw, w->raw, w->raw_bytes);
    kernel_trace_commit(w);
}

static void deliver(const struct cairn_trace_write *w)
{
    const struct cairn_host *host = w->trace->host;

    if (w->aside)
        fill_head(w);
    if (w->state->counts[CAIRN_TRACE_RECORD])
        kernel_state_call_record(w);
    if (!is_recorded(w))
        return;
    if (w->cpu->last_tid != w->context.tid)
        push_comm(w);
    if (host->push_record) {
        if (host->push_record(w->record, w->size_bytes))
            cairn_trace_cpu_drop(w->cpu);
    } else if (w->aside) {
        copy_to_ring(w);
    } else {
        kernel_trace_commit(w);
    }
}

/* A reservation that is not committed is reused. */
void cairn_trace_write_commit(struct cairn_trace_write *w)
{
    if (filter_matches(w))
        deliver(w);
    if (w->aside)
        give_back(w);
}

void cairn_trace_write_raw(struct cairn_trace_write *w, const uint64_t *arguments, uint32_t count)
{
    struct cairn_trace_callback *const *callbacks =
        kernel_state_callbacks(w->state, CAIRN_TRACE_RAW);

    for (uint32_t i = 0; i < w->state->counts[CAIRN_TRACE_RAW]; i++) {
        cairn_trace_raw_function *function =
            (cairn_trace_raw_function *)CAIRN_TRACE_FUNCTION(callbacks[i]);

        if (function)
            function(callbacks[i]->data, w->event, arguments, count);
    }
}

void kernel_trace_leave_slow(const struct cairn_trace_write *w)
{
    leave_section(w->trace, w->cpu, w->level);
    if (w->level == 0 && kernel_context_can_wait(&w->context))
        (void)kernel_trace_switch_deferred(w->trace);
}
