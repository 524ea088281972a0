/* SPDX-License-Identifier: MIT */
/* Read-side sections and grace periods of RCU in user space. */
#include "user_events/grace_period.h"

#include "core/atomic.h"
#include "engine/locks.h"
#include "os/thread.h"

#include <pthread.h>
#include <sched.h>
#include <stdint.h>
#include <string.h>
#include <time.h>

/* Threads are distributed over this many counters, so that they do not share one cache line. */
#define STRIPES 16u

/* Maximal number of threads that have a slot of their own. */
#define SLOTS 64u

/* Most waits end at once; after this number of checks a wait sleeps between two checks. */
#define CHECKS_BEFORE_SLEEP 64u
#define SLEEP_NS            100000

/* No processor delays a store for so long. */
#define STORE_IS_SEEN_NS 10000000

struct counters {
    uint64_t entered;
    uint64_t left;
} __attribute__((aligned(64)));

static struct counters counters[2][STRIPES];
static struct user_events_section_slot slots[SLOTS];
static bool has_slots; /* threads can have a slot of their own, now or later */
uint32_t user_events_section_side;
static pthread_once_t once = PTHREAD_ONCE_INIT;
static pthread_key_t key; /* its destructor ends the sections of a thread that ends */
static bool has_key;

__thread struct user_events_sections user_events_sections;

/* The address of a thread-local variable differs between threads, except in its low bits. */
static uint32_t stripe_of_thread(void)
{
    uintptr_t address = (uintptr_t)&user_events_sections;

    return (uint32_t)((address >> 12) ^ (address >> 18)) % STRIPES;
}

static struct user_events_section count(void)
{
    struct user_events_section section = {
        .side = core_load_relaxed(&user_events_section_side) & 1,
        .stripe = stripe_of_thread(),
        .forks = engine_forks,
    };

    /* The section reads only after this is visible: pairs with the loads in is_empty. */
    core_fetch_add_seq_cst(&counters[section.side][section.stripe].entered, 1);
    return section;
}

static void uncount(struct user_events_section section)
{
    if (section.forks == engine_forks)
        core_fetch_add_seq_cst(&counters[section.side][section.stripe].left, 1);
}

/* A handler that runs between the steps sets the same values. */
static __attribute__((noinline, cold)) void watch_end(void)
{
    user_events_sections.is_watched = true;
    if (core_load_acquire(&has_key))
        (void)pthread_setspecific(key, &user_events_sections);
}

void user_events_read_section_enter(void)
{
    struct user_events_section section = {0};
    uint32_t depth;

    if (__builtin_expect(!user_events_sections.is_watched, 0))
        watch_end();
    if (user_events_sections.slot) {
        user_events_read_section_enter_fast();
        return;
    }
    depth = user_events_sections.depth;
    if (depth < USER_EVENTS_SECTIONS_COUNTED)
        section = count();
    core_interrupt_barrier();
    user_events_sections.depth = depth + 1;
    core_interrupt_barrier();
    if (depth < USER_EVENTS_SECTIONS_COUNTED)
        user_events_sections.counted[depth] =
            section; /* the section of a handler has used this entry before */
}

void user_events_read_section_leave(void)
{
    uint32_t depth = user_events_sections.depth - 1;
    struct user_events_section section;

    if (user_events_sections.slot) {
        user_events_read_section_leave_fast();
        return;
    }
    /* Read before a handler can use the entry. */
    section = user_events_sections.counted[depth < USER_EVENTS_SECTIONS_COUNTED ? depth : 0];
    core_interrupt_barrier();
    user_events_sections.depth = depth;
    core_interrupt_barrier();
    if (depth < USER_EVENTS_SECTIONS_COUNTED)
        uncount(section);
}

/* ---- slots of threads ---- */

static void allow_slots(void)
{
    core_store_seq_cst(&has_slots, os_threads_may_order());
}

void user_events_read_section_take_slot(void)
{
    (void)pthread_once(&once, allow_slots);
    if (!has_slots || user_events_sections.slot || user_events_sections.depth)
        return;
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (core_exchange_acq_rel(&slots[i].is_taken, true))
            continue;
        /* A wait that has not seen has_slots has published everything before the first section of
         * this thread. */
        core_fence_seq_cst();
        user_events_sections.slot = &slots[i];
        return;
    }
}

