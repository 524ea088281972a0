/* SPDX-License-Identifier: MIT */
/*
 * All locks of the library, in the order in which they are taken; how fork handles them; disabling
 * of cancellation.
 *
 * fork takes the locks of the first kind in their order, so that what they protect is consistent in
 * the child, whose locks are new. It does not wait for those of the second kind: their holders wait
 * for the program itself, or for the reader of a pipe. The child initializes what these protect.
 *
 * A thread may fork while it holds a lock, in a callback: fork then takes those that come later in
 * the order, and the child's thread still holds what it held.
 */
#ifndef ENGINE_LOCKS_H
#define ENGINE_LOCKS_H

#include "os/thread.h"

#include <errno.h>
#include <stdbool.h>
#include <stdint.h>

enum engine_lock_id {
    /* The first kind: a thread that holds one takes only later ones. */
    ENGINE_LOCK_CALL_SITES,  /* call sites and layers; a layer's interest() is called under it */
    ENGINE_LOCK_LOG,         /* call sites of cairn_tracing_log */
    ENGINE_LOCK_BACKENDS,    /* the providers that layers write to */
    ENGINE_LOCK_TRACEPOINTS, /* typed tracepoints */
    ENGINE_LOCK_PROVIDERS,   /* providers of the macros */
    ENGINE_LOCK_EVENT_SETS,  /* the event sets of all dynamic providers */
    ENGINE_LOCK_ENGINE,      /* the engine; taken with all signals blocked */

    /* The second kind: taken by a thread that holds none of the first, and nothing is taken after
     * it. */
    ENGINE_LOCK_GRACE_PERIOD, /* waiting for sections to end: user_events/grace_period.c */
    ENGINE_LOCK_LINES,        /* lines to a file: this many locks, chosen by the descriptor */
    ENGINE_LOCK_LINES_END = ENGINE_LOCK_LINES + 16,

    ENGINE_LOCKS = ENGINE_LOCK_LINES_END,
    ENGINE_LOCKS_OF_FORK = ENGINE_LOCK_ENGINE + 1,
};

/*
 * Until it is unlocked, the thread cannot be cancelled; errno is afterwards what it was before.
 * Signal handlers may take ENGINE_LOCK_ENGINE alone.
 */
void engine_lock_take(enum engine_lock_id lock);
void engine_lock_release(enum engine_lock_id lock);

/* True if the calling thread holds it. */
bool engine_lock_is_mine(enum engine_lock_id lock);

/* Locks that were taken against the order. Stays 0; with CAIRN_CHECK_LOCKS the program stops. */
extern uint32_t engine_lock_faults;

/* ---- fork ---- */

/* Number of forks of this process and its ancestors since the library was loaded: a child counts
 * one more than its parent. */
extern uint32_t engine_forks;

/* Incremented by each fork of this process, in parent and child: equal values before and after
 * mean that there was no fork. */
extern uint32_t engine_fork_epoch;

/* A function to be called in the child of a fork, in its one thread, with all signals blocked,
 * where the locks of the first kind need not be taken. The object stays. */
struct engine_fork_hook {
    void (*in_child)(void);
    void (*before)(void);    /* before a fork by its handlers, or NULL: also one that fails then */
    void (*in_parent)(void); /* after it, in the parent, or NULL */
    struct engine_fork_hook *next;
};

/* Any thread. A hook that is there already is not added again. */
void engine_fork_hook_add(struct engine_fork_hook *hook);

/*
 * Initializes the locks and calls the hooks in a process that was created without fork's handlers,
 * by clone() itself or _Fork(): the threads that held locks do not exist there. Taking a lock does
 * this, too. Any thread, any signal handler.
 */
void engine_locks_check_process(void);

/* ---- exit ---- */

/* True if the process is ending: exit has called the handlers of the program, and objects' own
 * come next. Nothing is unloaded, so no thread need be waited for. */
bool engine_process_is_ending(void);

/* ---- the library's edge ---- */

/* The state that the thread returns to. */
struct engine_edge {
    int cancel_state;
    int error_number;
};

/* From here to engine_edge_leave the thread cannot be cancelled, and errno is kept: for work in
 * several steps, and for cancellation points outside locks. */
static inline void engine_edge_enter(struct engine_edge *edge)
{
    edge->error_number = errno;
    edge->cancel_state = os_cancel_disable();
}

static inline void engine_edge_leave(const struct engine_edge *edge)
{
    errno = edge->error_number;
    os_cancel_restore(edge->cancel_state);
}

#endif
