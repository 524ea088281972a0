/* SPDX-License-Identifier: MIT */
/*
 * Who is running callbacks now: RCU's read-side sections and its grace period for user space.
 *
 * A section costs two atomic additions, paid only where a tracepoint has callbacks; or two stores,
 * in threads that have a place of their own. There are two sides with counters of their own; new
 * sections go to the current side. Who waits lets the other side run empty, makes it the current
 * one, and waits for the first: whoever was in a section when the wait began has left it then, and
 * newcomers cannot keep it waiting.
 */
#ifndef USER_EVENTS_READERS_H
#define USER_EVENTS_READERS_H

#include <stdbool.h>

/*
 * Any thread, any signal handler; sections nest. Waits for nobody. The sections of a thread that
 * ends in one, by pthread_exit or a cancellation, end with it.
 */
void cairn_readers_enter(void);
void cairn_readers_leave(void);

/*
 * Gives the calling thread a place of its own, where one is left and the kernel has membarrier(2),
 * and takes it back: before the thread ends. In a section, in a thread that has one or has none,
 * they do nothing. Not in signal handlers.
 */
void cairn_readers_own(void);
void cairn_readers_disown(void);

/* True when the calling thread is in a section: waiting would never end. */
bool cairn_readers_am_inside(void);

/*
 * Returns when everybody who was in a section at the time of the call has left it. Not to be called
 * in a section or a signal handler. No cancellation point.
 */
void cairn_readers_wait(void);

#endif
