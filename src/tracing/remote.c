/* SPDX-License-Identifier: MIT */
/*
 * Applies filters that others ask for. What a filter replaced is freed when no thread uses it any
 * more: the thread that applies the filter does not wait for that, because it may be any thread of
 * the program, in any situation. The gate stays enabled meanwhile, so other threads look, too.
 */
#include "tracing/remote.h"

#include "engine/facade.h"
#include "engine/locks.h"
#include "tracing/directives_internal.h"
#include "tracing/registry.h"
#include "tracing/span_filter.h"
#include "user_events/backend.h"
#include "user_events/grace_period.h"

#include <errno.h>

/* Everything passes a layer that has no filter. */
#define NO_FILTER "trace"

struct cairn_tracepoint tracing_remote_gate = CAIRN_TRACEPOINT_INIT;

/* All under the registry's lock. */
static bool is_open;
static struct {
    bool is_begun;
    bool asks_values;
    uint32_t number;
    uint32_t count;
    struct tracing_installed_layer *replaced[CAIRN_LAYERS_MAX];
    struct user_events_grace_period grace;
} change;

void tracing_remote_open(void)
{
    if (is_open || !(user_events_choice_of_user().backends & CAIRN_BACKEND_LOCAL) ||
        engine_facade_open(&tracing_remote_gate))
        return;
    is_open = true;
    tracing_registry_ask_all();
}

const struct cairn_tracepoint *tracing_remote_unwanted(void)
{
    return is_open ? &tracing_remote_gate : NULL;
}

/* The layers whose filters are changed: that of cairn_tracing_init, otherwise all of the global
 * subscriber. */
static uint32_t slots_to_change(void)
{
    const struct cairn_layer *layer = tracing_init_layer();

    if (layer)
        return UINT32_C(1) << layer->slot;
    return tracing_global_subscriber ? tracing_global_subscriber->layers : 0;
}

void tracing_remote_show(void)
{
    uint32_t slots = is_open ? slots_to_change() : 0;
    const struct tracing_installed_layer *first;

    if (!is_open)
        return;
    first = slots ? tracing_layer_slots[__builtin_ctz(slots)] : NULL;
    if (!first)
        engine_facade_show(NULL);
    else
        engine_facade_show(first->directives ? first->directives->text : NO_FILTER);
}

/* ---- a request ---- */

static int replace(uint32_t slot, const char *text, struct cairn_directives_error *error_at)
{
    struct cairn_directives *directives;
    int error = cairn_directives_parse(text, &directives, error_at);

    if (error)
        return error;
    error = tracing_subscriber_replace_filter(slot, directives, &change.replaced[change.count]);
    if (error) {
        cairn_directives_destroy(directives);
        return error;
    }
    change.count++;
    change.asks_values |= tracing_directives_ask_values(directives);
    return 0;
}

static int replace_all(const char *text, struct cairn_directives_error *error_at)
{
    uint32_t left = slots_to_change();
    int error = left ? 0 : ENOENT;

    for (; !error && left; left &= left - 1)
        error = replace((uint32_t)__builtin_ctz(left), text, error_at);
    if (change.count) {
        tracing_registry_ask_all();
        tracing_remote_show();
    }
    return error;
}

static void begin_change(void)
{
    struct cairn_directives_error error_at = {0, NULL};
    char text[ENGINE_FACADE_TEXT_BYTES];
    int error;

    if (!engine_facade_take(text, &change.number))
        return;
    change.count = 0;
    change.asks_values = false;
    error = replace_all(text, &error_at);
    engine_facade_answer(change.number, error, error_at.at);
    user_events_grace_period_begin(&change.grace);
    change.is_begun = true;
}

/* As in subscriber.c: what new filters have cached while a value was recorded is invalid. */
static void end_change(void)
{
    if (change.asks_values)
        tracing_span_filter_change_all();
    for (uint32_t i = 0; i < change.count; i++)
        tracing_subscriber_free_replaced(change.replaced[i]);
    change.is_begun = false;
    engine_facade_finish(change.number);
}

void tracing_remote_take(void)
{
    struct engine_edge edge;

    if (tracing_in_callback() || engine_lock_is_mine(ENGINE_LOCK_CALL_SITES))
        return;
    engine_edge_enter(&edge);
    tracing_registry_lock();
    if (!change.is_begun)
        begin_change();
    if (change.is_begun && user_events_grace_period_has_ended(&change.grace))
        end_change();
    tracing_registry_unlock();
    engine_edge_leave(&edge);
}

void tracing_remote_take_in_event(const struct tracing_thread *thread)
{
    if (thread && !os_signals_may_be_handled(&thread->blocked_at_first))
        tracing_remote_take();
}
