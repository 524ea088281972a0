/* SPDX-License-Identifier: MIT */
/* Sets of layers, and how they change while threads emit. A change is made under the registry's
 * lock; what it replaced is freed after a grace period. */
#include "tracing/subscriber.h"

#include "core/atomic.h"
#include "engine/clock.h"
#include "tracing/registry.h"
#include "tracing/remote.h"
#include "tracing/span_filter.h"
#include "user_events/grace_period.h"

#include <cairn/tracing/layers.h>
#include <errno.h>
#include <stdlib.h>

struct cairn_subscriber *tracing_global_subscriber;

/* Slots are used in turn, so that a free slot is not used again for a long time. */
static uint32_t last_slot;

uint32_t tracing_foreign_layers;
uint32_t tracing_enter_layers;

int cairn_subscriber_create(struct cairn_subscriber **ret_subscriber)
{
    struct cairn_subscriber *subscriber = calloc(1, sizeof(*subscriber));

    if (!subscriber)
        return ENOMEM;
    *ret_subscriber = subscriber;
    return 0;
}

static bool find_free_slot(uint32_t *ret_slot)
{
    for (uint32_t i = 1; i <= CAIRN_LAYERS_MAX; i++) {
        uint32_t slot = (last_slot + i) % CAIRN_LAYERS_MAX;

        if (!tracing_layer_slots[slot]) {
            *ret_slot = slot;
            return true;
        }
    }
    return false;
}

static struct tracing_installed_layer *make_installed(struct cairn_layer *layer,
                                                      struct cairn_directives *directives,
                                                      struct cairn_subscriber *subscriber)
{
    struct tracing_installed_layer *installed = malloc(sizeof(*installed));

    if (installed)
        *installed = (struct tracing_installed_layer){layer, directives, subscriber};
    return installed;
}

void tracing_subscriber_free_replaced(struct tracing_installed_layer *replaced)
{
    cairn_directives_destroy(replaced->directives);
    free(replaced);
}

static bool do_filters_ask_values(void)
{
    for (uint32_t i = 0; i < CAIRN_LAYERS_MAX; i++)
        if (tracing_layer_slots[i] &&
            tracing_directives_ask_values(tracing_layer_slots[i]->directives))
            return true;
    return false;
}

static void set_bit(uint32_t *bitmap, uint32_t bit, bool is_set)
{
    if (is_set)
        core_fetch_or_relaxed(bitmap, bit);
    else
        core_fetch_and_relaxed(bitmap, ~bit);
}

/* Pairs with the acquire of a thread that calls the layer. */
static void set_slot(uint32_t slot, struct tracing_installed_layer *installed)
{
    const struct cairn_layer *layer = installed ? installed->layer : NULL;
    uint32_t bit = UINT32_C(1) << slot;

    set_bit(&tracing_foreign_layers, bit, layer && !layer->is_ours);
    set_bit(&tracing_enter_layers, bit, layer && (layer->span_enter || layer->span_exit));
    core_store_release(&tracing_layer_slots[slot], installed);
    tracing_span_filter_ask_values(do_filters_ask_values());
    tracing_span_filter_change_all();
}

/* Waits until no thread uses the previous state. A value that was being recorded was compared by
 * the previous filters, so the results that new filters which depend on values have cached
 * meanwhile are invalid. */
static void wait_for_sections(bool asks_values)
{
    user_events_grace_period_wait();
    if (asks_values)
        tracing_span_filter_change_all();
}

/* Finds out if a subscriber is in use. A thread may be entering it without the lock: it increments
 * `uses` first and then reads is_matched; this function does so in the opposite order, so that at
 * least one of the two sees the change of the other. */
static void update_is_active(struct cairn_subscriber *subscriber)
{
    core_store_seq_cst(&subscriber->is_matched, false);
    subscriber->is_active = core_load_seq_cst(&subscriber->uses) != 0;
}

/* After the sites: a thread that enters meanwhile waits for the lock, since it would find them as
 * they were. */
static void show_matched(struct cairn_subscriber *subscriber)
{
    if (subscriber->is_active)
        core_store_seq_cst(&subscriber->is_matched, true);
}

/* Matches all sites with the layers of the subscribers in use. Requires the lock. */
static void ask_all(void)
{
    for (uint32_t i = 0; i < CAIRN_LAYERS_MAX; i++)
        if (tracing_layer_slots[i])
            update_is_active(tracing_layer_slots[i]->subscriber);
    tracing_registry_ask_all();
    for (uint32_t i = 0; i < CAIRN_LAYERS_MAX; i++)
        if (tracing_layer_slots[i])
            show_matched(tracing_layer_slots[i]->subscriber);
    tracing_remote_show();
}

