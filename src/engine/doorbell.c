/* SPDX-License-Identifier: MIT */
/* The doorbell: wakes recorders that sleep. */
#include "engine/doorbell.h"

#include "os/lock.h"

#include <errno.h>

/* If several processes ring, only the first makes the system call. */
void engine_doorbell_wake(struct engine_session_slot *slot)
{
    int saved = errno;

    if (core_exchange_relaxed(&slot->doorbell, ENGINE_DOORBELL_AWAKE))
        os_wake_all(&slot->doorbell);
    errno = saved;
}

void engine_doorbell_ring_all(const struct engine_registry *local)
{
    for (uint32_t n = 0; n < ENGINE_SESSION_MAX; n++)
        engine_doorbell_ring(&local->slots[n]);
}

static struct engine_session_slot *slot_of(struct engine_registry *local,
                                           const struct engine_session *session)
{
    struct engine_session_slot *slot = &local->slots[session->slot];

    return core_load_relaxed(&slot->generation) == session->generation ? slot : NULL;
}

void engine_doorbell_end_fast_path(struct engine_registry *local,
                                   const struct engine_session *session)
{
    struct engine_session_slot *slot = slot_of(local, session);

    if (slot)
        core_store_seq_cst(&slot->awake, 0);
}

void engine_doorbell_allow_fast_path(struct engine_registry *local,
                                     const struct engine_session *session)
{
    struct engine_session_slot *slot = &local->slots[session->slot];

    engine_doorbell_wake(slot); /* also if the session has ended: a thread waits for the word */
    if (slot_of(local, session))
        core_store_release(&slot->awake, session->generation);
}

uint32_t *engine_doorbell_arm(struct engine_registry *local, const struct engine_session *session)
{
    uint32_t *doorbell = &local->slots[session->slot].doorbell;

    if (slot_of(local, session))
        core_store_seq_cst(doorbell, ENGINE_DOORBELL_ARMED);
    return doorbell;
}
