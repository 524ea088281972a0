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

enum cairn_lock {
    /* The first kind: a thread that holds one takes only later ones. */
    CAIRN_LOCK_CALL_SITES,  /* call sites and layers; a layer's interest() is called under it */
    CAIRN_LOCK_LOG,         /* call sites of cairn_tracing_log */
    CAIRN_LOCK_BACKENDS,    /* the providers that layers write to */
    CAIRN_LOCK_TRACEPOINTS, /* typed tracepoints */
    CAIRN_LOCK_PROVIDERS,   /* providers of the macros */
    CAIRN_LOCK_EVENT_SETS,  /* the event sets of all dynamic providers */
    CAIRN_LOCK_ENGINE,      /* the engine; taken with all signals blocked */

    /* The second kind: taken by a thread that holds none of the first, and nothing is taken after
     * it. */
    CAIRN_LOCK_GRACE_PERIOD, /* waiting for sections to end: user_events/grace_period.c */
    CAIRN_LOCK_LINES,        /* lines to a file: so many locks, by the descriptor */
    CAIRN_LOCK_LINES_END = CAIRN_LOCK_LINES + 16,

    CAIRN_LOCKS = CAIRN_LOCK_LINES_END,
    CAIRN_LOCKS_OF_FORK = CAIRN_LOCK_ENGINE + 1,
};

/*
 * Until it is unlocked, the thread cannot be cancelled; errno is afterwards what it was before.
 * Signal handlers may take CAIRN_LOCK_ENGINE alone.
 */
void cairn_lock(enum cairn_lock lock);
void cairn_unlock(enum cairn_lock lock);

/* True if the calling thread holds it. */
bool cairn_lock_is_mine(enum cairn_lock lock);

/* Locks that were taken against the order. Stays 0; with CAIRN_CHECK_LOCKS the program stops. */
extern uint32_t cairn_i_lock_faults;

/* ---- fork ---- */

/* Number of forks of this process and its ancestors since the library was loaded: a child counts
 * one more than its parent. */
extern uint32_t cairn_i_forks;

/* Incremented by each fork of this process, in parent and child: equal values before and after
 * mean that there was no fork. */
extern uint32_t cairn_i_fork_epoch;

/* A function to be called in the child of a fork, in its one thread, with all signals blocked,
 * where the locks of the first kind need not be taken. The object stays. */
struct cairn_fork_hook {
    void (*in_child)(void);
    void (*before)(void);    /* before a fork by its handlers, or NULL: also one that fails then */
    void (*in_parent)(void); /* after it, in the parent, or NULL */
    struct cairn_fork_hook *next;
};

/* Any thread. A hook that is there already is not added again. */
void cairn_fork_hook_add(struct cairn_fork_hook *hook);

/*
 * In a process that was created without fork's handlers, by clone() itself or _Fork(), initializes
 * the locks and calls the hooks: the threads that held locks do not exist there. Taking a lock does
 * this by itself. Any thread, any signal handler.
 */
void cairn_locks_check_process(void);

/* ---- exit ---- */

/* True if the process is ending: exit has called the handlers of the program, and objects' own
 * come next. Nothing is unloaded, so no thread need be waited for. */
bool cairn_process_is_ending(void);

/* ---- the library's edge ---- */

/* The state that the thread returns to. */
struct cairn_edge {
    int cancel_state;
    int error_number;
};

/* From here to cairn_edge_leave the thread cannot be cancelled, and errno is kept: for what is done
 * in several steps, and for cancellation points outside locks. */
static inline void cairn_edge_enter(struct cairn_edge *edge)
{
    edge->error_number = errno;
    edge->cancel_state = cairn_os_cancel_disable();
}

static inline void cairn_edge_leave(const struct cairn_edge *edge)
{
    errno = edge->error_number;
    cairn_os_cancel_restore(edge->cancel_state);
}

#endif
