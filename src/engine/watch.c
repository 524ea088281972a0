/* SPDX-License-Identifier: MIT */
#include "engine/watch.h"
#include "engine/engine.h"
#include "engine/session.h"
#include "engine/sweep.h"

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

/*
 * The status byte of an entry follows from its mask and from the sessions' bits, which others may
 * change meanwhile: who stores it last has looked at them after that.
 */
static void refresh_without_lock(struct cairn_local *local, uint32_t index)
{
    for (int tries = 0; tries < 3; tries++) {
        uint8_t before = __atomic_load_n(&local->status[index], __ATOMIC_RELAXED);

        cairn_registry_refresh_status(local, index);
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        if (tries && __atomic_load_n(&local->status[index], __ATOMIC_RELAXED) == before)
            break;
    }
}

static void silence(struct cairn_local *local, uint32_t slot)
{
    /* A recorder that was only stopped finds this, and takes it back: cairn_session_beat. */
    __atomic_store_n(&local->slots[slot].status_bit, 0, __ATOMIC_SEQ_CST);
    for (uint32_t i = 1; i < cairn_registry_end(local); i++) {
        if (__atomic_load_n(&local->entries[i].sessions, __ATOMIC_RELAXED) >> slot & 1)
            refresh_without_lock(local, i);
    }
    __atomic_fetch_add(&local->registry->changes, 1, __ATOMIC_RELEASE);
}

void cairn_watch_heartbeats(uint64_t now_ns)
{
    struct cairn_local *local = &cairn_i_engine.local;

    if (!is_time(now_ns))
        return;
    for (uint32_t i = 0; i < CAIRN_SESSION_MAX; i++) {
        const struct cairn_session_slot *slot = &local->slots[i];
        /* First, and acquire: a session that begins finds the heartbeat of the one before it. */
        uint64_t session = __atomic_load_n(&slot->generation, __ATOMIC_ACQUIRE);
        uint64_t beat = __atomic_load_n(&slot->heartbeat_ns, __ATOMIC_RELAXED);

        if (session && beat && now_ns > beat && now_ns - beat > CAIRN_HEARTBEAT_NS &&
            __atomic_load_n(&slot->status_bit, __ATOMIC_RELAXED))
            silence(local, i);
    }
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
