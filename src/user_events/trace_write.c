/* SPDX-License-Identifier: MIT */
/* Writes a typed event of a program: to its callbacks, and to the backends that are enabled.
 * Without callbacks no read-side section is needed: the event is assembled on the stack and
 * written. */
#include "core/atomic.h"
#include "kernel/event_state.h"
#include "engine/clock.h"
#include "user_events/emit.h"
#include "user_events/grace_period.h"
#include "user_events/kernel_limit.h"
#include "user_events/trace_host.h"

#include <errno.h>
#include <sys/prctl.h>
#include <unistd.h>

#define RAW_OFFSET ((uint32_t)offsetof(struct cairn_record_head, common_type))

bool cairn_i_trace_user_enter(struct cairn_trace_event *event, struct cairn_trace_write *w)
{
    const struct cairn_trace_state *state = NULL;

    w->todo = user_events_is_wanted(&event->tracepoint) ? CAIRN_TRACE_DO_RECORD : 0;
    if (cairn_unlikely(core_load_relaxed(&event->state) != NULL)) {
        user_events_read_section_enter();
        /* Pairs with the release of the thread that replaced it. */
        state = core_load_acquire(&event->state);
        if (state)
            w->todo |= state->todo;
        else
            user_events_read_section_leave();
    }
    w->event = event;
    w->state = state;
    /* Leave at once if there is nothing to do. */
    if (!w->todo && state)
        user_events_read_section_leave();
    return w->todo != 0;
}

struct cairn_trace_callback *const *cairn_i_trace_user_typed(const struct cairn_trace_write *w,
                                                             uint32_t *ret_count)
{
    *ret_count = w->state->counts[CAIRN_TRACE_TYPED];
    return kernel_state_callbacks(w->state, CAIRN_TRACE_TYPED);
}

static uint64_t lost_of_kernel;

uint64_t cairn_trace_events_lost(void)
{
    return core_load_relaxed(&lost_of_kernel);
}

/* Counts an event that is too large for the kernel, whose recorders do not learn of it. */
static void count_lost_of_kernel(const struct cairn_trace_event *event)
{
    if (engine_status_of(&event->tracepoint).kernel)
        core_fetch_add_relaxed(&lost_of_kernel, 1);
}

/* Counts an event that cannot be written, also in the sessions that would have got it. */
static void count_lost(const struct cairn_trace_event *event)
{
    const struct engine_event_entry *entry = core_load_acquire(&event->tracepoint.local);

    if (entry)
        engine_count_lost_event(entry, CAIRN_LOSS_TOO_LARGE);
    count_lost_of_kernel(event);
}

void *cairn_i_trace_user_reserve(struct cairn_trace_write *w, uint32_t raw_bytes, void *memory)
{
    if (!memory) {
        count_lost(w->event);
        return NULL;
    }
    w->record = memory;
    w->size_bytes = (RAW_OFFSET + raw_bytes + 7) & ~7u;
    w->raw_bytes = raw_bytes;
    return (char *)memory + RAW_OFFSET;
}

struct trace_write_payload {
    const void *bytes;
    uint32_t size;
};

static inline uint8_t *fill(uint8_t *to, uint8_t *limit, const void *arg)
{
    const struct trace_write_payload *payload = arg;

    (void)limit;
    __builtin_memcpy(to, payload->bytes, payload->size);
    return to + payload->size;
}

/* A backend that refuses the event as too large has not counted it. The error may be that of the
 * local engine, which counts others itself. */
static void count_refused(const struct cairn_trace_event *event, uint32_t payload_bytes)
{
    if (payload_bytes > CAIRN_PAYLOAD_MAX_BYTES)
        count_lost(event);
    else if (payload_bytes > user_events_kernel_payload_max_bytes())
        count_lost_of_kernel(event);
}

static void write_event(const struct cairn_trace_write *w)
{
    const struct trace_write_payload payload = {
        .bytes = (const char *)w->record + sizeof(struct cairn_record_head),
        .size = w->raw_bytes - CAIRN_COMMON_BYTES,
    };
    int error = EAGAIN;

    if (payload.size <= CAIRN_PAYLOAD_MAX_BYTES)
        error = user_events_emit_hot(&w->event->tracepoint, payload.size, fill, &payload);
    if (error == EAGAIN)
        error = user_events_emit(&w->event->tracepoint, payload.size, fill, &payload);
    if (cairn_unlikely(error))
        count_refused(w->event, payload.size);
}

/* ---- callbacks that get the record ---- */

static void fill_head(const struct cairn_trace_write *w)
{
    uint16_t id = (uint16_t)core_load_relaxed(&w->event->tracepoint.sample_id);
    uint32_t tid = (uint32_t)gettid();

    /* The padding to a multiple of 8. */
    __builtin_memset((char *)w->record + RAW_OFFSET + w->raw_bytes, 0,
                     w->size_bytes - RAW_OFFSET - w->raw_bytes);
    *(struct cairn_record_head *)w->record = (struct cairn_record_head){
        .type = CAIRN_RECORD_SAMPLE,
        .misc = CAIRN_RECORD_MISC_USER,
        .size_bytes = (uint16_t)w->size_bytes,
        .id = id,
        .pid = (uint32_t)getpid(),
        .tid = tid,
        .time_ns = os_clock_ns(),
        .cpu = os_cpu_now(os_cpu_area()),
        .raw_size_bytes = w->size_bytes - RAW_OFFSET,
        .common_type = id,
        .common_pid = (int32_t)tid,
    };
}

static bool filter_matches(const struct cairn_trace_write *w)
{
    const struct cairn_record_head *head = w->record;
    char comm[CAIRN_FILTER_COMM_BYTES] = "";
    const struct cairn_filter_task task = {.cpu = head->cpu, .comm = comm};

    if (cairn_filter_needs_task(w->state->filter))
        (void)prctl(PR_GET_NAME, comm);
    return cairn_filter_match(w->state->filter, (const char *)w->record + RAW_OFFSET,
                              w->size_bytes - RAW_OFFSET, &task);
}

static void call_record_callbacks(const struct cairn_trace_write *w)
{
    fill_head(w);
    if (!w->state->filter || filter_matches(w))
        kernel_state_call_record(w);
}

void cairn_i_trace_user_commit(struct cairn_trace_write *w)
{
    if (cairn_unlikely(w->state != NULL) && w->state->counts[CAIRN_TRACE_RECORD])
        call_record_callbacks(w);
    write_event(w);
}

void cairn_i_trace_user_raw(struct cairn_trace_write *w, const uint64_t *arguments, uint32_t count)
{
    cairn_trace_write_raw(w, arguments, count);
}

void cairn_i_trace_user_leave(struct cairn_trace_write *w)
{
    struct cairn_trace *trace = w->event->trace;

    if (cairn_likely(!w->state))
        return;
    user_events_read_section_leave();
    /* Changes that a callback made and could not complete. */
    if (core_load_relaxed(&trace->deferred) && !user_events_in_read_section())
        kernel_trace_switch_deferred(trace);
}
