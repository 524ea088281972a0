/* SPDX-License-Identifier: MIT */
/*
 * Notices processes that use processor time, without a system call of theirs and without looking at
 * them: by timers of the kernel on the clocks of their processor time. A process that sleeps costs
 * nothing.
 */
#ifndef SESSION_PROCESSOR_TIME_H
#define SESSION_PROCESSOR_TIME_H

#include <stdint.h>

struct session_processor_time;

/*
 * Begins, with no process. Returns 0, ENOMEM or EAGAIN.
 *
 * notice  is called in a thread of its own each time a process that is watched has used some
 *         milliseconds
 */
int session_processor_time_begin(void (*notice)(void *context), void *context,
                                 struct session_processor_time **ret_time);

/*
 * Watches a process. Returns 0, also for a process that has ended; EAGAIN the kernel gives no
 * timer: each counts as a pending signal of the user (RLIMIT_SIGPENDING); or ENOMEM.
 */
int session_processor_time_watch(struct session_processor_time *time, uint32_t pid);

/* Watches none of them any more. notice may be called once afterwards. */
void session_processor_time_forget(struct session_processor_time *time);

/* Ends it: notice is not called afterwards. Accepts NULL. */
void session_processor_time_end(struct session_processor_time *time);

#endif
