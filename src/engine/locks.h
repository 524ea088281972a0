/* SPDX-License-Identifier: MIT */
/*
 * Every lock of the library, in the one order in which they are taken; what fork does with them;
 * and where cancellation is switched off.
 *
 * fork takes the locks of the first kind in their order, so that the child finds what they protect
 * whole, and the child's are new. It does not wait for those of the second kind: whoever holds one
 * waits for the program itself, or for whoever reads a pipe. What these protect is made anew in the
 * child.
 *
 * A thread may fork while it holds a lock, in a callback: fork then takes those that come later
 * in the order, and the child's thread goes on holding what it held.
 */
#ifndef ENGINE_LOCKS_H
#define ENGINE_LOCKS_H

#include <errno.h>
#include <pthread.h>
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
    CAIRN_LOCK_GRACE_PERIOD, /* waiting for readers: user_events/readers.c */
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

/* Whether the calling thread holds it. */
bool cairn_lock_is_mine(enum cairn_lock lock);

/* Locks that were taken against the order. Stays 0; with CAIRN_CHECK_LOCKS the program stops. */
extern uint32_t cairn_i_lock_faults;

/* ---- fork ---- */

/* How often this process and its ancestors have forked since the library was loaded: a child counts
 * one more than its parent. */
extern uint32_t cairn_i_forks;

/* One more with each fork of this process, in parent and child: what was the same before is what
 * both have. */
extern uint32_t cairn_i_fork_epoch;

/* Something to be done in the child of a fork, in its one thread, with all signals blocked, where
 * the locks of the first kind need not be taken. The object stays. */
struct cairn_fork_hook {
    void (*in_child)(void);
    void (*before)(void);    /* before a fork by its handlers, or NULL: also one that fails then */
    void (*in_parent)(void); /* after it, in the parent, or NULL */
    struct cairn_fork_hook *next;
};

/* Any thread. A hook that is there already is not added again. */
void cairn_fork_hook_add(struct cairn_fork_hook *hook);

/*
 * In a process that was made without fork's handlers, by clone() itself or _Fork(), makes the
 * locks new and calls the hooks: whoever held a lock is not there. Taking a lock does this by
 * itself. Any thread, any signal handler.
 */
void cairn_locks_check_process(void);

/* ---- exit ---- */

/* Whether the process is ending: exit has called the handlers of the program, and objects' own come
 * next. Nothing is unloaded, so nobody need be waited for. */
bool cairn_process_is_ending(void);

/* ---- the library's edge ---- */

/* What the thread returns to. */
struct cairn_edge {
    int cancel_state;
    int error_number;
};

/* From here to cairn_edge_leave the thread cannot be cancelled, and errno is kept: for what is done
 * in several steps, and for cancellation points outside locks. */
static inline void cairn_edge_enter(struct cairn_edge *edge)
{
    edge->error_number = errno;
    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &edge->cancel_state);
}

static inline void cairn_edge_leave(const struct cairn_edge *edge)
{
    errno = edge->error_number;
    (void)pthread_setcancelstate(edge->cancel_state, NULL);
}

#endif
