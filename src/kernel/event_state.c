/* SPDX-License-Identifier: MIT */
/* Replaces the state of an event: recording, filter and callbacks. */
#include "kernel/event_state.h"

#include "core/atomic.h"
#include "kernel/section.h"

const struct cairn_trace_state kernel_state_only_record = {
    .todo = CAIRN_TRACE_DO_RECORD,
    .record = true,
    .direct = true,
};

/* The same if the host takes the records. */
static const struct cairn_trace_state only_push = {
    .todo = CAIRN_TRACE_DO_RECORD,
    .record = true,
};

static const struct cairn_trace_state nothing = {0};

static uint32_t callback_count(const struct cairn_trace_state *state)
{
    uint32_t count = 0;

    for (uint32_t kind = 0; kind < CAIRN_TRACE_CALLBACK_KINDS; kind++)
        count += state->counts[kind];
    return count;
}

struct cairn_trace_callback *kernel_state_find(const struct cairn_trace_state *state,
                                               enum cairn_trace_callback_kind kind,
                                               void (*function)(void), const void *data)
{
    struct cairn_trace_callback *const *callbacks = kernel_state_callbacks(state, kind);

    for (uint32_t i = 0; i < state->counts[kind]; i++) {
        if (CAIRN_TRACE_FUNCTION(callbacks[i]) == function && callbacks[i]->data == data)
            return callbacks[i];
    }
    return NULL;
}

/* The filter that the new state has. */
static struct kernel_filter_change wanted_filter(const struct cairn_trace_state *old,
                                                 const struct kernel_change *change)
{
    if (change->filter)
        return *change->filter;
    return (struct kernel_filter_change){old->filter, old->shown, old->shown_length};
}

static size_t filter_bytes(const struct kernel_filter_change *filter)
{
    return filter->filter ? cairn_filter_bytes(filter->filter) : 0;
}

/* Offset of the filter, a multiple of 8. */
static size_t filter_offset(uint32_t callbacks)
{
    return (sizeof(struct cairn_trace_state) + callbacks * sizeof(struct cairn_trace_callback *) +
            7) &
           ~(size_t)7;
}

/* Bytes of memory for the new state, an upper bound. */
static size_t state_bytes(const struct cairn_trace_state *old, const struct kernel_change *change)
{
    struct kernel_filter_change filter = wanted_filter(old, change);

    return filter_offset(callback_count(old) + (change->callback != NULL)) + filter_bytes(&filter) +
           filter.shown_length;
}

/*
 * Copies one kind's callbacks to `to`, with the added one inserted by priority. Returns their
 * number.
 */
static uint32_t copy_kind(struct cairn_trace_callback **to, const struct cairn_trace_state *old,
                          enum cairn_trace_callback_kind kind, const struct kernel_change *change)
{
    struct cairn_trace_callback *const *from = kernel_state_callbacks(old, kind);
    struct cairn_trace_callback *added = change->kind == kind ? change->callback : NULL;
    uint32_t count = 0;

    for (uint32_t i = 0; i < old->counts[kind]; i++) {
        if (!CAIRN_TRACE_FUNCTION(from[i]))
            continue;
        if (added && from[i]->priority < added->priority) {
            to[count++] = added;
            added = NULL;
        }
        to[count++] = from[i];
    }
    if (added)
        to[count++] = added;
    return count;
}

static void copy_filter(struct cairn_trace_state *state, const struct kernel_filter_change *from)
{
    char *to = (char *)state + filter_offset(callback_count(state));

    if (from->filter) {
        state->filter_bytes = (uint32_t)filter_bytes(from);
        __builtin_memcpy(to, from->filter, state->filter_bytes);
        state->filter = (const struct cairn_filter *)(const void *)to;
        to += state->filter_bytes;
    }
    if (from->shown) {
        state->shown_length = from->shown_length;
        __builtin_memcpy(to, from->shown, from->shown_length);
        state->shown = to;
    }
}

static uint32_t what_to_do(const struct cairn_trace_state *state)
{
    uint32_t todo = 0;

    if (state->counts[CAIRN_TRACE_TYPED])
        todo |= CAIRN_TRACE_DO_TYPED;
    if (state->counts[CAIRN_TRACE_RECORD] || state->record)
        todo |= CAIRN_TRACE_DO_RECORD;
    if (state->counts[CAIRN_TRACE_RAW])
        todo |= CAIRN_TRACE_DO_RAW;
    return todo;
}

static void build(struct cairn_trace_state *state, const struct cairn_host *host,
                  const struct cairn_trace_state *old, const struct kernel_change *change)
{
    struct kernel_filter_change filter = wanted_filter(old, change);
    struct cairn_trace_callback **to = state->callbacks;

    *state = (struct cairn_trace_state){.record = change->record ? *change->record : old->record};
    for (uint32_t kind = 0; kind < CAIRN_TRACE_CALLBACK_KINDS; kind++) {
        uint32_t count = copy_kind(to, old, (enum cairn_trace_callback_kind)kind, change);

        state->counts[kind] = (uint16_t)count;
        to += count;
    }
    copy_filter(state, &filter);
    state->todo = what_to_do(state);
    state->direct = state->record && !callback_count(state) && !host->push_record;
}

