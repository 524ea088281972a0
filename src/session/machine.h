/* SPDX-License-Identifier: MIT */
/* A session of the whole machine: the tracing directories of all users, and of containers. */
#ifndef SESSION_MACHINE_H
#define SESSION_MACHINE_H

#include "session/internal.h"

/* If the session is one of the machine, begins in tracing directories that were created since the
 * last call: /run/cairn, the users' directories in /run/user and /dev/shm, the same paths in the
 * root directories of other processes, and what processes have in CAIRN_TRACING_DIR. */
void session_update_machine(struct cairn_session *session);

void session_free_machine(struct cairn_session *session);

#endif
