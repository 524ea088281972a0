/* SPDX-License-Identifier: MIT */
/* A program as the host of its own typed tracepoints: callbacks without rings. */
#ifndef USER_EVENTS_TRACE_HOST_H
#define USER_EVENTS_TRACE_HOST_H

#include <cairn/trace_event.h>

/* All typed tracepoints of the process are of this trace, from their registration on. */
extern struct cairn_trace cairn_i_trace_user;

/* Makes it ready, once. Any thread; not in signal handlers. */
void cairn_trace_user_prepare(void);

/* Whether this is a forked child: what other threads of its parent were about to do stays undone.
 */
bool cairn_trace_user_is_forked(void);

#endif
