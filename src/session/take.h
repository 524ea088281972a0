/* SPDX-License-Identifier: MIT */
/* Takes records from a session one by one, for a reader that asks for the next event. */
#ifndef SESSION_TAKE_H
#define SESSION_TAKE_H

#include "cairn/session.h"
#include "perf_data/bytes.h"

/*
 * Takes the next record of a session whose receiver has no function `record`: poll and finish then
 * leave the records in the session. They are returned in the order in which a receiver gets them.
 * Take all of them before the next poll: only that limits the memory.
 *
 * ret_record  valid until the next call for this session
 *
 * Returns false if there is none that is old enough.
 */
bool session_take(struct cairn_session *session, struct cairn_session_record *ret_record);

/* Takes the records of mappings that came since the last call, in the form of the kernel's, in the
 * order of time: those that are earlier than the last poll. Freed by the caller. Only a session
 * without a file, whose events have stacks, has any. */
void session_take_maps(struct cairn_session *session, struct cairn_bytes *ret_records);

#endif
