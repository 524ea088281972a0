/* SPDX-License-Identifier: MIT */
/* Removing the registrations and sessions of dead processes. All under the lock. */
#ifndef ENGINE_SWEEP_H
#define ENGINE_SWEEP_H

#include "core/private_api.h"
#include "engine/registry.h"

/* Ends sessions of dead recorders and removes registrations of dead processes. Cheap if there are
 * none. */
void engine_registry_sweep(struct engine_registry *local) CORE_PRIVATE_API(engine_registry_sweep);

/* Disables the events of dead sessions; the rest of their removal is left to a sweep. Takes no
 * memory. */
void engine_registry_silence_dead(struct engine_registry *local);

/* The same for the sessions of a mask, dead or not; they get no new events either. */
void engine_registry_silence(struct engine_registry *local, uint64_t sessions);

/* Without the lock: true if there is a session to be silenced. Takes no memory. */
bool engine_registry_any_dead(const struct engine_registry *local)
    CORE_PRIVATE_API(engine_registry_any_dead);

/* Repairs the registry: the last holder of the lock died during a change. */
void engine_registry_recover(struct engine_registry *local);

/* Ends a session: removes it from all entries, removes its files and frees its slot. */
void engine_session_release(struct engine_registry *local, uint32_t slot);

#endif
