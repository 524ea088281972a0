/* SPDX-License-Identifier: MIT */
/*
 * A machine that reorders as C11 allows, and an explorer of all that it may do.
 *
 * Machine. Each location has the list of all values that were stored to it, in its modification
 * order. Each thread has a view: for each location, the oldest value that it may still read. A load
 * takes any value from there on. A store carries a view: with release that of the thread, else that
 * of its last release fence; who acquires the value takes the view over. So stores to different
 * locations are seen in any order unless something orders them, and old values are read for as long
 * as nothing forbids it. Not modelled: loads that see stores which depend on them, and stores of
 * two threads to one location in another order than that of the run.
 *
 * Explorer. A run makes choices: which value a load takes, which thread goes on, whether an
 * interrupt comes here. All runs are made, one choice changed at a time. Runs that differ only in
 * the order of independent operations are made once (sleep sets), and a run that comes to a state
 * where one has been, at model_state(), ends there.
 */
#ifndef TESTS_MODEL_MODEL_H
#define TESTS_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_THREADS 4

#define MODEL_ANY UINT32_MAX

/* A thread is started with its number. */
typedef void model_thread(unsigned number);

/* What a scenario is made of. */
struct model {
    const char *name;
    void (*begin)(void);                  /* makes memory; tracks it (model_track) */
    model_thread *threads[MODEL_THREADS]; /* the first one is the writer, with the interrupts */
    model_thread *interrupt;              /* NULL: none; else called with its depth, 1 and more */
    unsigned interrupts;                  /* at most so many in a run */
    unsigned nesting;                     /* at most so deep */
    unsigned old_values;                  /* at most so many loads in a run take one; MODEL_ANY */
    void (*end)(void);                    /* all threads have ended: checks what is there */
    const void *world;                    /* what threads keep elsewhere, and the checks look at */
    size_t world_bytes;
};

/* In begin: a location that threads share, of 4 or 8 bytes, the one with the lowest address first.
 * What is not tracked is a thread's own, or constant. */
void model_track(void *at, size_t size_bytes);

/* In begin: other threads than the writer store to this location too. */
void model_track_shared(void *at, size_t size_bytes);

/* A claim that does not hold: the run ends, and the exploration. */
void model_check(bool holds, const char *claim);

/*
 * Ends the run if one was in this state before: of memory, of the world, of the calling thread's
 * stack, and of what other threads have read so far.
 */
void model_state(void);

/* Explores; returns the number of runs, or 0: a claim did not hold, and is printed with the choices
 * that led there. */
uint64_t model_explore(const struct model *model);

/* The claim that did not hold. */
const char *model_failure(void);

#endif