static int add_locked(struct cairn_subscriber *subscriber, struct cairn_layer *layer,
                      struct cairn_directives *directives)
{
    struct tracing_installed_layer *installed;
    uint32_t slot;

    if (!find_free_slot(&slot))
        return ENOSPC;
    installed = make_installed(layer, directives, subscriber);
    if (!installed)
        return ENOMEM;
    last_slot = slot;
    layer->slot = slot;
    layer->since_ns = os_clock_ns();
    set_slot(slot, installed);
    core_fetch_or_release(&subscriber->layers, UINT32_C(1) << slot);
    ask_all();
    return 0;
}

int cairn_subscriber_add(struct cairn_subscriber *subscriber, struct cairn_layer *layer,
                         struct cairn_directives *directives)
{
    bool asks_values = tracing_directives_ask_values(directives);
    int error;

    if (tracing_in_callback())
        return EDEADLK;
    tracing_registry_lock();
    error = add_locked(subscriber, layer, directives);
    tracing_registry_unlock();
    if (!error && asks_values)
        wait_for_sections(true);
    return error;
}

/* Finds the installed layer of this subscriber; NULL: it has no such layer. Requires the lock. */
static struct tracing_installed_layer *find_installed(const struct cairn_subscriber *subscriber,
                                                      const struct cairn_layer *layer)
{
    struct tracing_installed_layer *installed;

    if (layer->slot >= CAIRN_LAYERS_MAX || !(subscriber->layers >> layer->slot & 1))
        return NULL;
    installed = tracing_layer_slots[layer->slot];
    return installed->layer == layer ? installed : NULL;
}

int tracing_subscriber_replace_filter(uint32_t slot, struct cairn_directives *directives,
                                      struct tracing_installed_layer **ret_replaced)
{
    struct tracing_installed_layer *old = tracing_layer_slots[slot];
    struct tracing_installed_layer *installed;

    if (!old)
        return ENOENT;
    installed = make_installed(old->layer, directives, old->subscriber);
    if (!installed)
        return ENOMEM;
    set_slot(slot, installed);
    *ret_replaced = old;
    return 0;
}

static int reload_locked(const struct cairn_subscriber *subscriber, struct cairn_layer *layer,
                         struct cairn_directives *directives,
                         struct tracing_installed_layer **ret_old)
{
    int error = find_installed(subscriber, layer)
                    ? tracing_subscriber_replace_filter(layer->slot, directives, ret_old)
                    : ENOENT;

    if (!error)
        ask_all();
    return error;
}

int cairn_subscriber_reload(struct cairn_subscriber *subscriber, struct cairn_layer *layer,
                            struct cairn_directives *directives)
{
    bool asks_values = tracing_directives_ask_values(directives);
    struct tracing_installed_layer *old;
    int error;

    if (tracing_in_callback())
        return EDEADLK;
    tracing_registry_lock();
    error = reload_locked(subscriber, layer, directives, &old);
    tracing_registry_unlock();
    if (error)
        return error;
    wait_for_sections(asks_values);
    tracing_subscriber_free_replaced(old);
    return 0;
}

/* Removes the layer from the slot: new sections do not find it. The slot is free. */
static struct tracing_installed_layer *take_out(struct cairn_subscriber *subscriber, uint32_t slot)
{
    struct tracing_installed_layer *installed = tracing_layer_slots[slot];

    core_fetch_and_release(&subscriber->layers, ~(UINT32_C(1) << slot));
    set_slot(slot, NULL);
    return installed;
}

static void end_layer(struct tracing_installed_layer *installed)
{
    struct cairn_layer *layer = installed->layer;

    tracing_subscriber_free_replaced(installed);
    cairn_layer_destroy(layer);
}

int cairn_subscriber_remove(struct cairn_subscriber *subscriber, struct cairn_layer *layer)
{
    struct tracing_installed_layer *installed;

    if (tracing_in_callback())
        return EDEADLK;
    tracing_registry_lock();
    installed = find_installed(subscriber, layer);
    if (installed) {
        (void)take_out(subscriber, layer->slot);
        ask_all();
    }
    tracing_registry_unlock();
    if (!installed)
        return ENOENT;
    user_events_grace_period_wait();
    end_layer(installed);
    return 0;
}

