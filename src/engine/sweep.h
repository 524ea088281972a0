/* SPDX-License-Identifier: MIT */
/* Removing the registrations and sessions of dead processes. All under the lock. */
#ifndef ENGINE_SWEEP_H
#define ENGINE_SWEEP_H

#include "core/private_api.h"
#include "engine/registry.h"

/* Ends dead sessions and takes back dead processes' registrations. Cheap when nobody has died. */
CAIRN_PRIVATE_API void cairn_registry_sweep(struct cairn_engine_registry *local);

/* Disables the events of dead sessions; the rest of their removal is left to a sweep. Takes no
 * memory. */
void cairn_registry_silence_dead(struct cairn_engine_registry *local);

/* The same for the sessions of a mask, dead or not; they take no new events either. */
void cairn_registry_silence(struct cairn_engine_registry *local, uint64_t sessions);

/* Without the lock: true if there is a session to be silenced. Takes no memory. */
CAIRN_PRIVATE_API bool cairn_registry_any_dead(const struct cairn_engine_registry *local);

/* Repairs the registry: the last holder of the lock died during a change. */
void cairn_registry_recover(struct cairn_engine_registry *local);

/* Ends a session: no entry is wanted by it any more, its files are removed, its slot is free. */
void cairn_session_release(struct cairn_engine_registry *local, uint32_t slot);

#endif
