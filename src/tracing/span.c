/* SPDX-License-Identifier: MIT */
/* Begin, entering, leaving and end of spans. */
#define CAIRN_I_HOT

#include "tracing/span.h"

#include "core/atomic.h"
#include "engine/clock.h"
#include "engine/locks.h"
#include "tracing/dispatch.h"
#include "tracing/remote.h"
#include "tracing/span_filter.h"

#include <stdlib.h>
#include <string.h>

static uint64_t last_id;

/* The context of the calling thread, if it may call layers now; otherwise NULL. */
static struct tracing_thread *begin_dispatch(void)
{
    struct tracing_thread *thread = tracing_thread_get();

    return thread && tracing_dispatch_begin(thread) ? thread : NULL;
}

/* Calls a callback of each layer that has taken the span. */
#define CALL_LAYERS(span, callback, ...)                                                   \
    do {                                                                                   \
        uint32_t mask_ = core_load_relaxed(&(span)->layers);                               \
        for (struct cairn_layer * layer_; (layer_ = tracing_dispatch_next(&mask_, span));) \
            if (layer_->callback)                                                          \
                layer_->callback(layer_, __VA_ARGS__);                                     \
    } while (0)
#define DISPATCH(span, callback, ...)                      \
    do {                                                   \
        struct tracing_thread *thread_ = begin_dispatch(); \
        if (thread_) {                                     \
            CALL_LAYERS(span, callback, __VA_ARGS__);      \
            tracing_dispatch_end(thread_);                 \
        } else {                                           \
            tracing_dispatch_count_lost();                 \
        }                                                  \
    } while (0)

/* ---- begin ---- */

static void set_random(uint8_t bytes[8], struct tracing_thread *thread)
{
    uint64_t number = tracing_random(thread);

    memcpy(bytes, &number, sizeof(number));
}

/* A child is in its parent's trace; a span without a parent starts a trace. */
static void identify(struct cairn_span *span, const struct cairn_trace_context *remote,
                     struct tracing_thread *thread)
{
    const struct cairn_trace_context *above = remote;

    if (!above && span->parent)
        above = &span->parent->context;
    span->context.flags = CAIRN_TRACE_SAMPLED;
    if (above) {
        span->context = *above;
        span->context.flags &= CAIRN_TRACE_SAMPLED; /* the meaning of other flags is not known */
        memcpy(span->parent_id, above->span_id, sizeof(span->parent_id));
    } else {
        set_random(span->context.trace_id, thread);
        set_random(span->context.trace_id + 8, thread);
    }
    set_random(span->context.span_id, thread);
}

/* The nearest ancestor with a layer that is not in `layers`. Ancestors without such a layer are
 * skipped by their own `skip`. */
static struct cairn_span *skip_of(struct cairn_span *parent, uint32_t layers)
{
    while (parent && !(core_load_relaxed(&parent->layers) & ~layers))
        parent = core_load_acquire(&parent->layers_above) & ~layers
                     ? core_load_relaxed(&parent->skip)
                     : NULL;
    return parent;
}

static void relate(struct cairn_span *span, struct cairn_span *parent,
                   const struct cairn_trace_context *remote)
{
    span->parent = cairn_span_hold(parent);
    span->skip = skip_of(parent, span->layers);
    if (parent) {
        tracing_span_filter_child(parent);
        span->layers_above =
            core_load_relaxed(&parent->layers) | core_load_relaxed(&parent->layers_above);
        span->depth = parent->depth + 1;
        span->remote = parent->remote;
    }
    if (remote)
        span->remote = span;
}

/* A child that was made without fork's handlers is found out first: the span is its own. */
static struct cairn_span *make(struct tracing_thread *thread, const struct cairn_callsite *site,
                               const struct cairn_tracing_value *values, struct cairn_span *parent,
                               const struct cairn_trace_context *remote, uint32_t layers)
{
    struct cairn_span *span;

    engine_locks_check_process();
    span = tracing_span_pool_take(thread);
    if (!span)
        return NULL;
    span->site = site;
    span->layers = layers;
    relate(span, parent, remote);
    span->id = core_add_fetch_relaxed(&last_id, 1);
    span->begin_ns = os_clock_ns();
    span->forks = engine_forks;
    span->tid = thread->id;
    identify(span, remote, thread);
    for (uint32_t i = 0; i < site->field_count; i++)
        tracing_span_begin_value(span, i, &values[i]);
    /* Pairs with the acquire in tracing_span_each: it is complete. */
    core_store_release(&span->holders, 1);
    return span;
}

/* Spans that ended while a layer went through all of them. */
static inline void look_for_dropped(void)
{
    if (cairn_unlikely(core_load_relaxed(&tracing_span_dropped)) && !tracing_in_callback())
        tracing_span_end_dropped();
}

struct cairn_span *cairn_i_span_new(struct cairn_callsite *site,
                                    const struct cairn_tracing_value *values,
                                    const struct cairn_i_relation *relation)
{
    struct tracing_thread *thread = tracing_thread_get();
    struct cairn_span *parent = relation->is_explicit ? relation->parent : cairn_span_current();
    struct cairn_span *span = NULL;
    uint32_t layers;

    tracing_remote_look();
    look_for_dropped();
    if (!thread || !tracing_dispatch_begin(thread)) {
        tracing_dispatch_count_lost();
        return NULL;
    }
    layers = tracing_dispatch_layers(thread, site, parent);
    if (layers) {
        span = make(thread, site, values, parent, relation->remote, layers);
        if (!span)
            tracing_dispatch_count_lost();
    }
    if (span) {
        uint32_t mask = layers;

        for (struct cairn_layer *layer; (layer = tracing_dispatch_next(&mask, span));)
            if (layer->span_new)
                layer->span_new(layer, span);
    }
    tracing_dispatch_end(thread);
    return span;
}