int cairn_subscriber_destroy(struct cairn_subscriber *subscriber)
{
    struct tracing_installed_layer *removed[CAIRN_LAYERS_MAX];
    uint32_t count = 0;
    bool is_used;

    if (!subscriber)
        return 0;
    if (tracing_in_callback())
        return EDEADLK;
    tracing_registry_lock();
    is_used = core_load_seq_cst(&subscriber->uses) != 0;
    for (uint32_t i = 0; !is_used && i < CAIRN_LAYERS_MAX; i++)
        if (subscriber->layers >> i & 1)
            removed[count++] = take_out(subscriber, i);
    if (count && subscriber->is_active)
        ask_all();
    tracing_registry_unlock();
    if (is_used)
        return EBUSY;
    user_events_grace_period_wait();
    for (uint32_t i = 0; i < count; i++)
        end_layer(removed[i]);
    free(subscriber);
    return 0;
}

/* ---- uses of subscribers ---- */

/* Pairs with update_is_active. False: the sites have not been matched with its layers. */
static bool add_use(struct cairn_subscriber *subscriber)
{
    if (!subscriber)
        return true;
    core_fetch_add_seq_cst(&subscriber->uses, 1);
    return core_load_seq_cst(&subscriber->is_matched);
}

/* True if this was the last use. */
static bool end_use(struct cairn_subscriber *subscriber)
{
    return subscriber && core_sub_fetch_seq_cst(&subscriber->uses, 1) == 0;
}

/* Activates a subscriber in use. Requires the lock. */
static void activate(struct cairn_subscriber *subscriber)
{
    if (core_load_relaxed(&subscriber->is_matched))
        return;
    subscriber->is_active = true;
    if (subscriber->layers)
        ask_all();
    else
        show_matched(subscriber);
}

void tracing_subscriber_replace_global(struct cairn_subscriber *subscriber)
{
    struct cairn_subscriber *old = tracing_global_subscriber;

    if (subscriber)
        tracing_remote_open();
    if (!add_use(subscriber))
        activate(subscriber);
    core_store_release(&tracing_global_subscriber, subscriber);
    if (end_use(old))
        ask_all();
    tracing_remote_show();
}

int cairn_subscriber_set_global(struct cairn_subscriber *subscriber)
{
    if (tracing_in_callback())
        return EDEADLK;
    tracing_registry_lock();
    tracing_subscriber_replace_global(subscriber);
    tracing_registry_unlock();
    user_events_grace_period_wait();
    return 0;
}

/* ---- subscribers of a thread ---- */

static bool grow_scopes(struct tracing_thread *thread)
{
    uint32_t capacity = thread->scope_capacity ? 2 * thread->scope_capacity : 4;
    struct tracing_scope *scopes;

    if (thread->scope_count < thread->scope_capacity)
        return true;
    scopes = realloc(thread->scopes, capacity * sizeof(*scopes));
    if (!scopes)
        return false;
    thread->scopes = scopes;
    thread->scope_capacity = capacity;
    return true;
}

int cairn_subscriber_enter(struct cairn_subscriber_scope *scope,
                           struct cairn_subscriber *subscriber)
{
    struct tracing_thread *thread;

    if (tracing_in_callback())
        return EDEADLK;
    thread = tracing_thread_get();
    if (!thread || !grow_scopes(thread))
        return ENOMEM;
    if (!add_use(subscriber)) {
        tracing_registry_lock();
        activate(subscriber);
        tracing_registry_unlock();
    }
    thread->scopes[thread->scope_count++] = (struct tracing_scope){scope, subscriber};
    return 0;
}

static void leave_innermost(struct tracing_thread *thread)
{
    (void)end_use(thread->scopes[--thread->scope_count].subscriber);
}

int cairn_subscriber_leave(struct cairn_subscriber_scope *scope)
{
    struct tracing_thread *thread = tracing_thread_self;

    if (tracing_in_callback())
        return EDEADLK;
    if (!thread || !thread->scope_count || thread->scopes[thread->scope_count - 1].scope != scope)
        return EINVAL;
    leave_innermost(thread);
    return 0;
}

void tracing_subscriber_leave_all(struct tracing_thread *thread)
{
    while (thread->scope_count)
        leave_innermost(thread);
    free(thread->scopes);
    thread->scopes = NULL;
    thread->scope_capacity = 0;
}
