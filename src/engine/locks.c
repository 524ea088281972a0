/* SPDX-License-Identifier: MIT */
/* Locks of the library, and the handlers of fork. */
#include "engine/locks.h"

#include "core/atomic.h"
#include "os/lock.h"
#include "os/memory.h"
#include "os/process.h"

#include <stddef.h>

#define BIT(lock) (UINT32_C(1) << (lock))

#define FIRST_KIND (BIT(ENGINE_LOCKS_OF_FORK) - 1)

_Static_assert(ENGINE_LOCKS <= 32, "a thread's locks are the bits of a word");

struct lock {
    os_mutex mutex;
    int cancel_state; /* of the thread that holds it */
    int error_number;
};

/* All zeros: they take no memory in a program that never locks one. */
static struct lock locks[ENGINE_LOCKS];

/* Locks of the calling thread. */
static __thread struct {
    uint32_t held;
    uint32_t nested; /* locks that were taken in fork, over those that fork has taken */
    bool is_forking;
} mine __attribute__((tls_model("initial-exec")));

uint32_t engine_lock_faults;
uint32_t engine_forks;
uint32_t engine_fork_epoch;

static struct engine_fork_hook *hooks;

/* Not 0 in the process that made it, 0 in a child that has a copy of its memory. One that shares
 * it (vfork) is the same process here. */
static uint32_t *own;

/* ---- order ---- */

static void check_order(enum engine_lock_id lock)
{
    uint32_t later = lock < ENGINE_LOCKS_OF_FORK ? ~(BIT(lock) - 1) : ~UINT32_C(0);

    /* The child's fork handler finds the locks of the first kind taken. */
    if (!(mine.held & later) || mine.is_forking)
        return;
    core_fetch_add_relaxed(&engine_lock_faults, 1);
#ifdef CAIRN_CHECK_LOCKS
    __builtin_trap();
#endif
}

/* Allocates the mark. Without memory for it, a child of clone() cannot be distinguished from its
 * parent. */
static void mark_as_own(void)
{
    uint32_t *none = NULL;
    uint32_t *made;
    void *memory;

    if (core_load_relaxed(&own) || os_memory_allocate(sizeof(*made), &memory))
        return;
    made = memory;
    *made = 1;
    if (os_memory_wipe_on_fork(memory, sizeof(*made)) ||
        !core_compare_exchange_release(&own, &none, made))
        os_memory_unmap(memory, sizeof(*made));
}

void engine_lock_take(enum engine_lock_id lock)
{
    const int error_number = errno;
    int cancel_state;

    if (mine.is_forking && mine.held & BIT(lock)) {
        mine.nested++;
        return;
    }
    cancel_state = os_cancel_disable();
    engine_locks_check_process();
    check_order(lock);
    os_mutex_lock(&locks[lock].mutex);
    mine.held |= BIT(lock);
    mark_as_own();
    locks[lock].cancel_state = cancel_state;
    locks[lock].error_number = error_number;
}

void engine_lock_release(enum engine_lock_id lock)
{
    const struct lock *of = &locks[lock];
    int cancel_state = of->cancel_state;
    int error_number = of->error_number;

    if (mine.nested) {
        mine.nested--;
        return;
    }
    mine.held &= ~BIT(lock);
    os_mutex_unlock(&locks[lock].mutex);
    errno = error_number;
    os_cancel_restore(cancel_state);
}

bool engine_lock_is_mine(enum engine_lock_id lock)
{
    return mine.held & BIT(lock);
}

/* ---- fork ---- */

/* State of the thread that forks, between its handlers: it holds the engine's lock. */
static struct {
    os_signals signals;
    uint32_t held;    /* before */
    bool has_signals; /* they are blocked */
} fork_state;

/* The first lock that fork takes: after the last one that the thread holds. */
static uint32_t first_of_fork(uint32_t held)
{
    held &= FIRST_KIND;
    return held ? 32u - (uint32_t)__builtin_clz(held) : 0;
}

static uint32_t taken_by_fork(uint32_t held)
{
    return FIRST_KIND & ~(BIT(first_of_fork(held)) - 1);
}

