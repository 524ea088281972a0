/* SPDX-License-Identifier: MIT */
/* Detecting dead recorders, by their locks and by their heartbeats. */
#include "engine/watch.h"
#include "core/atomic.h"
#include "engine/engine.h"
#include "engine/session.h"
#include "engine/sweep.h"

#define LOOK_NS UINT64_C(1000000000)

/* If several threads come at once, one is enough. */
static bool is_time(uint64_t now_ns)
{
    static uint64_t next_ns;
    uint64_t next = core_load_relaxed(&next_ns);

    return now_ns >= next && core_compare_exchange_relaxed(&next_ns, &next, now_ns + LOOK_NS);
}

static void silence_dead(struct engine_registry *local)
{
    if (!engine_registry_any_dead(local) || engine_registry_check_path(local) ||
        engine_registry_try_lock(local))
        return;
    engine_registry_silence_dead(local);
    engine_registry_unlock(local);
}

/*
 * The status byte of an entry depends on its mask and on the sessions' bits, which others may
 * change at the same time. So it is computed again until it does not change.
 */
static void refresh_without_lock(struct engine_registry *local, uint32_t index)
{
    for (int tries = 0; tries < 3; tries++) {
        uint8_t before = core_load_relaxed(&local->status[index]);

        engine_registry_refresh_status(local, index);
        core_fence_seq_cst();
        if (tries && core_load_relaxed(&local->status[index]) == before)
            break;
    }
}

static void silence(struct engine_registry *local, uint32_t slot)
{
    /* A recorder that was only stopped finds this, and reverts it: engine_session_beat. */
    core_store_seq_cst(&local->slots[slot].status_bit, 0);
    for (uint32_t i = 1; i < engine_registry_end(local); i++) {
        if (core_load_relaxed(&local->entries[i].sessions) >> slot & 1)
            refresh_without_lock(local, i);
    }
    core_fetch_add_release(&local->registry->changes, 1);
}

void engine_watch_heartbeats(uint64_t now_ns)
{
    struct engine_registry *local = &engine_self.local;

    if (!is_time(now_ns))
        return;
    for (uint32_t i = 0; i < ENGINE_SESSION_MAX; i++) {
        const struct engine_session_slot *slot = &local->slots[i];
        /* First, and acquire: a session that begins finds the heartbeat of the one before it. */
        uint64_t session = core_load_acquire(&slot->generation);
        uint64_t beat = core_load_relaxed(&slot->heartbeat_ns);

        if (session && beat && now_ns > beat && now_ns - beat > ENGINE_HEARTBEAT_NS &&
            core_load_relaxed(&slot->status_bit))
            silence(local, i);
    }
}

void engine_watch_recorders(uint64_t now_ns)
{
    engine_lock_state lock_state;

    if (!is_time(now_ns))
        return;
    engine_lock(&lock_state);
    if (engine_self.attached && !engine_self.error)
        silence_dead(&engine_self.local);
    engine_unlock(&lock_state);
}
