/* SPDX-License-Identifier: MIT */
/* The programs that have enable words: their address spaces, identified by open /proc/PID/mem; and
 * the threads that write events. */
#ifndef RUN_PROGRAMS_H
#define RUN_PROGRAMS_H

#include "tracefs/program.h"

#include <stdbool.h>

/*
 * Under the engine's lock: finds the program of a thread, or adds it. Returns 0; EPERM its memory
 * cannot be accessed; ENOMEM; EMFILE.
 */
int run_program_of(uint32_t tid, const struct tracefs_program **ret_program);

/* Under the engine's lock: enable bits have changed, and forked children may have the same words:
 * the next run_programs_scan looks for such children. */
void run_programs_request_scan(void);

/* Under the engine's lock: true if a program has ended whose enable words are not dropped yet. */
bool run_programs_any_dead(void);

/*
 * Without the engine's lock, by one thread: drops the enable words of programs that have ended. If
 * it was requested, also scans all processes for forked children of programs with enable words:
 * these have the words, too, and their bits are set and cleared. Returns the number of milliseconds
 * after which it must be called again.
 */
uint32_t run_programs_scan(void);

/* threads.c, for the one thread that writes: sets the thread of the events that are written from
 * here on; each has a context of the engine's. Returns 0; EPERM this process sees no such thread;
 * ENOMEM. */
int run_thread_become(uint32_t tid);

#endif
