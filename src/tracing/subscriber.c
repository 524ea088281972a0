/* SPDX-License-Identifier: MIT */
/* Sets of layers. A change is made under the registry's lock, and what it replaced is let go of
 * when nobody can be looking at it any more. */
#include "tracing/subscriber.h"

#include "engine/clock.h"
#include "tracing/registry.h"
#include "tracing/span_filter.h"
#include "user_events/readers.h"

#include <cairn/tracing/layers.h>
#include <errno.h>
#include <stdlib.h>

struct cairn_subscriber *cairn_i_global_subscriber;

/* Slots are used in turn, so that one is free for long before it is somebody else's. */
static uint32_t last_slot;

uint32_t cairn_i_foreign_layers;

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

        if (!cairn_i_layer_slots[slot]) {
            *ret_slot = slot;
            return true;
        }
    }
    return false;
}

static struct cairn_installed_layer *make_installed(struct cairn_layer *layer,
                                                    struct cairn_directives *directives,
                                                    struct cairn_subscriber *subscriber)
{
    struct cairn_installed_layer *installed = malloc(sizeof(*installed));

    if (installed)
        *installed = (struct cairn_installed_layer){layer, directives, subscriber};
    return installed;
}

static void free_installed(struct cairn_installed_layer *installed)
{
    cairn_directives_destroy(installed->directives);
    free(installed);
}

static bool do_filters_ask_values(void)
{
    for (uint32_t i = 0; i < CAIRN_LAYERS_MAX; i++)
        if (cairn_i_layer_slots[i] &&
            cairn_directives_ask_values(cairn_i_layer_slots[i]->directives))
            return true;
    return false;
}

/* Pairs with the acquire of who calls the layer. */
static void put_into_slot(uint32_t slot, struct cairn_installed_layer *installed)
{
    uint32_t bit = UINT32_C(1) << slot;

    if (installed && !installed->layer->is_ours)
        __atomic_fetch_or(&cairn_i_foreign_layers, bit, __ATOMIC_RELAXED);
    else
        __atomic_fetch_and(&cairn_i_foreign_layers, ~bit, __ATOMIC_RELAXED);
    __atomic_store_n(&cairn_i_layer_slots[slot], installed, __ATOMIC_RELEASE);
    cairn_span_filter_ask_values(do_filters_ask_values());
    cairn_span_filter_change_all();
}

/*
 * Returns when nobody is looking at what was there before. A value that was being recorded was
 * compared by the filters of before: what new ones that ask for values found meanwhile is not to be
 * relied on.
 */
static void wait_for_readers(bool asks_values)
{
    cairn_readers_wait();
    if (asks_values)
        cairn_span_filter_change_all();
}

/*
 * Whether a subscriber is in use now. A thread may be entering it without the lock: it adds its use
 * first and looks at is_active then; here it is the other way round, so that one of the two sees
 * what the other did.
 */
static void settle(struct cairn_subscriber *subscriber)
{
    __atomic_store_n(&subscriber->is_active, false, __ATOMIC_SEQ_CST);
    if (__atomic_load_n(&subscriber->uses, __ATOMIC_SEQ_CST))
        __atomic_store_n(&subscriber->is_active, true, __ATOMIC_SEQ_CST);
}

/* Asks the layers of the subscribers that are in use about all sites. Under the lock. */
static void ask_all(void)
{
    for (uint32_t i = 0; i < CAIRN_LAYERS_MAX; i++)
        if (cairn_i_layer_slots[i])
            settle(cairn_i_layer_slots[i]->subscriber);
    cairn_registry_ask_all();
}

static int add_locked(struct cairn_subscriber *subscriber, struct cairn_layer *layer,
                      struct cairn_directives *directives)
{
    struct cairn_installed_layer *installed;
    uint32_t slot;

