/* SPDX-License-Identifier: MIT */
/*
 * A thread that writes events. Its context is created at its first event and freed at its end.
 *
 * A signal handler may run at any instruction and write events itself: each level of nesting has
 * its own chunk (`depth` is the level), so nothing is shared and nothing waits.
 */
#ifndef ENGINE_THREAD_H
#define ENGINE_THREAD_H

#include "core/atomic.h"
#include "engine/cells.h"
#include "engine/clock.h"
#include "engine/cpu.h"
#include "engine/engine.h"
#include "engine/loss.h"

#include <cairn/pool.h>

/* A cell. */
struct cairn_thread_session {
    uint64_t session; /* generation; 0: none. If it differs from the slot's: join it first */
    uint64_t mask;    /* the bit of the slot, in an entry's mask */
    const uint64_t *slot_generation; /* the session that the slot has now */
    struct cairn_process_pool pool;
    struct cairn_writer writers[CAIRN_POOL_LEVELS];
    uint64_t claimed_ns[CAIRN_POOL_LEVELS]; /* when each got its chunk; 0: at its first event */
};

/* The session that a thread wrote to last, for the hot path. */
struct cairn_thread_recent {
    struct cairn_thread_session *of; /* NULL: none, and the writer has no space */
    uint64_t session;
    uint64_t mask;
    const uint64_t *slot_generation;
    struct cairn_writer
        writer; /* of level 0; until cairn_thread_flush_recent that of the session is outdated */
};

/* A cell. All zeros: a forked child has it from its parent. */
struct cairn_thread {
    uint32_t depth;
    uint64_t last_ns; /* time never goes backwards within a thread */
    struct cairn_thread_recent recent;
    const int32_t *cpu;                 /* cairn_os_cpu_area() of the thread */
    const struct cairn_clock *clock;    /* of the registry */
    struct cairn_clock_copy clock_copy; /* not a signal handler's */
    struct cairn_writer_name name;
    uint64_t common; /* as in records: common_type and what is before common_pid, 0; common_pid */
    uint32_t losses;
    uint16_t sessions[CAIRN_SESSION_MAX]; /* cells of struct cairn_thread_session; 0: none */
};

_Static_assert(sizeof(struct cairn_thread) <= CAIRN_CELL_BYTES, "a thread takes a cell");
_Static_assert(sizeof(struct cairn_thread_session) <= CAIRN_CELL_BYTES, "and one for a session");

/* Time and CPU of an event. */
struct cairn_timestamp {
    uint64_t time_ns;
    uint64_t cpu; /* 32 bits */
};

extern __thread struct cairn_thread *cairn_i_thread __attribute__((tls_model("initial-exec")));

/* Once, before the first event. Returns 0; ENOMEM; EAGAIN there are too many thread-specific keys.
 */
int cairn_thread_prepare(void);

/* This thread's context, made if need be; NULL when there is no memory for it. No system call. */
struct cairn_thread *cairn_thread_make(void);

/* The same for a thread that may make system calls: its chunks have its own name. */
void cairn_thread_name_self(void);

/*
 * Joins the session of a slot: leaves the one that was there before. NULL: there is no such session
 * any more, or no pool for it; the loss has been counted. No system call.
 */
struct cairn_thread_session *cairn_thread_join(struct cairn_thread *thread, uint32_t slot);

/* The session of a slot that the thread has joined, or NULL. */
static inline struct cairn_thread_session *
cairn_thread_session_of(const struct cairn_thread *thread, uint32_t slot)
{
    uint32_t cell = cairn_load_relaxed(&thread->sessions[slot]);

    return cell ? cairn_cell_at(cell) : NULL;
}

/* Reserves a record in another chunk than the writer's. NULL: the loss has been counted. */
void *cairn_thread_reserve(struct cairn_thread *thread, struct cairn_thread_session *ts,
                           uint32_t level, uint32_t size_bytes);

/* Copies the hot path's writer back to its session; the hot path has none after that. */
static inline void cairn_thread_flush_recent(struct cairn_thread *thread)
{
    if (thread->recent.of)
        thread->recent.of->writers[0] = thread->recent.writer;
    thread->recent = (struct cairn_thread_recent){0};
}

/* The hot path may write there, until cairn_thread_flush_recent. */
static inline void cairn_thread_remember(struct cairn_thread *thread,
                                         struct cairn_thread_session *ts)
{
    thread->recent = (struct cairn_thread_recent){ts, ts->session, ts->mask, ts->slot_generation,
                                                  ts->writers[0]};
}

/* In a forked child: the context is the parent's. */
void cairn_thread_forget(void);

/* Reads the time by a new copy of the calibration if needed, or by the system's clock. If no
 * recorder renews the calibration, the recorders may be dead: checks their heartbeats. */
struct cairn_timestamp cairn_timestamp_now(struct cairn_thread *thread);

/* Checks the heartbeats, too, at intervals: an event had no space. */
void cairn_thread_note_loss(struct cairn_thread *thread);

/* The same for a thread whose processor's number is kept and whose copy of the clock is new. False:
 * neither may be so any more. */
static inline bool cairn_timestamp_of_copy(const struct cairn_thread *thread,
                                        struct cairn_timestamp *ret_timestamp)
{
    ret_timestamp->cpu = (uint32_t)cairn_load_relaxed(thread->cpu);
    return cairn_likely((int32_t)ret_timestamp->cpu >= 0) &&
           cairn_likely(cairn_clock_of_copy(&thread->clock_copy, &ret_timestamp->time_ns));
}

#endif
