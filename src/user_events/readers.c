/* SPDX-License-Identifier: MIT */
#include "user_events/readers.h"

#include "engine/locks.h"

#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* Threads are spread over so many counters, so that they do not pass one cache line around. */
#define STRIPES 16u

/* Threads that have a place of their own, at most. */
#define PLACES 64u

/* A wait is mostly over at once; after so many looks it sleeps between two. */
#define LOOKS_BEFORE_SLEEP 64u
#define SLEEP_NS           100000

/* No processor keeps a store to itself for so long. */
#define STORE_IS_SEEN_NS 10000000

struct counters {
    uint64_t entered;
    uint64_t left;
} __attribute__((aligned(64)));

/* Its thread alone writes to it, without any barrier: cairn_readers_wait has one for all threads.
 */
struct place {
    uint32_t state; /* 0: outside of sections; else 1 + the side of the outermost one */
    bool is_taken;
} __attribute__((aligned(64)));

static struct counters counters[2][STRIPES];
static struct place places[PLACES];
static bool has_owners; /* there may be some, now or later */
static uint32_t current_side;
static pthread_once_t owners = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* at a thread's end, of its sections */
static bool has_key;

/* A section, and where it was counted. */
struct section {
    uint32_t side;
    uint32_t stripe;
    uint32_t forks; /* of the process: a forked child starts to count anew */
};

/* Sections in sections so deep are counted each; deeper ones lie in those. */
#define DEPTH_COUNTED 8u

/* The sections that this thread is in. A signal handler leaves what it has entered: `depth` is the
 * same before and after it. */
static __thread struct {
    struct place *own; /* or NULL */
    uint32_t depth;
    bool is_watched; /* its end is */
    struct section sections[DEPTH_COUNTED];
} mine __attribute__((tls_model("initial-exec")));

/* A thread's own address tells it from others; its low bits are alike in all of them. */
static uint32_t stripe_of_thread(void)
{
    uintptr_t address = (uintptr_t)&mine;

    return (uint32_t)((address >> 12) ^ (address >> 18)) % STRIPES;
}

static struct section count(void)
{
    struct section section = {
        .side = __atomic_load_n(&current_side, __ATOMIC_RELAXED) & 1,
        .stripe = stripe_of_thread(),
        .forks = cairn_i_forks,
    };

    /* What the section reads is read after this is seen: pairs with the loads in is_empty. */
    __atomic_fetch_add(&counters[section.side][section.stripe].entered, 1, __ATOMIC_SEQ_CST);
    return section;
}

static void uncount(struct section section)
{
    if (section.forks == cairn_i_forks)
        __atomic_fetch_add(&counters[section.side][section.stripe].left, 1, __ATOMIC_SEQ_CST);
}

/*
 * A handler may come in between any two of these. `depth` is changed first, both times: a handler
 * in between finds the outermost section begun, or begins and leaves it to us to end; or it finds
 * it ended, ends its own, and we end nothing.
 */
static void enter_own(struct place *own)
{
    mine.depth++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    /* What the section reads is read after this is seen: pairs with the barrier of a wait. */
    if (!__atomic_load_n(&own->state, __ATOMIC_RELAXED))
        __atomic_store_n(&own->state, 1 + (__atomic_load_n(&current_side, __ATOMIC_RELAXED) & 1),
                         __ATOMIC_RELEASE);
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

static void leave_own(struct place *own)
{
    uint32_t depth = mine.depth - 1;

    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    mine.depth = depth;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (!depth)
        __atomic_store_n(&own->state, 0, __ATOMIC_RELEASE); /* pairs with the loads in is_empty */
}

/* A handler may come in between: it sets the same. */
static __attribute__((noinline, cold)) void watch_end(void)
{
    mine.is_watched = true;
    if (__atomic_load_n(&has_key, __ATOMIC_ACQUIRE))
        (void)pthread_setspecific(key, &mine);
}

void cairn_readers_enter(void)
{
    struct section section = {0};
    uint32_t depth;

    if (__builtin_expect(!mine.is_watched, 0))
        watch_end();
    if (mine.own) {
        enter_own(mine.own);
        return;
    }
    depth = mine.depth;
    if (depth < DEPTH_COUNTED)
        section = count();
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    mine.depth = depth + 1;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (depth < DEPTH_COUNTED)
        mine.sections[depth] = section; /* a handler's section would have taken this place before */
}

void cairn_readers_leave(void)
{
    uint32_t depth = mine.depth - 1;
    struct section section;

    if (mine.own) {
        leave_own(mine.own);
        return;
    }
    /* Read before the place is a handler's. */
    section = mine.sections[depth < DEPTH_COUNTED ? depth : 0];
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    mine.depth = depth;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (depth < DEPTH_COUNTED)
        uncount(section);
}

/* ---- places of threads ---- */

static bool has_barrier_for_all(void)
{
    return !syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0) &&
           !syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
}