/*
 * Signals are blocked: a signal handler that ran after a lock was taken and before it was noted as
 * held would wait permanently. If no lock was ever taken, no handler takes one, and the fork of a
 * program that traces nothing needs no additional system call.
 */
static void before_fork(void)
{
    bool has_signals = core_load_relaxed(&own) != NULL;
    uint32_t held = mine.held;
    os_signals signals;

    if (has_signals)
        os_signals_block(&signals);
    for (uint32_t lock = first_of_fork(held); lock < ENGINE_LOCKS_OF_FORK; lock++)
        os_mutex_lock(&locks[lock].mutex);
    mine.held |= taken_by_fork(held);
    mine.is_forking = true;
    if (has_signals)
        fork_state.signals = signals;
    fork_state.has_signals = has_signals;
    fork_state.held = held;
    for (const struct engine_fork_hook *hook = hooks; hook; hook = hook->next) {
        if (hook->before)
            hook->before();
    }
}

static void after_fork_in_parent(void)
{
    const os_signals signals = fork_state.signals;
    bool has_signals = fork_state.has_signals;
    uint32_t held = fork_state.held;

    for (const struct engine_fork_hook *hook = hooks; hook; hook = hook->next) {
        if (hook->in_parent)
            hook->in_parent();
    }
    mine.is_forking = false;
    mine.held = held;
    engine_fork_epoch++;
    for (uint32_t lock = ENGINE_LOCKS_OF_FORK; lock-- > first_of_fork(held);)
        os_mutex_unlock(&locks[lock].mutex);
    if (has_signals)
        os_signals_restore(&signals);
}

/* The thread still has the locks that it held before; those that fork has taken are unlocked,
 * and all others are initialized. */
static void become_child(uint32_t held, uint32_t taken)
{
    mine.is_forking = true;
    mine.held |= FIRST_KIND;
    engine_forks++;
    engine_fork_epoch++;
    for (const struct engine_fork_hook *hook = hooks; hook; hook = hook->next)
        hook->in_child();
    mine.is_forking = false;
    mine.held = held;
    for (uint32_t lock = 0; lock < ENGINE_LOCKS; lock++) {
        if (taken & BIT(lock))
            os_mutex_unlock(&locks[lock].mutex);
        else if (!(held & BIT(lock)))
            os_mutex_reset(&locks[lock].mutex);
    }
    if (own)
        *own = 1;
}

static void after_fork_in_child(void)
{
    become_child(fork_state.held, taken_by_fork(fork_state.held));
    if (fork_state.has_signals)
        os_signals_restore(&fork_state.signals);
}

static bool has_hook(const struct engine_fork_hook *hook)
{
    const struct engine_fork_hook *h = core_load_acquire(&hooks);

    while (h && h != hook)
        h = h->next;
    return h != NULL;
}

void engine_fork_hook_add(struct engine_fork_hook *hook)
{
    if (has_hook(hook))
        return;
    hook->next = core_load_relaxed(&hooks);
    while (!core_compare_exchange_release(&hooks, &hook->next, hook))
        ;
}

void engine_locks_check_process(void)
{
    const uint32_t *word = core_load_acquire(&own);
    os_signals signals;

    if (!word || core_load_relaxed(word) || mine.is_forking)
        return;
    os_signals_block(&signals);
    if (!*word)
        become_child(mine.held, 0);
    os_signals_restore(&signals);
}

/* ---- exit ---- */

static bool is_ending;

bool engine_process_is_ending(void)
{
    return core_load_relaxed(&is_ending);
}

/* exit calls this before destructors; dlclose of a library that contains this code calls it after
 * them. */
static void note_exit(void)
{
    core_store_relaxed(&is_ending, true);
}

/*
 * Registers the handlers before any other function of the library is used, and before there are
 * threads. The program's own handlers are registered later, so that the program may trace in them.
 */
static __attribute__((constructor(101))) void begin(void)
{
    os_process_at_fork(before_fork, after_fork_in_parent, after_fork_in_child);
    os_process_at_exit(note_exit);
}
