/* SPDX-License-Identifier: MIT */
#include "user_events/readers.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

/* Threads are spread over so many counters, so that they do not pass one cache line around. */
#define STRIPES 16u

/* A wait is mostly over at once; after so many looks it sleeps between two. */
#define LOOKS_BEFORE_SLEEP 64u
#define SLEEP_NS           100000

struct counters {
    uint64_t entered;
    uint64_t left;
} __attribute__((aligned(64)));

static struct counters counters[2][STRIPES];
static uint32_t current_side;
static uint32_t life;
static pthread_mutex_t waiting = PTHREAD_MUTEX_INITIALIZER;
static pthread_once_t fork_handlers = PTHREAD_ONCE_INIT;

/* A section, and where it was counted. */
struct section {
    uint32_t side;
    uint32_t stripe;
    uint32_t life; /* of the process: a forked child starts to count anew */
};

/* Sections in sections so deep are counted each; deeper ones lie in those. */
#define DEPTH_COUNTED 8u

/* The sections that this thread is in. A signal handler leaves what it has entered: `depth` is the
 * same before and after it. */
static __thread struct {
    uint32_t depth;
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
        .life = __atomic_load_n(&life, __ATOMIC_RELAXED),
    };

    /* What the section reads is read after this is seen: pairs with the loads in is_empty. */
    __atomic_fetch_add(&counters[section.side][section.stripe].entered, 1, __ATOMIC_SEQ_CST);
    return section;
}

static void uncount(struct section section)
{
    if (section.life == __atomic_load_n(&life, __ATOMIC_RELAXED))
        __atomic_fetch_add(&counters[section.side][section.stripe].left, 1, __ATOMIC_SEQ_CST);
}

void cairn_readers_enter(void)
{
    struct section section = {0};
    uint32_t depth = mine.depth;

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
    /* Read before the place is a handler's. */
    struct section section = mine.sections[depth < DEPTH_COUNTED ? depth : 0];

    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    mine.depth = depth;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    if (depth < DEPTH_COUNTED)
        uncount(section);
}

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
    return entered == left;
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

/* The child has the forking thread only: the sections of all others are gone. */
static void after_fork_in_child(void)
{
    memset(counters, 0, sizeof(counters));
    life++;
    (void)pthread_mutex_init(&waiting, NULL);
}

static void watch_forks(void)
{
    (void)pthread_atfork(NULL, NULL, after_fork_in_child);
}

void cairn_readers_prepare(void)
{
    (void)pthread_once(&fork_handlers, watch_forks);
}

void cairn_readers_wait(void)
{
    uint32_t side;

    /* What the caller changed is seen by every section that is not seen here. */
    __atomic_thread_fence(__ATOMIC_SEQ_CST);
    (void)pthread_mutex_lock(&waiting);
    side = current_side & 1;
    wait_for_side(!side);
    __atomic_store_n(&current_side, !side, __ATOMIC_SEQ_CST);
    wait_for_side(side);
    (void)pthread_mutex_unlock(&waiting);
}
