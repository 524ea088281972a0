/* SPDX-License-Identifier: MIT */
/*
 * Read-side sections and grace periods of RCU in user space, for callbacks and layers.
 *
 * A section costs two atomic additions, paid only where a tracepoint has callbacks; or two stores
 * in threads that own a slot. There are two sides with separate counters; new sections use the
 * current side. A wait first waits until the other side is empty, then makes that side the current
 * one, and waits until the first is empty: every section that had begun before the wait has ended
 * then, and new sections cannot prolong the wait.
 */
#ifndef USER_EVENTS_GRACE_PERIOD_H
#define USER_EVENTS_GRACE_PERIOD_H

#include <stdbool.h>

/* Any thread, any signal handler; sections nest. They never wait. The sections of a thread that
 * ends in one, by pthread_exit or a cancellation, end with it. */
void user_events_read_section_enter(void);
void user_events_read_section_leave(void);

/* Gives the calling thread a slot of its own, if one is free and the kernel has membarrier(2), and
 * returns it: before the thread ends. They have no effect in a section, in a thread that already
 * has a slot or, for disown, that has none. Not in signal handlers. */
void user_events_read_section_take_slot(void);
void user_events_read_section_return_slot(void);

/* True if the calling thread is in a section: waiting would never end. */
bool user_events_in_read_section(void);

/* Waits for a grace period: returns when every section that had begun at the time of the call has
 * ended. Not in a section, not in a signal handler. No cancellation point. */
void user_events_grace_period_wait(void);

#endif
