/* SPDX-License-Identifier: MIT */
/*
 * The doorbell: a word of a session's slot by which a recorder that sleeps notices events.
 *
 * Before it sleeps, the recorder ends the fast path of writers: it changes `awake` in its slot, so
 * that each thread's next event takes the general path. Some time later, when no writer can still
 * be in the fast path, it arms the doorbell, reads the pools again, and sleeps. On the general
 * path, writers mark an armed doorbell after an event. They make no system call, because a sandbox
 * might end the process for it. The recorder checks the word once a second, and when a process has
 * used some processor time (session/processor_time.h). So the first events after a pause wait in
 * their buffers, and a program that writes many is noticed before its buffer is full.
 *
 * A process that starts, or is forked, makes system calls anyway. It rings the doorbell, which
 * wakes the recorder at once, because the recorder does not watch the new process's processor time
 * yet.
 */
#ifndef ENGINE_DOORBELL_H
#define ENGINE_DOORBELL_H

#include "core/atomic.h"
#include "core/private_api.h"
#include "engine/registry.h"
#include "engine/session.h"

#include <cairn/tracepoint.h>

/* The values of the word: the recorder is awake, or is woken; it sleeps; it sleeps, and an event
 * was written. */
enum engine_doorbell { ENGINE_DOORBELL_AWAKE, ENGINE_DOORBELL_ARMED, ENGINE_DOORBELL_MARKED };

/* Called after an event. */
static inline void engine_doorbell_mark(struct engine_session_slot *slot)
{
    if (cairn_unlikely(core_load_relaxed(&slot->doorbell) == ENGINE_DOORBELL_ARMED))
        core_store_relaxed(&slot->doorbell, ENGINE_DOORBELL_MARKED);
}

/* Wakes the recorder, if it still sleeps. Preserves errno. */
void engine_doorbell_wake(struct engine_session_slot *slot);

/* Wakes the recorder if it sleeps. Called after changes that it must notice at once, but not after
 * events, because this can make a system call. */
static inline void engine_doorbell_ring(struct engine_session_slot *slot)
{
    if (cairn_unlikely(core_load_relaxed(&slot->doorbell)))
        engine_doorbell_wake(slot);
}

/* The same for all sessions; called in a forked child. */
void engine_doorbell_ring_all(const struct engine_registry *local);

/* ---- recorders ---- */

/* Ends the writers' fast path, or allows it again. */
void engine_doorbell_end_fast_path(struct engine_registry *local,
                                   const struct engine_session *session)
    CORE_PRIVATE_API(engine_doorbell_end_fast_path);
void engine_doorbell_allow_fast_path(struct engine_registry *local,
                                     const struct engine_session *session)
    CORE_PRIVATE_API(engine_doorbell_allow_fast_path);

/* Arms the doorbell. Called some time after engine_doorbell_end_fast_path. Returns the word, of
 * enum engine_doorbell. */
uint32_t *engine_doorbell_arm(struct engine_registry *local, const struct engine_session *session)
    CORE_PRIVATE_API(engine_doorbell_arm);

#endif
