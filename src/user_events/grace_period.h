/* SPDX-License-Identifier: MIT */
/*
 * Read-side sections and grace periods of RCU in user space, for callbacks and layers.
 *
 * A section costs two atomic additions, paid only where a tracepoint has callbacks; or two stores
 * in threads that own a slot. There are two sides with separate counters; new sections use the
 * current side. A wait first waits until the other side is empty, then makes that side the current
 * one, and waits until the first is empty: every section that had begun before the wait has ended
 * then, and new sections cannot prolong the wait.
 */
#ifndef USER_EVENTS_GRACE_PERIOD_H
#define USER_EVENTS_GRACE_PERIOD_H

#include "core/atomic.h"

#include <cairn/tracepoint.h>

#include <stdbool.h>
#include <stdint.h>

/* Only its thread writes to it, without barriers: user_events_grace_period_wait has one for all
 * threads. */
struct user_events_section_slot {
    uint32_t state; /* 0: in no section; otherwise 1 + the side of the outermost one */
    bool is_taken;
} __attribute__((aligned(64)));

/* A section, and the counter that counts it. */
struct user_events_section {
    uint32_t side;
    uint32_t stripe;
    uint32_t forks; /* value of engine_forks: a forked child starts to count from 0 */
};

/* Nested sections up to this depth are counted; deeper ones are covered by those. */
#define USER_EVENTS_SECTIONS_COUNTED 8u

/* The sections that this thread is in. A signal handler leaves every section that it has entered:
 * `depth` is the same before and after it. */
struct user_events_sections {
    struct user_events_section_slot *slot; /* or NULL */
    uint32_t depth;
    bool is_watched; /* its key is set: the sections end with the thread */
    struct user_events_section counted[USER_EVENTS_SECTIONS_COUNTED];
};

extern __thread struct user_events_sections user_events_sections
    __attribute__((tls_model("initial-exec"), visibility("hidden")));
extern uint32_t user_events_section_side __attribute__((visibility("hidden")));

/* Any thread, any signal handler; sections nest. They never wait. The sections of a thread that
 * ends in one, by pthread_exit or a cancellation, end with it. */
void user_events_read_section_enter(void);
void user_events_read_section_leave(void);

/*
 * The same, in line for a thread that has a slot. A signal handler may run between any two of these
 * steps. `depth` is changed first, both times. A handler that runs between the steps of enter finds
 * the section begun, or begins it; its leave does not end it, since `depth` also counts the
 * interrupted section. A handler that runs between the steps of leave ends the section; the last
 * step of the interrupted leave then has no effect.
 */
static inline void user_events_read_section_enter_fast(void)
{
    struct user_events_sections *mine = &user_events_sections;
    struct user_events_section_slot *slot = mine->slot;

    if (cairn_unlikely(!slot || !mine->is_watched)) {
        user_events_read_section_enter();
        return;
    }
    mine->depth++;
    core_interrupt_barrier();
    /* The section reads only after this is visible: pairs with the barrier of a wait. */
    if (cairn_likely(!core_load_relaxed(&slot->state)))
        core_store_release(&slot->state, 1 + (core_load_relaxed(&user_events_section_side) & 1));
    core_interrupt_barrier();
}

static inline void user_events_read_section_leave_fast(void)
{
    struct user_events_sections *mine = &user_events_sections;
    struct user_events_section_slot *slot = mine->slot;
    uint32_t depth;

    if (cairn_unlikely(!slot)) {
        user_events_read_section_leave();
        return;
    }
    depth = mine->depth - 1;
    core_interrupt_barrier();
    mine->depth = depth;
    core_interrupt_barrier();
    if (cairn_likely(!depth))
        core_store_release(&slot->state, 0); /* pairs with the loads of a wait */
}

/* Gives the calling thread a slot of its own, if one is free and the kernel has membarrier(2), and
 * returns it: before the thread ends. They have no effect in a section, in a thread that already
 * has a slot or, for disown, that has none. Not in signal handlers. */
void user_events_read_section_take_slot(void);
void user_events_read_section_return_slot(void);

/* True if the calling thread is in a section: waiting would never end. */
bool user_events_in_read_section(void);

/* Waits for a grace period: returns when every section that had begun at the time of the call has
 * ended. Not in a section, not in a signal handler. No cancellation point. */
void user_events_grace_period_wait(void);

/* A grace period for a thread that must not wait: it ends when both sides were seen empty once. */
struct user_events_grace_period {
    bool was_empty[2];
};

/* Begins one: what the caller changed before is seen by all sections that begin later. Not in
 * signal handlers. */
void user_events_grace_period_begin(struct user_events_grace_period *period);

/* True if every section that had begun before it has ended. Not in a section. */
bool user_events_grace_period_has_ended(struct user_events_grace_period *period);

#endif
