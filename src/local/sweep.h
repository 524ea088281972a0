/* SPDX-License-Identifier: MIT */
/* Taking away what dead processes held. All under the lock. */
#ifndef LOCAL_SWEEP_H
#define LOCAL_SWEEP_H

#include "local/registry.h"

/* Ends dead sessions and takes back dead processes' registrations. Cheap when nobody has died. */
void cairn_registry_sweep(struct cairn_local *local);

/* Whoever held the lock died in the middle of a change: makes everything consistent again. */
void cairn_registry_recover(struct cairn_local *local);

/* Ends a session: no entry is wanted by it any more, its files are removed, its slot is free. */
void cairn_session_release(struct cairn_local *local, uint32_t slot);

#endif