    if (!find_free_slot(&slot))
        return ENOSPC;
    installed = make_installed(layer, directives, subscriber);
    if (!installed)
        return ENOMEM;
    last_slot = slot;
    layer->slot = slot;
    layer->since_ns = cairn_clock_of_system();
    put_into_slot(slot, installed);
    __atomic_fetch_or(&subscriber->layers, UINT32_C(1) << slot, __ATOMIC_RELEASE);
    ask_all();
    return 0;
}

int cairn_subscriber_add(struct cairn_subscriber *subscriber, struct cairn_layer *layer,
                         struct cairn_directives *directives)
{
    bool asks_values = cairn_directives_ask_values(directives);
    int error;

    if (cairn_tracing_in_callback())
        return EDEADLK;
    cairn_registry_lock();
    error = add_locked(subscriber, layer, directives);
    cairn_registry_unlock();
    if (!error && asks_values)
        wait_for_readers(true);
    return error;
}

/* Of a layer of this subscriber; NULL: it is not. Under the lock. */
static struct cairn_installed_layer *find_installed(const struct cairn_subscriber *subscriber,
                                                    const struct cairn_layer *layer)
{
    struct cairn_installed_layer *installed;

    if (layer->slot >= CAIRN_LAYERS_MAX || !(subscriber->layers >> layer->slot & 1))
        return NULL;
    installed = cairn_i_layer_slots[layer->slot];
    return installed->layer == layer ? installed : NULL;
}

static int reload_locked(const struct cairn_subscriber *subscriber, struct cairn_layer *layer,
                         struct cairn_directives *directives,
                         struct cairn_installed_layer **ret_old)
{
    struct cairn_installed_layer *old = find_installed(subscriber, layer);
    struct cairn_installed_layer *installed;

    if (!old)
        return ENOENT;
    installed = make_installed(layer, directives, old->subscriber);
    if (!installed)
        return ENOMEM;
    put_into_slot(layer->slot, installed);
    ask_all();
    *ret_old = old;
    return 0;
}

int cairn_subscriber_reload(struct cairn_subscriber *subscriber, struct cairn_layer *layer,
                            struct cairn_directives *directives)
{
    bool asks_values = cairn_directives_ask_values(directives);
    struct cairn_installed_layer *old;
    int error;

    if (cairn_tracing_in_callback())
        return EDEADLK;
    cairn_registry_lock();
    error = reload_locked(subscriber, layer, directives, &old);
    cairn_registry_unlock();
    if (error)
        return error;
    wait_for_readers(asks_values);
    free_installed(old);
    return 0;
}

/* Nobody finds the layer in the slot from now on. The slot is free. */
static struct cairn_installed_layer *take_out(struct cairn_subscriber *subscriber, uint32_t slot)
{
    struct cairn_installed_layer *installed = cairn_i_layer_slots[slot];

    __atomic_fetch_and(&subscriber->layers, ~(UINT32_C(1) << slot), __ATOMIC_RELEASE);
    put_into_slot(slot, NULL);
    return installed;
}

static void end_layer(struct cairn_installed_layer *installed)
{
    struct cairn_layer *layer = installed->layer;

    free_installed(installed);
    cairn_layer_destroy(layer);
}

int cairn_subscriber_remove(struct cairn_subscriber *subscriber, struct cairn_layer *layer)
{
    struct cairn_installed_layer *installed;

    if (cairn_tracing_in_callback())
        return EDEADLK;
    cairn_registry_lock();
    installed = find_installed(subscriber, layer);
    if (installed) {
        (void)take_out(subscriber, layer->slot);
        ask_all();
    }
    cairn_registry_unlock();
    if (!installed)
        return ENOENT;
    cairn_readers_wait();
    end_layer(installed);
    return 0;
}

int cairn_subscriber_destroy(struct cairn_subscriber *subscriber)
{
    struct cairn_installed_layer *removed[CAIRN_LAYERS_MAX];
    uint32_t count = 0;
    bool is_used;

    if (!subscriber)
        return 0;
    if (cairn_tracing_in_callback())
        return EDEADLK;
    cairn_registry_lock();
    is_used = __atomic_load_n(&subscriber->uses, __ATOMIC_SEQ_CST) != 0;
    for (uint32_t i = 0; !is_used && i < CAIRN_LAYERS_MAX; i++)
        if (subscriber->layers >> i & 1)
            removed[count++] = take_out(subscriber, i);
    if (count && subscriber->is_active)
        ask_all();
    cairn_registry_unlock();
    if (is_used)
        return EBUSY;
    cairn_readers_wait();
    for (uint32_t i = 0; i < count; i++)
        end_layer(removed[i]);
    free(subscriber);
    return 0;
}