static void allow_owners(void)
{
    __atomic_store_n(&has_owners, has_barrier_for_all(), __ATOMIC_SEQ_CST);
}

void cairn_readers_own(void)
{
    (void)pthread_once(&owners, allow_owners);
    if (!has_owners || mine.own || mine.depth)
        return;
    for (uint32_t i = 0; i < PLACES; i++) {
        if (__atomic_exchange_n(&places[i].is_taken, true, __ATOMIC_ACQ_REL))
            continue;
        /* A wait that has not seen has_owners has put all in its place before our first section. */
        __atomic_thread_fence(__ATOMIC_SEQ_CST);
        mine.own = &places[i];
        return;
    }
}

void cairn_readers_disown(void)
{
    struct place *own = mine.own;

    if (!own || mine.depth)
        return;
    mine.own = NULL;
    __atomic_store_n(&own->is_taken, false, __ATOMIC_RELEASE);
}

/* Every thread's stores of before are seen, and what it reads from now on is what is there now. A
 * sandbox may have taken the call away from the process. */
static void make_owners_seen(void)
{
    const struct timespec moment = {.tv_nsec = STORE_IS_SEEN_NS};

    if (__atomic_load_n(&has_owners, __ATOMIC_SEQ_CST) &&
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0) && !has_barrier_for_all())
        (void)nanosleep(&moment, NULL);
}

static bool has_owner_inside(uint32_t side)
{
    for (uint32_t i = 0; i < PLACES; i++) {
        if (__atomic_load_n(&places[i].state, __ATOMIC_ACQUIRE) == 1 + side)
            return true;
    }
    return false;
}

/* ---- waiting ---- */

bool cairn_readers_am_inside(void)
{
    return mine.depth != 0;
}

/* Those who left are counted first: whoever enters and leaves in between is seen as inside. */
static bool is_empty(uint32_t side)
{
    uint64_t entered = 0;
    uint64_t left = 0;

    for (uint32_t i = 0; i < STRIPES; i++)
        left += __atomic_load_n(&counters[side][i].left, __ATOMIC_SEQ_CST);
    for (uint32_t i = 0; i < STRIPES; i++)
        entered += __atomic_load_n(&counters[side][i].entered, __ATOMIC_SEQ_CST);
    return entered == left && !has_owner_inside(side);
}

static void wait_for_side(uint32_t side)
{
    const struct timespec moment = {.tv_nsec = SLEEP_NS};

    for (uint32_t looks = 0; !is_empty(side); looks++) {
        if (looks < LOOKS_BEFORE_SLEEP)
            (void)sched_yield();
        else
            (void)nanosleep(&moment, NULL);
    }
}

void cairn_readers_wait(void)
{
    uint32_t side;

    cairn_lock(CAIRN_LOCK_GRACE_PERIOD);
    /* What the caller changed is seen by every section that is not seen here. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    make_owners_seen();
    side = current_side & 1;
    wait_for_side(!side);
    __atomic_store_n(&current_side, !side, __ATOMIC_SEQ_CST);
    wait_for_side(side);
    cairn_unlock(CAIRN_LOCK_GRACE_PERIOD);
}

/* ---- forks, and ends of threads ---- */

/*
 * The child has the forking thread only: the sections of all others are gone. That one may be in
 * sections itself: they go on, and are counted once more.
 */
static void become_child(void)
{
    memset(counters, 0, sizeof(counters));
    for (uint32_t i = 0; i < PLACES; i++) {
        if (&places[i] != mine.own)
            places[i] = (struct place){0};
    }
    if (mine.own)
        return;
    for (uint32_t i = 0; i < mine.depth && i < DEPTH_COUNTED; i++) {
        mine.sections[i].forks = cairn_i_forks;
        counters[mine.sections[i].side][mine.sections[i].stripe].entered++;
    }
}

/* A thread that was cancelled in a callback, or ended itself there, does not come back. */
static void end_sections(void *ignored)
{
    (void)ignored;
    while (mine.depth)
        cairn_readers_leave();
    cairn_readers_disown();
    mine.is_watched = false;
}

/* Early: a key with a low number is set without memory, so in signal handlers too. */
static __attribute__((constructor(102))) void begin(void)
{
    static struct cairn_fork_hook hook = {.in_child = become_child};

    cairn_fork_hook_add(&hook);
    has_key = !pthread_key_create(&key, end_sections);
}

/* A library that has us inside may be unloaded: threads that end later must not call into it. */
static __attribute__((destructor(102))) void forget_key(void)
{
    if (__atomic_exchange_n(&has_key, false, __ATOMIC_ACQ_REL))
        (void)pthread_key_delete(key);
}
