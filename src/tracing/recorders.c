/* SPDX-License-Identifier: MIT */
/* New recorders of the engine: the sessions of its slots have numbers that only grow. */
#include "tracing/recorders.h"

#include "core/atomic.h"
#include "engine/engine.h"
#include "tracing/reserve.h"

/* The slots with a session after `generation`; *ret_latest is that of the latest one. */
static uint64_t slots_after(uint64_t generation, uint64_t *ret_latest)
{
    const struct engine_session_slot *slots = engine_self.local.slots;
    uint64_t mask = 0;

    *ret_latest = generation;
    for (uint32_t i = 0; slots && i < ENGINE_SESSION_MAX; i++) {
        uint64_t number = core_load_acquire(&slots[i].generation);

        if (number <= generation)
            continue;
        mask |= UINT64_C(1) << i;
        if (number > *ret_latest)
            *ret_latest = number;
    }
    return mask;
}

void tracing_recorders_begin(struct tracing_recorders *known)
{
    uint64_t latest;

    if (known->has_begun)
        return;
    known->has_begun = true;
    tracing_reserve_prepare();
    (void)slots_after(0, &latest);
    core_store_relaxed(&known->generation, latest);
}

bool tracing_recorders_have_changed(const struct tracing_recorders *known)
{
    const struct engine_registry_file *registry = core_load_relaxed(&engine_self.local.registry);

    /* A recorder changes this number after it has enabled its events. */
    return registry && core_load_relaxed(&registry->changes) != core_load_relaxed(&known->changes);
}

uint64_t tracing_recorders_new(struct tracing_recorders *known)
{
    const struct engine_registry_file *registry = engine_self.local.registry;
    uint32_t changes = core_load_acquire(&registry->changes);
    uint64_t generation = core_load_relaxed(&known->generation);
    uint64_t latest;
    uint64_t slots = slots_after(generation, &latest);

    /* A recorder that has a slot but has not enabled all of its events yet would get no span of the
     * others: the next look finds it. Acquire pairs with the release at the end of a change. */
    if (slots && core_load_acquire(&registry->changing))
        return 0;
    core_store_relaxed(&known->changes, changes);
    return slots && core_compare_exchange_relaxed(&known->generation, &generation, latest) ? slots
                                                                                           : 0;
}

bool tracing_recorders_want(const struct cairn_tracepoint *tp, uint64_t slots)
{
    const struct engine_event_entry *entry = core_load_acquire(&tp->local);

    return entry && core_load_relaxed(&entry->sessions) & slots;
}
