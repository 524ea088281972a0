/* SPDX-License-Identifier: MIT */
/*
 * A recorder that sleeps while programs write nothing, and how it notices that they do.
 *
 * The recorder takes the session out of the fast path: `awake` in its slot is not the session any
 * more, so each thread's next event takes the general path. Some time later, when no writer can be
 * in the fast path still, it hangs the doorbell out, looks into the pools again, and sleeps. The
 * general path marks the word after an event, and makes no system call: a sandbox might end the
 * process for it. The recorder looks at the word once a second, and when a process has used some
 * processor time (session/processor_time.h). So the first events after a pause wait in their
 * buffers, and a program that writes many is noticed before they are full.
 *
 * A process that begins, or is forked, makes system calls anyway: it rings, which wakes the
 * recorder at once, since the recorder does not watch its processor time yet.
 */
#ifndef ENGINE_DOORBELL_H
#define ENGINE_DOORBELL_H

#include "core/atomic.h"
#include "core/private_api.h"
#include "engine/registry.h"
#include "engine/session.h"

#include <cairn/tracepoint.h>

/* The values of the word: the recorder is awake, or was rung for; it sleeps; and an event was
 * written meanwhile. */
enum engine_doorbell { ENGINE_DOORBELL_NONE, ENGINE_DOORBELL_HUNG, ENGINE_DOORBELL_MARKED };

/* After an event. */
static inline void engine_doorbell_mark(struct engine_session_slot *slot)
{
    if (cairn_unlikely(core_load_relaxed(&slot->doorbell) == ENGINE_DOORBELL_HUNG))
        core_store_relaxed(&slot->doorbell, ENGINE_DOORBELL_MARKED);
}

/* Wakes the recorder, if it still sleeps. Changes no errno. */
void engine_doorbell_wake(struct engine_session_slot *slot);

/* When something has changed that a recorder has to see at once. Not when an event is written. */
static inline void engine_doorbell_ring(struct engine_session_slot *slot)
{
    if (cairn_unlikely(core_load_relaxed(&slot->doorbell)))
        engine_doorbell_wake(slot);
}

/* The same for all sessions, in a child. */
void engine_doorbell_ring_all(const struct engine_registry *local);

/* ---- recorders ---- */

/* Ends the fast path, or allows it again. */
void engine_doorbell_doze(struct engine_registry *local, const struct engine_session *session)
    CORE_PRIVATE_API(engine_doorbell_doze);
void engine_doorbell_rouse(struct engine_registry *local, const struct engine_session *session)
    CORE_PRIVATE_API(engine_doorbell_rouse);

/* Hangs the doorbell out, some time after engine_doorbell_doze. Returns the word, of enum
 * engine_doorbell. */
uint32_t *engine_doorbell_hang(struct engine_registry *local, const struct engine_session *session)
    CORE_PRIVATE_API(engine_doorbell_hang);

#endif
