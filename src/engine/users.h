/* SPDX-License-Identifier: MIT */
/*
 * A shared directory: the tracing directories of its users, and the recorders that record all of
 * them. Such a recorder is announced by a file of root's, recorder.PID, so that a user's first
 * program can wait until its directory is recorded.
 */
#ifndef ENGINE_USERS_H
#define ENGINE_USERS_H

#include "core/private_api.h"
#include "engine/registry.h"

/* Calls visit with the name of each other user's tracing directory, which may be open to this
 * process or not. Nothing when one's own is in no shared directory. */
CAIRN_PRIVATE_API void cairn_users_each(const struct cairn_directory *own,
                                        void (*visit)(void *arg, const char *name), void *arg);

/* Announces this process as a recorder of all users. No effect but for root. */
CAIRN_PRIVATE_API void cairn_users_announce(const struct cairn_directory *own);

/* Takes the announcement back. */
CAIRN_PRIVATE_API void cairn_users_withdraw(const struct cairn_directory *own);

/* If a recorder is announced and this directory has no session yet: waits until it has one, at
 * most half a second. Events before that would not be recorded, nor counted. */
void cairn_users_wait_for_recorder(const struct cairn_engine_registry *local);

#endif
