/* SPDX-License-Identifier: MIT */
/* A session of the whole machine: the tracing directories of all users, and of containers. */
#ifndef SESSION_MACHINE_H
#define SESSION_MACHINE_H

#include "session/internal.h"

/* Begins in tracing directories that have come since the last look, if the session is one of the
 * machine: /run/cairn, those of users in /run/user and /dev/shm, and the same in the root
 * directories of processes that have another one. */
void session_update_machine(struct cairn_session *session);

#endif
