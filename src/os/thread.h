/* SPDX-License-Identifier: MIT */
/* Threads: numbers, names, what is done at their end; cancellation and signals. */
#ifndef OS_THREAD_H
#define OS_THREAD_H

#include <limits.h>
#include <pthread.h>
#include <signal.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* ---- numbers and names ---- */

/* Before the first event: finds out if this C library exposes the number. */
void os_tid_prepare(void);

/* From the C library, if it exposes the number; otherwise by a system call, which a sandbox may
 * forbid. In a child that was made by clone() itself the C library still has the parent's: use
 * os_tid_of_kernel then. */
uint32_t os_tid_self(void);

uint32_t os_tid_of_kernel(void);

/* The calling thread's name, with a NUL. */
void os_thread_name(char ret_name[16]);

/* True if a thread has ended, or there never was one. False if this cannot be found out. */
bool os_thread_has_ended(uint32_t pid, uint32_t tid);

/* ---- a pointer of each thread, and a function for its end ---- */

typedef struct {
    pthread_key_t key;
} os_thread_key;

/* Destructors may set a pointer again: then all are called again, at most this many times. */
#define OS_THREAD_ENDS_MAX PTHREAD_DESTRUCTOR_ITERATIONS

/* The function is called at the end of each thread that has set a pointer. Returns 0; EAGAIN there
 * are too many keys; ENOMEM. */
static inline int os_thread_key_create(os_thread_key *key, void (*at_end)(void *))
{
    return pthread_key_create(&key->key, at_end);
}

/* The function is not called any more. */
static inline void os_thread_key_delete(os_thread_key key)
{
    (void)pthread_key_delete(key.key);
}

/* Sets the calling thread's pointer; NULL: it has none. Returns 0 or ENOMEM. */
static inline int os_thread_key_set(os_thread_key key, void *pointer)
{
    return pthread_setspecific(key.key, pointer);
}

/* ---- memory order ---- */

/* Asks for os_threads_order. False: this system, or a sandbox, has none. */
bool os_threads_may_order(void);

/* Makes earlier stores of all threads of the process visible, and their later loads see the present
 * state, as if each had executed a full fence. False: a sandbox has forbidden it. */
bool os_threads_order(void);

/* ---- cancellation ---- */

/* From here on the thread cannot be cancelled. Returns the state that it was in. */
static inline int os_cancel_disable(void)
{
    int state = PTHREAD_CANCEL_ENABLE;

    (void)pthread_setcancelstate(PTHREAD_CANCEL_DISABLE, &state);
    return state;
}

static inline void os_cancel_restore(int state)
{
    (void)pthread_setcancelstate(state, NULL);
}

/* ---- signals ---- */

#ifdef _WIN32
/* No signals interrupt a thread. */
typedef struct {
    char none;
} os_signals;

static inline void os_signals_read(os_signals *ret_blocked)
{
    ret_blocked->none = 0;
}
#else
/* The signals that a thread has blocked. */
typedef struct {
    sigset_t set;
} os_signals;

static inline void os_signals_read(os_signals *ret_blocked)
{
    (void)pthread_sigmask(SIG_BLOCK, NULL, &ret_blocked->set);
}

/*
 * True if the calling thread may be in a signal handler: a signal with a handler is blocked now and
 * was not in `before`, a state of this thread outside handlers; or a handler does not block its
 * signal (SA_NODEFER). Not recognized is a handler that first unblocks its signal or removes
 * itself. Preserves errno.
 */
bool os_signals_may_be_handled(const os_signals *before);

/* Blocks all signals for the calling thread. */
static inline void os_signals_block(os_signals *ret_before)
{
    sigset_t all;

    (void)sigfillset(&all);
    (void)pthread_sigmask(SIG_BLOCK, &all, &ret_before->set);
}

static inline void os_signals_restore(const os_signals *before)
{
    (void)pthread_sigmask(SIG_SETMASK, &before->set, NULL);
}
#endif

#endif
