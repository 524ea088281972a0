/* SPDX-License-Identifier: MIT */
/* Writes a typed event: to its callbacks, and to ETW, which gathers its fields from the record on
 * the stack. user_events/trace_write.c is the same for Linux. */
#include "core/atomic.h"
#include "engine/clock.h"
#include "etw/typed.h"
#include "kernel/event_state.h"
#include "user_events/grace_period.h"

#include <cairn/record.h>
#include <errno.h>
#include <string.h>
#include <windows.h>

#define RAW_OFFSET ((uint32_t)offsetof(struct cairn_record_head, common_type))

static bool is_wanted(const struct etw_typed *typed)
{
    return typed && (core_load_relaxed(&typed->status) & ETW_TYPED_SESSIONS);
}

bool cairn_i_trace_user_enter(struct cairn_trace_event *event, struct cairn_trace_write *w)
{
    const struct etw_typed *typed = core_load_acquire(&event->tracepoint.local);
    const struct cairn_trace_state *state = NULL;

    w->todo = is_wanted(typed) ? CAIRN_TRACE_DO_RECORD : 0;
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

/* ---- losses ---- */

static uint64_t lost;

uint64_t cairn_trace_events_lost(void)
{
    return core_load_relaxed(&lost);
}

static void count_lost(void)
{
    core_fetch_add_relaxed(&lost, 1);
}

/* ---- the record ---- */

void *cairn_i_trace_user_reserve(struct cairn_trace_write *w, uint32_t raw_bytes, void *memory)
{
    if (!memory) {
        if (is_wanted(core_load_acquire(&w->event->tracepoint.local)))
            count_lost();
        return NULL;
    }
    w->record = memory;
    w->size_bytes = (RAW_OFFSET + raw_bytes + 7) & ~7u;
    w->raw_bytes = raw_bytes;
    return (char *)memory + RAW_OFFSET;
}

/* ---- fields ---- */

/* Two kinds of metadata, and for each field a count and its bytes. */
#define PARTS_MAX (2 + 2 * CAIRN_FIELDS_MAX)

struct typed_write_parts {
    uint32_t count;
    uint32_t counts_used;
    struct cairn_i_etw_data data[PARTS_MAX];
    uint16_t counts[CAIRN_FIELDS_MAX];
};

/* Bytes that follow those of the last part belong to it. */
static void add_bytes(struct typed_write_parts *parts, const void *bytes, size_t size)
{
    struct cairn_i_etw_data *last = &parts->data[parts->count - 1];

    if (!size)
        return;
    if (parts->count > 2 && last->address + last->size_bytes == (uintptr_t)bytes)
        last->size_bytes += (uint32_t)size;
    else
        cairn_i_etw_put(&parts->data[parts->count++], bytes, size);
}

static void add_count(struct typed_write_parts *parts, size_t count)
{
    uint16_t *at = &parts->counts[parts->counts_used++];

    *at = (uint16_t)count;
    add_bytes(parts, at, sizeof(*at));
}

/* Text up to its NUL, or its end. */
static void add_text(struct typed_write_parts *parts, const char *text, size_t size)
{
    const char *end = size ? memchr(text, 0, size) : NULL;

    size = end ? (size_t)(end - text) : size;
    add_count(parts, size);
    add_bytes(parts, text, size);
}

static void add_dynamic(struct typed_write_parts *parts, const struct cairn_trace_write *w,
                        const struct cairn_field *field)
{
    const char *raw = (const char *)w->record + RAW_OFFSET;
    uint32_t base = field->location == CAIRN_FIELD_REL_LOC ? field->offset + 4 : 0;
    const void *bytes;
    uint32_t location;
    uint32_t size;

    memcpy(&location, raw + field->offset, sizeof(location));
    bytes = cairn_trace_field_bytes(raw, w->raw_bytes, base, location);
    size = cairn_trace_field_length(raw, w->raw_bytes, base, location);
    if (field->kind == CAIRN_FIELD_STRING) {
        add_text(parts, bytes, size);
        return;
    }
    add_count(parts, field->element_size_bytes ? size / field->element_size_bytes : size);
    add_bytes(parts, bytes, size);
}

static void add_field(struct typed_write_parts *parts, const struct cairn_trace_write *w,
                      const struct cairn_field *field)
{
    const char *at = (const char *)w->record + RAW_OFFSET + field->offset;

    if (field->location != CAIRN_FIELD_INLINE)
        add_dynamic(parts, w, field);
    else if (field->is_array && field->kind == CAIRN_FIELD_STRING)
        add_text(parts, at, field->size_bytes);
    else
        add_bytes(parts, at, field->size_bytes);
}

/* A tracepoint reports no errors. ETW counts what its buffers have no space for. */
static void write_event(const struct cairn_trace_write *w)
{
    const struct etw_typed *typed = core_load_acquire(&w->event->tracepoint.local);
    const struct cairn_schema *schema = &w->event->event_class->schema;
    static const struct cairn_i_etw_event descriptor = {0, 0, 11, ETW_TYPED_LEVEL, 0, 0, 0};
    struct typed_write_parts parts;
    int error;

    if (!is_wanted(typed))
        return;
    parts.count = 2;
    parts.counts_used = 0;
    for (uint32_t i = 0; i < schema->field_count; i++)
        add_field(&parts, w, &schema->fields[i]);
    if (parts.count > CAIRN_I_ETW_DATA_MAX)
        error = cairn_i_etw_write_converted(&typed->system->provider, &descriptor, typed->metadata,
                                            NULL, NULL, parts.data, parts.count);
    else
        error = cairn_i_etw_write(&typed->system->provider, &descriptor, typed->metadata, NULL,
                                  NULL, parts.data, parts.count);
    if (error && error != EBADF && error != ENOSPC)
        count_lost();
}

/* ---- callbacks that get the record ---- */

static void fill_head(const struct cairn_trace_write *w)
{
    uint32_t tid = (uint32_t)GetCurrentThreadId();

    /* The padding to a multiple of 8. */
    memset((char *)w->record + RAW_OFFSET + w->raw_bytes, 0,
           w->size_bytes - RAW_OFFSET - w->raw_bytes);
    *(struct cairn_record_head *)w->record = (struct cairn_record_head){
        .type = CAIRN_RECORD_SAMPLE,
        .misc = CAIRN_RECORD_MISC_USER,
        .size_bytes = (uint16_t)w->size_bytes,
        .pid = (uint32_t)GetCurrentProcessId(),
        .tid = tid,
        .time_ns = os_clock_ns(),
        .cpu = (uint32_t)GetCurrentProcessorNumber(),
        .raw_size_bytes = w->size_bytes - RAW_OFFSET,
        .common_pid = (int32_t)tid,
    };
}

static bool filter_matches(const struct cairn_trace_write *w)
{
    const struct cairn_record_head *head = w->record;
    const struct cairn_filter_task task = {.cpu = head->cpu, .comm = ""};

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
