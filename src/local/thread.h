/* SPDX-License-Identifier: MIT */
/*
 * A thread that writes events. Its context is made at its first event and given back at its end.
 *
 * A signal handler may come in between at any instruction and write events itself: each level of
 * nesting has its own chunk (`depth` says which), so nobody ever waits or shares.
 */
#ifndef LOCAL_THREAD_H
#define LOCAL_THREAD_H

#include "local/clock.h"
#include "local/cpu.h"
#include "local/engine.h"

#include <cairn/pool.h>

/* Of 256 bytes: a slot's is found by a shift. */
struct cairn_thread_session {
    uint64_t session; /* generation; 0: none. Another one than the slot's: join it first */
    uint64_t mask;    /* the bit of the slot, in an entry's mask */
    const uint64_t *slot_generation; /* who is in the slot now */
    struct cairn_process_pool *pool;
    struct cairn_writer writers[CAIRN_POOL_LEVELS];
} __attribute__((aligned(256)));

struct cairn_thread {
    uint32_t depth;
    uint64_t last_ns;                    /* time never goes backwards within a thread */
    struct cairn_thread_session *recent; /* where the hot path may write; or NULL */
    const int32_t *cpu;                  /* cairn_cpu_area() of the thread */
    const struct cairn_clock *clock;     /* of the registry */
    struct cairn_clock_copy clock_copy;  /* not a signal handler's */
    struct cairn_writer_name name;
    uint32_t losses;
    struct cairn_thread_session sessions[CAIRN_SESSION_MAX];
};

/* When and where. */
struct cairn_moment {
    uint64_t time_ns;
    uint32_t cpu;
};

extern __thread struct cairn_thread *cairn_i_thread __attribute__((tls_model("initial-exec")));

/* This thread's context, made if need be; NULL when there is no memory for it. */
struct cairn_thread *cairn_thread_make(void);

/*
 * Joins the session of a slot: leaves the one that was there before. False: there is no such
 * session any more, or no room for a pool; the loss has been counted.
 */
bool cairn_thread_join(struct cairn_thread *thread, uint32_t slot);

/* In a forked child: nothing of the parent's context is ours. */
void cairn_thread_forget(void);

/* Counts an event that was lost before it could reach a pool, with every session of the mask. */
void cairn_thread_count_lost(uint64_t sessions);

/* The slow half of cairn_moment_now: with a new copy of the clock, or by system calls. Where no
 * recorder keeps the clock, those who collect events may be dead: looks for that. */
struct cairn_moment cairn_moment_ask(struct cairn_thread *thread);

/* When there was no room for an event: the same look, now and then. */
void cairn_thread_note_loss(struct cairn_thread *thread);

static inline struct cairn_moment cairn_moment_now(struct cairn_thread *thread)
{
    struct cairn_moment moment;
    int32_t cpu = __atomic_load_n(thread->cpu, __ATOMIC_RELAXED);

    moment.cpu = (uint32_t)cpu;
    if (cairn_likely(cpu >= 0) &&
        cairn_likely(cairn_clock_of_copy(thread->clock, &thread->clock_copy, &moment.time_ns)))
        return moment;
    return cairn_moment_ask(thread);
}

#endif
