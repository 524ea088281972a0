/* SPDX-License-Identifier: MIT */
/*
 * The one thread of ours in the program: it sets and clears enable bits when listeners come and go,
 * and feeds trace_pipe. It begins when there is something to follow. And what becomes of us in a
 * child.
 */
#ifndef PRELOAD_FOLLOW_H
#define PRELOAD_FOLLOW_H

#include <stdbool.h>
#include <sys/types.h>

/* ---- under the engine's lock ---- */

/* The engine is attached: from here on children are taken care of. */
void preload_follow_join(void);

/* Starts the thread, if it does not run. */
void preload_follow_start(void);

/* ---- without it ---- */

/* The process that our tables are of. In a child that shares our memory that is its parent. */
pid_t preload_follow_pid(void);

/* In a child that was made by clone() itself, without the C library's help: becomes its own. */
void preload_follow_check_process(void);

#endif
