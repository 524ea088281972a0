/* SPDX-License-Identifier: MIT */
/* Passes events and spans from the thread that emits to the layers that want them. */
#define CAIRN_I_HOT

#include "tracing/dispatch.h"

#include "core/atomic.h"
#include "tracing/event.h"
#include "tracing/remote.h"
#include "tracing/span_filter.h"
#include "tracing/subscriber.h"
#include "user_events/grace_period.h"

#include <pthread.h>

static uint64_t lost;

/* Cancellation in a callback would leave events and spans incomplete. */
void tracing_dispatch_prepare(struct tracing_thread *thread)
{
    if (core_load_relaxed(&tracing_foreign_layers))
        thread->is_cancel_off =
            !pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &thread->cancel_state);
    if (thread->scratch)
        tracing_scratch_reset(thread);
}

void tracing_dispatch_restore(struct tracing_thread *thread)
{
    thread->is_cancel_off = false;
    (void)pthread_setcancelstate(thread->cancel_state, NULL);
}

/* The answer of a layer may change from event to event. The library's own layers are only asked
 * about spans. */
static bool is_taken(const struct tracing_installed_layer *installed,
                     const struct cairn_callsite *site, struct cairn_span *span)
{
    struct cairn_layer *layer = installed->layer;

    return !layer->enabled || (layer->is_ours && site->kind == CAIRN_CALLSITE_EVENT) ||
           layer->enabled(layer, site, span);
}

uint32_t tracing_dispatch_layers(const struct tracing_thread *thread,
                                 const struct cairn_callsite *site, struct cairn_span *span)
{
    uint32_t wanted = core_load_acquire(&site->wanted);
    uint32_t maybe = core_load_relaxed(&site->maybe);
    uint32_t left = wanted & tracing_subscriber_layers(thread);
    uint32_t taken = 0;

    maybe &= left;
    if (maybe) /* depends on the span */
        left &= ~maybe | tracing_span_filter_slots(span, site->level);
    for (; left; left &= left - 1) {
        uint32_t slot = (uint32_t)__builtin_ctz(left);
        const struct tracing_installed_layer *installed = tracing_dispatch_slot(slot);

        if (installed && is_taken(installed, site, span))
            taken |= UINT32_C(1) << slot;
    }
    return taken;
}

struct cairn_layer *tracing_dispatch_next(uint32_t *mask, const struct cairn_span *span)
{
    while (*mask) {
        const struct tracing_installed_layer *installed =
            tracing_dispatch_slot((uint32_t)__builtin_ctz(*mask));

        *mask &= *mask - 1;
        if (installed && installed->layer->since_ns <= span->begin_ns)
            return installed->layer;
    }
    return NULL;
}

/* ---- events ---- */

uint64_t cairn_tracing_lost(void)
{
    return core_load_relaxed(&lost);
}

void tracing_dispatch_count_lost(void)
{
    core_fetch_add_relaxed(&lost, 1);
}

static inline __attribute__((always_inline)) struct tracing_thread *begin_event(void)
{
    struct tracing_thread *thread = tracing_thread_get();

    tracing_remote_look_in_event(thread);
    if (cairn_likely(thread && tracing_dispatch_begin(thread)))
        return thread;
    tracing_dispatch_count_lost();
    return NULL;
}

static struct cairn_span *span_of_event(const struct tracing_thread *thread,
                                        const struct cairn_i_relation *relation)
{
    return relation && relation->is_explicit ? relation->parent : tracing_thread_span(thread);
}

/* One layer is nearly always the only one: no second look at its slot. */
static bool give_to_the_only_layer(const struct tracing_thread *thread,
                                   const struct cairn_tracing_event *event)
{
    const struct cairn_callsite *site = event->site;
    uint32_t left = core_load_acquire(&site->wanted) & tracing_subscriber_layers(thread);
    const struct tracing_installed_layer *installed;

    if (cairn_unlikely(!left || left & (left - 1) || core_load_relaxed(&site->maybe)))
        return false;
    installed = tracing_dispatch_slot((uint32_t)__builtin_ctz(left));
    if (installed && installed->layer->event && is_taken(installed, site, event->span))
        installed->layer->event(installed->layer, event);
    return true;
}

static void give_to_layers(uint32_t taken, const struct cairn_tracing_event *event)
{
    for (; taken; taken &= taken - 1) {
        const struct tracing_installed_layer *installed =
            tracing_dispatch_slot((uint32_t)__builtin_ctz(taken));

        if (installed && installed->layer->event)
            installed->layer->event(installed->layer, event);
    }
}

void cairn_i_event(struct cairn_callsite *site, const struct cairn_tracing_value *values,
                   const struct cairn_i_relation *relation)
{
    struct cairn_tracing_event event = {.site = site, .values = values, .message = ""};
    struct tracing_thread *thread = begin_event();

    if (!thread)
        return;
    event.span = span_of_event(thread, relation);
    if (cairn_unlikely(!give_to_the_only_layer(thread, &event)))
        give_to_layers(tracing_dispatch_layers(thread, site, event.span), &event);
    tracing_dispatch_end(thread);
}

static void write_message(struct tracing_thread *thread, struct cairn_tracing_event *event,
                          const char *format, va_list arguments)
{
    struct tracing_line *message = &thread->message;

    message->length = 0;
    tracing_line_vprintf(message, format, arguments);
    /* Messages for loggers often end with a newline. */
    if (message->length && message->text[message->length - 1] == '\n')
        message->text[--message->length] = '\0';
    event->message = message->text ? message->text : "";
    event->message_bytes = message->length;
}

void tracing_event_vprintf(struct cairn_callsite *site, const struct cairn_tracing_value *values,
                           const struct cairn_i_relation *relation, const char *format,
                           va_list arguments)
{
    struct cairn_tracing_event event = {.site = site, .values = values};
    struct tracing_thread *thread = begin_event();
    uint32_t taken;

    if (!thread)
        return;
    event.span = span_of_event(thread, relation);
    taken = tracing_dispatch_layers(thread, site, event.span);
    if (taken) {
        write_message(thread, &event, format, arguments);
        give_to_layers(taken, &event);
    }
    tracing_dispatch_end(thread);
}

void cairn_i_event_printf(struct cairn_callsite *site, const struct cairn_tracing_value *values,
                          const struct cairn_i_relation *relation, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    tracing_event_vprintf(site, values, relation, format, arguments);
    va_end(arguments);
}
