/* SPDX-License-Identifier: MIT */
/* The programs that have enable words: their address spaces, held by openings of /proc/PID/mem. */
#ifndef RUN_PROGRAMS_H
#define RUN_PROGRAMS_H

#include "tracefs/program.h"

#include <stdbool.h>

/*
 * Under the engine's lock: the program of a thread; it is created if necessary. Returns 0; EPERM
 * its memory cannot be accessed; ENOMEM; EMFILE.
 */
int run_program_of(uint32_t tid, const struct tracefs_program **ret_program);

/* Under the engine's lock: enable bits have changed, which forked children may have, too. */
void run_programs_want_look(void);

/* Under the engine's lock: true if a program has ended that is not dropped yet. */
bool run_programs_any_dead(void);

/*
 * Without it, by one thread: drops the enable words of programs that have ended; and if that is
 * wanted, looks for forked children of programs with enable words, which have these words, too, and
 * sets and clears their bits. Returns the number of milliseconds after which it is to be called
 * again.
 */
uint32_t run_programs_look(void);

#endif
