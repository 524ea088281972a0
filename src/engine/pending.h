/* SPDX-License-Identifier: MIT */
/*
 * Registrations without the registry's lock, for when another process holds it for too long. The
 * program leaves them in its process file, and points each tracepoint to a byte of its own there.
 * The next process that takes the lock, a recorder or a program, completes the registrations; the
 * byte is set when a session wants the event. A writer finds it set, and moves its tracepoint to
 * the byte of the event: without a lock and without a system call, because the program may be in a
 * sandbox by then.
 */
#ifndef ENGINE_PENDING_H
#define ENGINE_PENDING_H

#include "core/private_api.h"
#include "engine/registry.h"

#include <cairn/tracepoint.h>

/* Values of a tracepoint's `late`. */
enum engine_late {
    ENGINE_LATE_NOT = 0,
    ENGINE_LATE_WAITS,
    ENGINE_LATE_MOVES, /* a writer moves it to its event */
};

/* ---- in the program ---- */

/*
 * Leaves a registration; `flags` of enum engine_entry_flag. Returns 0, and the tracepoint is late;
 * EBUSY this failed too. Under the engine's lock.
 */
int engine_pending_register(struct cairn_tracepoint *tp, const char *command, uint32_t flags);

/*
 * The entry of a tracepoint that had none when it was looked for, or NULL if it is still late; with
 * the id of its records. Moves the tracepoint. Any thread, any signal handler; no system call.
 */
const struct engine_event_entry *engine_pending_find(const struct cairn_tracepoint *tp,
                                                     uint64_t *ret_sample_id);

/* True if a registration of a tracepoint was left. Under the engine's lock. */
bool engine_pending_has(const struct cairn_tracepoint *tp);

/* Waits for a writer that moves the tracepoint; from then on none does. Withdraws a registration
 * that was not completed yet. Call this before the tracepoint is unregistered, under the engine's
 * lock. */
void engine_pending_end(struct cairn_tracepoint *tp);

/* In a forked child: completes what other threads of the parent had begun. */
void engine_pending_become_child(void);

/* ---- under the registry's lock, in any process ---- */

/* Completes the registrations that processes have left since the last call. Cheap if there are
 * none. */
void engine_pending_take_over(struct engine_registry *local);

/* Enables those that a session wants now and that no process has written yet. Cheap when none was
 * ever left. */
void engine_pending_enable(struct engine_registry *local);

/* ---- without the lock ---- */

/* The same if registrations were left and the lock is free: recorders call it from time to time. */
void engine_pending_look(struct engine_registry *local) CORE_PRIVATE_API(engine_pending_look);

#endif
