/* SPDX-License-Identifier: MIT */
/* The programs that have enable words: their address spaces, held by openings of /proc/PID/mem. All
 * under the engine's lock. */
#ifndef RUN_PROGRAMS_H
#define RUN_PROGRAMS_H

#include "tracefs/program.h"

/*
 * The program of a thread; it is created if necessary. Returns 0; EPERM its memory cannot be
 * accessed; ENOMEM; EMFILE.
 */
int run_program_of(uint32_t tid, struct tracefs_program **ret_program);

/* Looks for the forked children of programs with enable words, which have these words, too, and
 * sets and clears their bits. */
void run_programs_find_children(void);

/* Drops the enable words of programs that have ended. */
void run_programs_sweep(void);

#endif
