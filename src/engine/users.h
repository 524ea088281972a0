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

/* Calls visit with the name of each other user's tracing directory, accessible or not. Does nothing
 * if the process's own directory is not in a shared one. */
void engine_users_each(const struct engine_directory *own,
                       void (*visit)(void *arg, const char *name), void *arg)
    CORE_PRIVATE_API(engine_users_each);

/* Announces this process as a recorder of all users. Has an effect for root only. */
void engine_users_announce(const struct engine_directory *own)
    CORE_PRIVATE_API(engine_users_announce);

/* Removes the announcement. */
void engine_users_withdraw(const struct engine_directory *own)
    CORE_PRIVATE_API(engine_users_withdraw);

/* If a recorder is announced and this directory has no session yet: waits until it has one, at
 * most half a second. Events before that would not be recorded, nor counted. */
void engine_users_wait_for_recorder(const struct engine_registry *local);

#endif