/* 0; EEXIST, ENOSPC. */
static int check(const struct cairn_trace_state *old, const struct kernel_change *change)
{
    const struct cairn_trace_callback *added = change->callback;

    if (!added)
        return 0;
    if (kernel_state_find(old, change->kind, added->function, added->data))
        return EEXIST;
    return old->counts[change->kind] == UINT16_MAX ? ENOSPC : 0;
}

/* Sets the new state if it needs no memory; returns false if it does. */
static bool is_constant(const struct cairn_host *host, const struct cairn_trace_state *old,
                        const struct kernel_change *change,
                        const struct cairn_trace_state **ret_state)
{
    struct kernel_filter_change filter = wanted_filter(old, change);
    bool record = change->record ? *change->record : old->record;

    if (change->callback || filter.filter || filter.shown)
        return false;
    for (uint32_t kind = 0, at = 0; kind < CAIRN_TRACE_CALLBACK_KINDS; kind++) {
        for (uint32_t i = 0; i < old->counts[kind]; i++) {
            if (CAIRN_TRACE_FUNCTION(old->callbacks[at++]))
                return false;
        }
    }
    *ret_state = !record ? NULL : host->push_record ? &only_push : &kernel_state_only_record;
    return true;
}

static void retire_state(struct cairn_trace *trace, struct cairn_trace_state *state)
{
    if (state && state != &kernel_state_only_record && state != &only_push)
        kernel_trace_retire(trace, &state->garbage);
}

static void retire_callback(struct cairn_trace *trace, struct cairn_trace_callback *callback)
{
    kernel_trace_retire(trace, (struct cairn_i_garbage *)(void *)callback);
}

/*
 * Retires the callbacks that are not in the new state: they were removed. Both lists have the same
 * order.
 */
static void retire_callbacks(struct cairn_trace *trace, const struct cairn_trace_state *old,
                             const struct cairn_trace_state *new,
                             const struct cairn_trace_callback *added)
{
    uint32_t new_count = new ? callback_count(new) : 0;
    uint32_t at = 0;

    for (uint32_t i = 0; i < callback_count(old); i++) {
        if (at < new_count && new->callbacks[at] == added)
            at++;
        if (at < new_count && new->callbacks[at] == old->callbacks[i])
            at++;
        else
            retire_callback(trace, old->callbacks[i]);
    }
}

/*
 * One attempt to replace the state. EAGAIN: memory of *size_bytes is needed, or another change was
 * faster.
 */
static int try_change(struct cairn_trace_event *event, const struct kernel_change *change,
                      void **memory, size_t *size_bytes)
{
    struct cairn_trace_state *current = core_load_acquire(&event->state);
    const struct cairn_trace_state *old = current ? current : &nothing;
    const struct cairn_trace_state *new = NULL;
    size_t needed = state_bytes(old, change);
    int err = check(old, change);

    if (err)
        return err;
    if (!is_constant(event->trace->host, old, change, &new)) {
        if (!*memory || *size_bytes < needed) {
            *size_bytes = needed;
            return EAGAIN;
        }
        build(*memory, event->trace->host, old, change);
        new = *memory;
    }
    /*
     * Release pairs with the acquire in cairn_trace_write_enter: the state's contents before its
     * address.
     * /
     */
    if (!core_compare_exchange_seq_cst(&event->state, &current, (struct cairn_trace_state *)new))
        return EAGAIN;
    retire_callbacks(event->trace, old, new, change->callback);
    retire_state(event->trace, current);
    if (new == *memory)
        *memory = NULL;
    return 0;
}

int kernel_state_change(struct cairn_trace_event *event, const struct kernel_change *change)
{
    struct cairn_trace *trace = event->trace;
    struct kernel_section section;
    void *memory = NULL;
    size_t have_bytes = 0;
    size_t needed_bytes = 0;
    int err;

    do {
        if (needed_bytes > have_bytes) {
            kernel_trace_discard(trace, memory);
            memory = kernel_trace_allocate(trace, needed_bytes);
            if (!memory)
                return ENOMEM;
            have_bytes = needed_bytes;
        }
        kernel_section_enter(trace, &section);
        err = try_change(event, change, &memory, &needed_bytes);
        kernel_section_leave(&section);
    } while (err == EAGAIN);
    kernel_trace_discard(trace, memory);
    return err;
}

void kernel_state_drop(struct cairn_trace_event *event)
{
    struct cairn_trace_state *state = core_exchange_seq_cst(&event->state, NULL);

    if (!state)
        return;
    retire_callbacks(event->trace, state, NULL, NULL);
    retire_state(event->trace, state);
}
