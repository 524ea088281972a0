/* SPDX-License-Identifier: MIT */
/*
 * A recorder that sleeps while programs write nothing, and how they wake it.
 *
 * The recorder takes the session out of the fast path: `awake` in its slot is not the session any
 * more, so each thread's next event takes the general path. Some time later, when no writer can be
 * in the fast path still, it hangs the doorbell out, looks into the pools again, and waits for
 * the word. The general path tests it after an event. So the fast path pays nothing, and one system
 * call is made by the first event after a pause. A recorder sleeps only while no process that it
 * records could be killed for that call.
 */
#ifndef ENGINE_DOORBELL_H
#define ENGINE_DOORBELL_H

#include "core/atomic.h"
#include "core/private_api.h"
#include "engine/registry.h"
#include "engine/session.h"

#include <cairn/tracepoint.h>

/* Wakes the recorder, if it still sleeps. Changes no errno. */
void engine_doorbell_wake(struct engine_session_slot *slot);

/* After an event, or when something has changed that a recorder has to see. */
static inline void engine_doorbell_ring(struct engine_session_slot *slot)
{
    if (cairn_unlikely(core_load_relaxed(&slot->doorbell)))
        engine_doorbell_wake(slot);
}

/* The same for all sessions, in a child that may become unable to do it later. */
void engine_doorbell_ring_all(const struct engine_registry *local);

/* ---- recorders ---- */

/* Ends the fast path, or allows it again. */
void engine_doorbell_doze(struct engine_registry *local, const struct engine_session *session)
    CORE_PRIVATE_API(engine_doorbell_doze);
void engine_doorbell_rouse(struct engine_registry *local, const struct engine_session *session)
    CORE_PRIVATE_API(engine_doorbell_rouse);

/* Hangs the doorbell out, some time after engine_doorbell_doze. Returns the word: 0 when it was
 * rung, 1 before. */
uint32_t *engine_doorbell_hang(struct engine_registry *local, const struct engine_session *session)
    CORE_PRIVATE_API(engine_doorbell_hang);

#endif
