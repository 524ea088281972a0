/* SPDX-License-Identifier: MIT */
/* Registers the typed tracepoints of a program or DLL: their systems as providers.
 * user_events/trace_register.c is the same for Linux. */
#include "core/atomic.h"
#include "core/options.h"
#include "engine/locks.h"
#include "etw/typed.h"
#include "kernel/event_state.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Protected by ENGINE_LOCK_TRACEPOINTS, as the registrations are. */
static struct etw_typed_system *systems;

static struct etw_typed **registrations_of(struct cairn_provider *provider)
{
    return (struct etw_typed **)(void *)&provider->reserved_state[1];
}

/* ---- what the sessions want ---- */

/* Two threads may update the status at once, and the one that read an older state may store last.
 * So each repeats this until the state is the one that it stored. */
static void update(const struct cairn_provider *provider, struct etw_typed *typed)
{
    bool is_enabled;

    do {
        is_enabled = cairn_i_etw_is_enabled(provider, ETW_TYPED_LEVEL, 0);
        if (is_enabled)
            core_fetch_or_release(&typed->status, ETW_TYPED_SESSIONS);
        else
            core_fetch_and_release(&typed->status, (unsigned char)~ETW_TYPED_SESSIONS);
        core_fence_seq_cst();
    } while (is_enabled != cairn_i_etw_is_enabled(provider, ETW_TYPED_LEVEL, 0));
}

void etw_typed_update(struct cairn_provider *provider)
{
    /* Pairs with the release in adding one. */
    struct etw_typed *typed = core_load_acquire(registrations_of(provider));

    for (; typed; typed = typed->next)
        update(provider, typed);
}

/* ---- systems ---- */

static struct etw_typed_system *make_system(const char *name)
{
    size_t size = strlen(name) + 1;
    struct etw_typed_system *system = calloc(1, sizeof(*system) + size);

    if (!system)
        return NULL;
    memcpy(system->name, name, size);
    system->provider.version = CAIRN_I_PROVIDER_VERSION;
    system->provider.name = system->name;
    system->next = systems;
    systems = system;
    return system;
}

static struct etw_typed_system *find_system(const char *name)
{
    struct etw_typed_system *system = systems;

    while (system && strcmp(system->name, name) != 0)
        system = system->next;
    return system ? system : make_system(name);
}

/* A provider is registered as long as one of its tracepoints is. */
static int use_system(struct etw_typed_system *system)
{
    int error = system->used ? 0 : cairn_provider_register(&system->provider);

    system->used += !error;
    return error;
}

static void leave_system(struct etw_typed_system *system)
{
    if (!--system->used)
        (void)cairn_provider_unregister(&system->provider);
}

/* ---- tracepoints ---- */

/* Metadata begins with its size. */
static bool has_metadata(const struct etw_typed *typed, const struct etw_copy *metadata)
{
    return !memcmp(typed->metadata, metadata->bytes, sizeof(uint16_t)) &&
           !memcmp(typed->metadata, metadata->bytes, metadata->length);
}

/* Finds a registration with this metadata that is not in use, or creates one. NULL: no memory. */
static struct etw_typed *find_registration(struct etw_typed_system *system,
                                           const struct etw_copy *metadata)
{
    struct etw_typed **first = registrations_of(&system->provider);
    struct etw_typed *typed = *first;

    while (typed && (typed->event || !has_metadata(typed, metadata)))
        typed = typed->next;
    if (typed)
        return typed;
    typed = calloc(1, sizeof(*typed) + metadata->length);
    if (!typed)
        return NULL;
    memcpy(typed->metadata, metadata->bytes, metadata->length);
    typed->system = system;
    typed->next = *first;
    core_store_release(first, typed);
    return typed;
}

static bool is_readable(const struct cairn_trace_event *event)
{
    return core_version_is_known(event->version, CAIRN_I_TRACE_VERSION) &&
           core_version_is_known(event->event_class->version, CAIRN_I_TRACE_VERSION);
}

static int add(struct cairn_trace_event *event)
{
    struct etw_typed_system *system;
    struct etw_typed *typed;
    struct etw_copy metadata;
    int error = is_readable(event) ? etw_typed_write_metadata(event, &metadata) : EPROTONOSUPPORT;

    if (error)
        return error;
    system = find_system(event->system);
    typed = system ? find_registration(system, &metadata) : NULL;
    error = typed ? use_system(system) : ENOMEM;
    if (error)
        return error;
    typed->event = event;
    event->trace = &etw_typed_trace;
    event->tracepoint.registered = true;
    core_store_release(&event->tracepoint.local, typed);
    core_store_release(&event->tracepoint.enabled, &typed->status);
    update(&system->provider, typed);
    return 0;
}

/* A thread that has found the event enabled may still write it: see typed_write.c. */
static void take_away(struct cairn_trace_event *event)
{
    struct etw_typed *typed = event->tracepoint.local;

    core_store_release(&event->tracepoint.enabled, cairn_i_never_enabled);
    core_store_release(&event->tracepoint.local, NULL);
    event->tracepoint.registered = false;
    typed->event = NULL;
    core_store_release(&typed->status, 0);
    kernel_state_drop(event);
    leave_system(typed->system);
}

int cairn_trace_events_register(struct cairn_trace_event *const *start,
                                struct cairn_trace_event *const *stop)
{
    int first_error = 0;

    etw_typed_prepare();
    engine_lock_take(ENGINE_LOCK_TRACEPOINTS);
    for (struct cairn_trace_event *const *at = start; at < stop; at++) {
        int error = *at && !(*at)->tracepoint.registered ? add(*at) : 0;

        first_error = first_error ? first_error : error;
    }
    engine_lock_release(ENGINE_LOCK_TRACEPOINTS);
    return first_error;
}

static void wait_for_switches(struct cairn_trace_event *const *start,
                              struct cairn_trace_event *const *stop)
{
    for (struct cairn_trace_event *const *at = start; at < stop; at++) {
        if (*at && (*at)->trace)
            kernel_trace_wait_for_switches(*at);
    }
}

int cairn_trace_events_unregister(struct cairn_trace_event *const *start,
                                  struct cairn_trace_event *const *stop)
{
    bool had_any = false;
    int error;

    engine_lock_take(ENGINE_LOCK_TRACEPOINTS);
    for (struct cairn_trace_event *const *at = start; at < stop; at++) {
        if (!*at || !(*at)->tracepoint.registered)
            continue;
        take_away(*at);
        had_any = true;
    }
    engine_lock_release(ENGINE_LOCK_TRACEPOINTS);
    if (!had_any)
        return 0;
    /* Callbacks may run until the process ends, or their threads do not exist any more. */
    if (engine_process_is_ending())
        return EINPROGRESS;
    error = cairn_trace_synchronize(&etw_typed_trace);
    if (!error)
        wait_for_switches(start, stop);
    return error;
}
