/* SPDX-License-Identifier: MIT */
/* A recorder that waits for a descriptor: it sleeps while programs write nothing. */
#ifndef SESSION_SLEEP_H
#define SESSION_SLEEP_H

#include "session/internal.h"

/*
 * Begins it. Returns 0; EOPNOTSUPP the kernel cannot wait for several words (before Linux 5.16);
 * ENOMEM; EMFILE; EAGAIN.
 *
 * ret_fd  can be read when there is something to poll for; the session's
 */
int session_sleep_begin(struct cairn_session *session, int *ret_fd);

/*
 * At the end of a poll, under its guard: decides if the next one may be late, and sets wait_ms
 * then.
 *
 * moved  number of bytes that programs had written
 */
void session_sleep_update(struct cairn_session *session, size_t moved);

/* Looks often again, until programs write nothing for a while. Under the guard of a poll. */
void session_sleep_wake(struct cairn_session *session);

/* True if there is so little to do that processes are looked after less often. */
bool session_sleep_is_deep(const struct cairn_session *session);

/* Sets the time without activity after which the recorder sleeps, for tests. */
void session_sleep_set_idle(struct cairn_session *session, uint64_t idle_ns);

/* Ends it. Without it nothing happens. */
void session_sleep_end(struct cairn_session *session);

#endif
