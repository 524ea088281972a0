/* SPDX-License-Identifier: MIT */
/*
 * Detects processes that use processor time, by timers of the kernel on their CPU-time clocks. The
 * processes make no system call for that, and are not polled: a process that sleeps costs nothing.
 */
#ifndef SESSION_PROCESSOR_TIME_H
#define SESSION_PROCESSOR_TIME_H

#include <stdint.h>

struct session_processor_time;

/*
 * Begins, with no process. Returns 0, ENOMEM or EAGAIN.
 *
 * notice  called in a separate thread each time a watched process has used some milliseconds
 */
int session_processor_time_begin(void (*notice)(void *context), void *context,
                                 struct session_processor_time **ret_time);

/*
 * Watches a process. Returns 0, also for a process that has ended; EAGAIN the kernel has no timer
 * for it: each timer counts as a pending signal of the user (RLIMIT_SIGPENDING); or ENOMEM.
 */
int session_processor_time_watch(struct session_processor_time *time, uint32_t pid);

/* Stops watching all processes. notice may be called again, once, after that. */
void session_processor_time_forget(struct session_processor_time *time);

/* Ends the thread: notice is not called after that. Accepts NULL. */
void session_processor_time_end(struct session_processor_time *time);

#endif