/* ---- reference counting ---- */

struct cairn_span *cairn_span_hold(struct cairn_span *span)
{
    if (span)
        core_fetch_add_relaxed(&span->holders, 1);
    return span;
}

/* Frees a span that has no more references. Returns its parent, whose reference the caller drops.
 */
static struct cairn_span *free_span(struct cairn_span *span)
{
    struct cairn_span *parent = span->parent;

    tracing_span_free_texts(span);
    tracing_span_free_links(span);
    free(span->kept);
    tracing_span_pool_give(span);
    return parent;
}

/* Drops a reference. True: it was the last one, and what other holders did happens before. */
static bool is_last(struct cairn_span *span)
{
    return span && core_sub_fetch_acq_rel(&span->holders, 1) == 0;
}

void cairn_span_close(struct cairn_span *span)
{
    look_for_dropped();
    while (is_last(span)) {
        DISPATCH(span, span_close, span);
        span = free_span(span);
    }
}

/* ---- entering and leaving ---- */

struct cairn_span *cairn_span_current(void)
{
    const struct tracing_thread *thread = tracing_thread_self;

    return thread ? tracing_thread_span(thread) : NULL;
}

static bool push(struct tracing_thread *thread, struct cairn_span *span)
{
    if (thread->entered_count == thread->entered_capacity) {
        uint32_t capacity = thread->entered_capacity ? 2 * thread->entered_capacity : 16;
        struct cairn_span **entered = realloc(thread->entered, capacity * sizeof(void *));

        if (!entered)
            return false;
        thread->entered = entered;
        thread->entered_capacity = capacity;
    }
    thread->entered[thread->entered_count++] = cairn_span_hold(span);
    return true;
}

/* A span's layers were installed before it began: what this thread knows of them is true. */
static bool is_entering_seen(const struct cairn_span *span)
{
    return cairn_unlikely(core_load_relaxed(&span->layers) &
                          core_load_relaxed(&tracing_enter_layers));
}

void cairn_span_enter(struct cairn_span *span)
{
    struct tracing_thread *thread = span ? tracing_thread_get() : NULL;

    if (thread && push(thread, span) && is_entering_seen(span))
        DISPATCH(span, span_enter, span);
}

/* Removes the last entry of this span from the stack; false: it has none. */
static bool pop(struct tracing_thread *thread, const struct cairn_span *span)
{
    uint32_t at = thread->entered_count;

    while (at && thread->entered[at - 1] != span)
        at--;
    if (!at)
        return false;
    if (cairn_unlikely(at != thread->entered_count))
        memmove(thread->entered + at - 1, thread->entered + at,
                (thread->entered_count - at) * sizeof(void *));
    thread->entered_count--;
    return true;
}

void cairn_span_exit(struct cairn_span *span)
{
    struct tracing_thread *thread = tracing_thread_self;

    if (!span || !thread || !pop(thread, span))
        return;
    if (is_entering_seen(span))
        DISPATCH(span, span_exit, span);
    cairn_span_close(span);
}

/* ---- scopes ---- */

/* The end of the scope or of the thread: the one that finds the thread here closes the span. */
static bool take_scope(struct cairn_span *span, struct tracing_thread *thread)
{
    return core_compare_exchange_relaxed(&span->scope_of, &thread, NULL);
}

void cairn_i_scope_enter(struct cairn_span *span)
{
    cairn_span_enter(span);
    if (cairn_span_current() == span)
        core_store_relaxed(&span->scope_of, tracing_thread_self);
}

/* A coroutine may leave the scope in another thread. */
void cairn_i_scope_leave(struct cairn_span *span)
{
    struct tracing_thread *thread = core_load_relaxed(&span->scope_of);
    bool is_own = thread && thread == tracing_thread_self;

    cairn_span_exit(span);
    if (is_own)
        core_store_relaxed(&span->scope_of, NULL);
    if (is_own || !thread || take_scope(span, thread))
        cairn_span_close(span);
}

void tracing_span_leave_at_end(struct tracing_thread *thread, struct cairn_span *span)
{
    bool is_scope = take_scope(span, thread);

    cairn_span_exit(span);
    if (is_scope)
        cairn_span_close(span);
}

/* ---- recording values ---- */

/* False: the span was not created with this name. Requires a read-side section. */
static bool record(struct cairn_span *span, const char *name,
                   const struct cairn_tracing_value *value)
{
    for (uint32_t field = 0; field < span->site->field_count; field++) {
        if (strcmp(span->site->fields[field], name) != 0)
            continue;
        tracing_span_store(span, field, value);
        return true;
    }
    return false;
}

void cairn_span_record(struct cairn_span *span, const char *const *names,
                       const struct cairn_tracing_value *values, uint32_t count)
{
    struct tracing_thread *thread;
    bool is_recorded = false;

    if (!span)
        return;
    thread = begin_dispatch();
    if (!thread) /* called by a layer, or no memory */
        user_events_read_section_enter();
    for (uint32_t i = 0; i < count; i++)
        is_recorded |= record(span, names[i], &values[i]);
    if (thread) {
        if (is_recorded)
            CALL_LAYERS(span, span_record, span);
        tracing_dispatch_end(thread);
    } else {
        user_events_read_section_leave();
        if (is_recorded)
            tracing_dispatch_count_lost();
    }
}

void cairn_span_follows_from(struct cairn_span *span, struct cairn_span *cause)
{
    if (!span || !cause)
        return;
    if (!tracing_span_link(span, cause))
        tracing_dispatch_count_lost();
    DISPATCH(span, span_follows_from, span, cause);
}
