/* SPDX-License-Identifier: MIT */
/*
 * A machine that reorders as C11 allows, and an explorer of all its executions.
 *
 * Machine. Each location has the list of all values that were stored to it, in modification order.
 * Each thread has a view: for each location, the oldest value that it may still read. A load
 * returns any value from there on. A store carries a view: with release the thread's, otherwise
 * that of its last release fence; a thread that acquires the value merges the view into its own. So
 * stores to different locations are seen in any order unless something orders them, and old values
 * are read for as long as nothing forbids it. Not modelled: loads that see stores which depend on
 * them, and stores of two threads to one location in another order than that of the run.
 *
 * Explorer. A run makes choices: the value of a load, the thread to continue, and the occurrence of
 * an interrupt. All runs are made, with one choice changed at a time. Runs that differ only in the
 * order of independent operations are made once (sleep sets), and a run that reaches an earlier
 * state, at model_state(), ends there.
 */
#ifndef TESTS_MODEL_MODEL_H
#define TESTS_MODEL_MODEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define MODEL_THREADS 4

#define MODEL_ANY UINT32_MAX

/* A thread's function; it gets the thread's number. */
typedef void model_thread(unsigned number);

/* A scenario. */
struct model {
    const char *name;
    void (*begin)(void);                  /* creates and tracks memory (model_track) */
    model_thread *threads[MODEL_THREADS]; /* the first one is the writer, with the interrupts */
    model_thread *interrupt;              /* NULL: none; otherwise called with its depth, from 1 */
    unsigned interrupts;                  /* maximum in a run */
    unsigned nesting;                     /* maximum depth */
    unsigned old_values;                  /* maximum number of loads in a run that return an old
                                           * value; MODEL_ANY */
    void (*end)(void);                    /* called after all threads have ended: checks the
                                           * result */
    const void *world;                    /* state outside the tracked memory that threads and
                                           * checks use */
    size_t world_bytes;
};

/* Called in begin: tracks a location that threads share, of 4 or 8 bytes, the one with the lowest
 * address first. Untracked memory belongs to one thread, or is constant. */
void model_track(void *at, size_t size_bytes);

/* Called in begin: tracks a location that other threads than the writer store to, too. */
void model_track_shared(void *at, size_t size_bytes);

/* Checks a claim: if it is false, the run and the exploration end. */
void model_check(bool holds, const char *claim);

/*
 * Ends the run if an earlier one was in this state: of memory, of the world, of the calling
 * thread's stack, and of everything that other threads have read.
 */
void model_state(void);

/* Explores; returns the number of runs. 0: a claim was false; it is printed with the choices of the
 * run. */
uint64_t model_explore(const struct model *model);

/* Returns the claim that was false. */
const char *model_failure(void);

#endif