/* ---- which are in use ---- */

/* Pairs with settle. Returns false when the sites have not been asked for its layers. */
static bool use(struct cairn_subscriber *subscriber)
{
    if (!subscriber)
        return true;
    __atomic_fetch_add(&subscriber->uses, 1, __ATOMIC_SEQ_CST);
    return __atomic_load_n(&subscriber->is_active, __ATOMIC_SEQ_CST);
}

/* Returns whether this was the last use. */
static bool end_use(struct cairn_subscriber *subscriber)
{
    return subscriber && __atomic_sub_fetch(&subscriber->uses, 1, __ATOMIC_SEQ_CST) == 0;
}

/* Of a subscriber in use. Under the lock. */
static void activate(struct cairn_subscriber *subscriber)
{
    if (subscriber->is_active)
        return;
    __atomic_store_n(&subscriber->is_active, true, __ATOMIC_SEQ_CST);
    if (subscriber->layers)
        ask_all();
}

void cairn_subscriber_replace_global(struct cairn_subscriber *subscriber)
{
    struct cairn_subscriber *old = cairn_i_global_subscriber;

    if (!use(subscriber))
        activate(subscriber);
    __atomic_store_n(&cairn_i_global_subscriber, subscriber, __ATOMIC_RELEASE);
    if (end_use(old))
        ask_all();
}

int cairn_subscriber_set_global(struct cairn_subscriber *subscriber)
{
    if (cairn_tracing_in_callback())
        return EDEADLK;
    cairn_registry_lock();
    cairn_subscriber_replace_global(subscriber);
    cairn_registry_unlock();
    cairn_readers_wait();
    return 0;
}

/* ---- of a thread's own ---- */

static bool make_room(struct cairn_tracing_thread *thread)
{
    uint32_t room = thread->scope_room ? 2 * thread->scope_room : 4;
    struct cairn_tracing_scope *scopes;

    if (thread->scope_count < thread->scope_room)
        return true;
    scopes = realloc(thread->scopes, room * sizeof(*scopes));
    if (!scopes)
        return false;
    thread->scopes = scopes;
    thread->scope_room = room;
    return true;
}

int cairn_subscriber_enter(struct cairn_subscriber_scope *scope,
                           struct cairn_subscriber *subscriber)
{
    struct cairn_tracing_thread *thread;

    if (cairn_tracing_in_callback())
        return EDEADLK;
    thread = cairn_tracing_thread_get();
    if (!thread || !make_room(thread))
        return ENOMEM;
    if (!use(subscriber)) {
        cairn_registry_lock();
        activate(subscriber);
        cairn_registry_unlock();
    }
    thread->scopes[thread->scope_count++] = (struct cairn_tracing_scope){scope, subscriber};
    return 0;
}

static void leave_innermost(struct cairn_tracing_thread *thread)
{
    (void)end_use(thread->scopes[--thread->scope_count].subscriber);
}

int cairn_subscriber_leave(struct cairn_subscriber_scope *scope)
{
    struct cairn_tracing_thread *thread = cairn_i_tracing_thread;

    if (cairn_tracing_in_callback())
        return EDEADLK;
    if (!thread || !thread->scope_count || thread->scopes[thread->scope_count - 1].scope != scope)
        return EINVAL;
    leave_innermost(thread);
    return 0;
}

void cairn_subscriber_leave_all(struct cairn_tracing_thread *thread)
{
    while (thread->scope_count)
        leave_innermost(thread);
    free(thread->scopes);
    thread->scopes = NULL;
    thread->scope_room = 0;
}
