/* SPDX-License-Identifier: MIT */
/* All call sites and all layers in use, and which layer wants which call site. */
#include "tracing/registry.h"

#include "core/atomic.h"
#include "core/options.h"
#include "engine/locks.h"
#include "tracing/dispatch.h"
#include "tracing/eventheader_cache.h"
#include "tracing/remote.h"
#include "tracing/span.h"
#include "tracing/thread.h"

#include <string.h>

static const unsigned char ones[8] = {1, 1, 1, 1, 1, 1, 1, 1};

#define GATE_OPEN                           \
    {                                       \
        .enabled = ones, .kernel_index = -1 \
    }

const struct cairn_tracepoint cairn_i_gate_new = GATE_OPEN;
const struct cairn_tracepoint cairn_i_gate_always = GATE_OPEN;

struct tracing_installed_layer *tracing_layer_slots[CAIRN_LAYERS_MAX];

static struct cairn_callsite *sites;

void tracing_registry_lock(void)
{
    engine_lock_take(ENGINE_LOCK_CALL_SITES);
}

void tracing_registry_unlock(void)
{
    engine_lock_release(ENGINE_LOCK_CALL_SITES);
}

/* ---- matching call sites with layers ---- */

static const struct cairn_tracepoint *interest_of(const struct tracing_installed_layer *installed,
                                                  const struct cairn_callsite *site)
{
    struct cairn_layer *layer = installed->layer;
    struct tracing_thread *thread = layer->interest ? tracing_thread_get() : NULL;
    const struct cairn_tracepoint *gate;
    bool was_busy;

    if (!thread)
        return layer->interest ? layer->interest(layer, site) : CAIRN_ALWAYS;
    was_busy = thread->is_busy;
    thread->is_busy = true; /* events of the layer are dropped here: they could need the lock */
    gate = layer->interest(layer, site);
    thread->is_busy = was_busy;
    return gate;
}

/* One gate is enough for two layers only if both have the same. */
static const struct cairn_tracepoint *join(const struct cairn_tracepoint *a,
                                           const struct cairn_tracepoint *b)
{
    return !a || a == b ? b : CAIRN_ALWAYS;
}

void tracing_registry_ask(struct cairn_callsite *site)
{
    const struct cairn_tracepoint *gate = NULL;
    uint32_t wanted = 0;
    uint32_t maybe = 0;

    for (uint32_t i = 0; i < CAIRN_LAYERS_MAX; i++) {
        const struct tracing_installed_layer *installed = tracing_layer_slots[i];
        const struct cairn_tracepoint *own;
        enum tracing_verdict verdict;

        if (!installed || !installed->subscriber->is_active)
            continue;
        verdict = tracing_directives_judge(installed->directives, site);
        own = verdict == TRACING_VERDICT_NO ? CAIRN_NEVER : interest_of(installed, site);
        if (!own)
            continue;
        wanted |= UINT32_C(1) << i;
        if (verdict == TRACING_VERDICT_IN_SOME_SPANS)
            maybe |= UINT32_C(1) << i;
        gate = join(gate, own);
    }
    core_store_relaxed(&site->maybe, maybe);
    /* Pairs with the acquire in dispatch.c: a thread that sees `wanted` sees the rest. */
    core_store_release(&site->wanted, wanted);
    core_store_relaxed(&site->gate, gate ? gate : tracing_remote_unwanted());
}

void tracing_registry_ask_all(void)
{
    for (struct cairn_callsite *site = sites; site; site = site->next)
        tracing_registry_ask(site);
}

void tracing_registry_each(void (*look)(const struct cairn_callsite *site, void *arg), void *arg)
{
    for (struct cairn_callsite *site = sites; site; site = site->next)
        look(site, arg);
}

/* ---- registering call sites ---- */

/* Name of a source file: the file is MODULE::FILE if a macro set it, otherwise a path. */
static const char *file_name(const char *file)
{
    const char *name = strrchr(file, '/');

    if (name)
        return name + 1;
    for (name = file; (name = strstr(name, "::"));)
        file = name += 2;
    return file;
}

/* Without a target, the target is the name of the source file without its ending. */
static void name_target(struct cairn_callsite *site)
{
    const char *name = file_name(site->file);
    const char *dot = strrchr(name, '.');

    if (site->target) {
        site->target_bytes = (uint32_t)strlen(site->target);
    } else {
        site->target = strchr(site->file, '/') ? name : site->file;
        site->target_bytes =
            (uint32_t)(dot && dot != name ? (size_t)(dot - site->target) : strlen(site->target));
    }
    site->file = name;
}

/* One that was compiled with headers of a later version cannot be read: nobody wants it. */
static void refuse(struct cairn_callsite *site)
{
    core_store_relaxed(&site->gate, NULL);
    tracing_dispatch_count_lost();
}

static void meet_locked(struct cairn_callsite *site)
{
    if (site->is_known)
        return;
    if (!core_version_is_known(site->version, CAIRN_I_CALLSITE_VERSION)) {
        refuse(site);
        return;
    }
    site->is_known = true;
    name_target(site);
    site->next = sites;
    sites = site;
    tracing_registry_ask(site);
}

void tracing_registry_meet(struct cairn_callsite *site)
{
    tracing_registry_lock();
    meet_locked(site);
    tracing_registry_unlock();
}

bool cairn_i_callsite_meet(struct cairn_callsite *site)
{
    const struct cairn_tracepoint *gate;

    if (tracing_in_callback())
        return false;
    tracing_registry_meet(site);
    gate = core_load_relaxed(&site->gate);
    return gate && cairn_tracepoint_is_enabled(gate);
}

/* Returns true if it took the lock. A layer that is asked about a call site may load an object or
 * end the process, with the lock held by this thread. */
static bool lock_unless_mine(void)
{
    bool is_mine = engine_lock_is_mine(ENGINE_LOCK_CALL_SITES);

    if (!is_mine)
        tracing_registry_lock();
    return !is_mine;
}

void cairn_i_tracing_load(struct cairn_i_tracing_object *object)
{
    bool is_locked = lock_unless_mine();

    for (const struct cairn_i_callsite_distance *entry = object->begin; entry < object->end;
         entry++)
        meet_locked((struct cairn_callsite *)((uintptr_t)entry + (uintptr_t)(intptr_t)entry->site));
    if (is_locked)
        tracing_registry_unlock();
}

void cairn_i_tracing_unload(struct cairn_i_tracing_object *object)
{
    struct cairn_callsite **link = &sites;
    bool is_locked;

    if (!engine_lock_is_mine(ENGINE_LOCK_CALL_SITES) && !tracing_in_callback())
        tracing_span_unload(object);
    is_locked = lock_unless_mine();
    while (*link) {
        if ((*link)->object == object)
            *link = (*link)->next;
        else
            link = &(*link)->next;
    }
    tracing_cached_events_invalidate();
    if (is_locked)
        tracing_registry_unlock();
}