void user_events_read_section_return_slot(void)
{
    struct user_events_section_slot *slot = user_events_sections.slot;

    if (!slot || user_events_sections.depth)
        return;
    user_events_sections.slot = NULL;
    core_store_release(&slot->is_taken, false);
}

/* Makes earlier stores of all threads visible, and their later loads see the present state. A
 * sandbox may have forbidden the call since. */
static void order_all_threads(void)
{
    const struct timespec delay = {.tv_nsec = STORE_IS_SEEN_NS};

    if (core_load_seq_cst(&has_slots) && !os_threads_order() && !os_threads_may_order())
        (void)nanosleep(&delay, NULL);
}

static bool has_slot_in_section(uint32_t side)
{
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (core_load_acquire(&slots[i].state) == 1 + side)
            return true;
    }
    return false;
}

/* ---- waiting ---- */

bool user_events_in_read_section(void)
{
    return user_events_sections.depth != 0;
}

/* `left` is read first: a section that is entered and left in between counts as not ended. */
static bool is_empty(uint32_t side)
{
    uint64_t entered = 0;
    uint64_t left = 0;

    for (uint32_t i = 0; i < STRIPES; i++)
        left += core_load_seq_cst(&counters[side][i].left);
    for (uint32_t i = 0; i < STRIPES; i++)
        entered += core_load_seq_cst(&counters[side][i].entered);
    return entered == left && !has_slot_in_section(side);
}

static void wait_for_side(uint32_t side)
{
    const struct timespec delay = {.tv_nsec = SLEEP_NS};

    for (uint32_t checks = 0; !is_empty(side); checks++) {
        if (checks < CHECKS_BEFORE_SLEEP)
            (void)sched_yield();
        else
            (void)nanosleep(&delay, NULL);
    }
}

void user_events_grace_period_wait(void)
{
    uint32_t side;

    engine_lock_take(ENGINE_LOCK_GRACE_PERIOD);
    /* Every section that is not seen below sees what the caller changed. */
    core_fence_seq_cst();
    order_all_threads();
    side = user_events_section_side & 1;
    wait_for_side(!side);
    core_store_seq_cst(&user_events_section_side, !side);
    wait_for_side(side);
    engine_lock_release(ENGINE_LOCK_GRACE_PERIOD);
}

void user_events_grace_period_begin(struct user_events_grace_period *period)
{
    core_fence_seq_cst();
    order_all_threads();
    *period = (struct user_events_grace_period){{false, false}};
}

/* A section stays on its side, so the two sides need not be empty at the same time. */
bool user_events_grace_period_has_ended(struct user_events_grace_period *period)
{
    for (uint32_t side = 0; side < 2; side++)
        period->was_empty[side] = period->was_empty[side] || is_empty(side);
    return period->was_empty[0] && period->was_empty[1];
}

/* ---- forks, and ends of threads ---- */

/* The child has only the forking thread: the sections of all others are gone. The sections of this
 * thread continue, and are counted again. */
static void become_child(void)
{
    memset(counters, 0, sizeof(counters));
    for (uint32_t i = 0; i < SLOTS; i++) {
        if (&slots[i] != user_events_sections.slot)
            slots[i] = (struct user_events_section_slot){0};
    }
    if (user_events_sections.slot)
        return;
    for (uint32_t i = 0; i < user_events_sections.depth && i < USER_EVENTS_SECTIONS_COUNTED; i++) {
        user_events_sections.counted[i].forks = engine_forks;
        counters[user_events_sections.counted[i].side][user_events_sections.counted[i].stripe]
            .entered++;
    }
}

/* A thread that was cancelled in a callback, or ended itself there, does not return from it. */
static void end_sections(void *ignored)
{
    (void)ignored;
    while (user_events_sections.depth)
        user_events_read_section_leave();
    user_events_read_section_return_slot();
    user_events_sections.is_watched = false;
}

/* Early: a key with a low number can be set without allocating memory, so also in signal
 * handlers. */
static __attribute__((constructor(102))) void begin(void)
{
    static struct engine_fork_hook hook = {.in_child = become_child};

    engine_fork_hook_add(&hook);
    has_key = !pthread_key_create(&key, end_sections);
}

/* A library that contains this code may be unloaded: threads that end later must not call it. */
static __attribute__((destructor(102))) void forget_key(void)
{
    if (core_exchange_acq_rel(&has_key, false))
        (void)pthread_key_delete(key);
}
