/* SPDX-License-Identifier: MIT */
/* Detecting dead recorders, by their locks and by their heartbeats. */
#include "engine/watch.h"
#include "core/atomic.h"
#include "engine/engine.h"
#include "engine/session.h"
#include "engine/sweep.h"

#define LOOK_NS UINT64_C(1000000000)

/* One thread of those that come at once is enough. */
static bool is_time(uint64_t now_ns)
{
    static uint64_t next_ns;
    uint64_t next = cairn_load_relaxed(&next_ns);

    return now_ns >= next && cairn_compare_exchange_relaxed(&next_ns, &next, now_ns + LOOK_NS);
}

static void silence_dead(struct cairn_engine_registry *local)
{
    if (!cairn_registry_any_dead(local) || !cairn_engine_registry_is_at_its_path(local) ||
        cairn_engine_registry_try_lock(local))
        return;
    cairn_registry_silence_dead(local);
    cairn_engine_registry_unlock(local);
}

/*
 * The status byte of an entry follows from its mask and from the sessions' bits, which others may
 * change meanwhile: who stores it last has looked at them after that.
 */
static void refresh_without_lock(struct cairn_engine_registry *local, uint32_t index)
{
    for (int tries = 0; tries < 3; tries++) {
        uint8_t before = cairn_load_relaxed(&local->status[index]);

        cairn_registry_refresh_status(local, index);
        cairn_fence_seq_cst();
        if (tries && cairn_load_relaxed(&local->status[index]) == before)
            break;
    }
}

static void silence(struct cairn_engine_registry *local, uint32_t slot)
{
    /* A recorder that was only stopped finds this, and reverts it: cairn_session_beat. */
    cairn_store_seq_cst(&local->slots[slot].status_bit, 0);
    for (uint32_t i = 1; i < cairn_registry_end(local); i++) {
        if (cairn_load_relaxed(&local->entries[i].sessions) >> slot & 1)
            refresh_without_lock(local, i);
    }
    cairn_fetch_add_release(&local->registry->changes, 1);
}

void cairn_watch_heartbeats(uint64_t now_ns)
{
    struct cairn_engine_registry *local = &cairn_i_engine.local;

    if (!is_time(now_ns))
        return;
    for (uint32_t i = 0; i < CAIRN_SESSION_MAX; i++) {
        const struct cairn_session_slot *slot = &local->slots[i];
        /* First, and acquire: a session that begins finds the heartbeat of the one before it. */
        uint64_t session = cairn_load_acquire(&slot->generation);
        uint64_t beat = cairn_load_relaxed(&slot->heartbeat_ns);

        if (session && beat && now_ns > beat && now_ns - beat > CAIRN_HEARTBEAT_NS &&
            cairn_load_relaxed(&slot->status_bit))
            silence(local, i);
    }
}

void cairn_watch_recorders(uint64_t now_ns)
{
    cairn_engine_lock_state lock_state;

    if (!is_time(now_ns))
        return;
    cairn_engine_lock(&lock_state);
    if (cairn_i_engine.attached && !cairn_i_engine.error)
        silence_dead(&cairn_i_engine.local);
    cairn_engine_unlock(&lock_state);
}
