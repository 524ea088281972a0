/* SPDX-License-Identifier: MIT */
#include "local/watch.h"
#include "local/engine.h"
#include "local/sweep.h"

#define LOOK_NS UINT64_C(1000000000)

/* One thread of those that come at once is enough. */
static bool is_time(uint64_t now_ns)
{
    static uint64_t next_ns;
    uint64_t next = __atomic_load_n(&next_ns, __ATOMIC_RELAXED);

    return now_ns >= next && __atomic_compare_exchange_n(&next_ns, &next, now_ns + LOOK_NS, false,
                                                         __ATOMIC_RELAXED, __ATOMIC_RELAXED);
}

static void silence_dead(struct cairn_local *local)
{
    if (!cairn_registry_any_dead(local) || !cairn_local_is_at_its_path(local) ||
        cairn_local_try_lock(local))
        return;
    cairn_registry_silence_dead(local);
    cairn_local_unlock(local);
}

void cairn_watch_recorders(uint64_t now_ns)
{
    cairn_engine_guard guard;

    if (!is_time(now_ns))
        return;
    cairn_engine_lock(&guard);
    if (cairn_i_engine.attached && !cairn_i_engine.error)
        silence_dead(&cairn_i_engine.local);
    cairn_engine_unlock(&guard);
}
