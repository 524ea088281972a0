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
#include "core/pool.h"
#include "engine/baseline.h"
#include "engine/cells.h"
#include "engine/clock.h"
#include "os/cpu.h"
#include "engine/engine.h"
#include "engine/loss.h"
#include "os/stack.h"

/* A cell. */
struct engine_thread_session {
    uint64_t session; /* generation; 0: none. If it differs from the slot's: join it first */
    uint64_t mask;    /* the bit of the slot, in an entry's mask */
    const uint64_t *slot_generation; /* the session that the slot has now, */
    const uint64_t *awake;           /* and the same while its recorder looks often */
    struct engine_process_pool pool;
    struct cairn_writer writers[CAIRN_POOL_LEVELS];
    struct engine_baseline baselines[CAIRN_POOL_LEVELS];
    uint64_t claimed_ns[CAIRN_POOL_LEVELS]; /* when each got its chunk; 0: at its first event */
    bool has_rules;                         /* of the session: engine/filter.h */
    uint16_t stack_bytes; /* space that records need for stacks; 0: none is wanted */
    uint16_t samples;     /* the cell with what rules that sample have counted; 0: none */
};

/* The session that a thread wrote to last, for the hot path. */
struct engine_thread_recent {
    struct engine_thread_session *of; /* NULL: none, and the writer has no space */
    uint64_t session;
    uint64_t mask;
    const uint64_t *awake; /* the session, while its recorder looks often */
    /* For level 0; until engine_thread_flush_recent those of the session are outdated: */
    struct cairn_writer writer;
    struct engine_baseline baseline; /* in ticks */
    /* Members for sessions that have rules. */
    uint32_t cpu;       /* that of the baseline */
    uint32_t filter_id; /* the last descriptor that was filtered; ENGINE_ID_NONE: none */
    uint32_t filter;    /* and its program: engine/filter_program.h */
};

/* No processor has this number: a commit that compares it with its own takes another path. */
#define ENGINE_CPU_OTHER UINT32_MAX

/* The event that a call site is writing by the hot path, until its commit (src/eventheader). */
struct engine_thread_event {
    const struct cairn_tracepoint *tracepoint;
    const void *constant; /* its constant part */
    uint32_t room_bytes;  /* for its values */
    uint32_t descriptor;
    const void *activity_id;
    const void *related_id;
};

/* A cell. All zeros: a forked child has it from its parent. */
struct engine_thread {
    uint32_t depth;
    struct engine_thread_recent recent;
    struct engine_thread_event event;
    const int32_t *cpu;               /* os_cpu_area() of the thread */
    const struct engine_clock *clock; /* of the registry */
    struct cairn_writer_name name;
    uint32_t losses;
    bool is_other;                         /* of another program: the stack is not its own */
    struct os_stack stack;                 /* of the thread, if that is known */
    uint16_t sessions[ENGINE_SESSION_MAX]; /* cells of struct engine_thread_session; 0: none */
};

_Static_assert(sizeof(struct engine_thread) <= ENGINE_CELL_BYTES, "a thread takes a cell");
_Static_assert(sizeof(struct engine_thread_session) <= ENGINE_CELL_BYTES, "and one for a session");

/* The time and the CPU of an event. */
struct engine_timestamp {
    uint64_t counter;
    uint32_t unit; /* enum engine_unit */
    uint32_t cpu;
};

extern __thread struct engine_thread *engine_thread_self __attribute__((tls_model("initial-exec")));

/* Once, before the first event. Returns 0; ENOMEM; EAGAIN there are too many thread-specific keys.
 */
int engine_thread_prepare(void);

/* Returns this thread's context, which is created if necessary; NULL: there is no memory for it. No
 * system call. */
struct engine_thread *engine_thread_make(void);

/* The same for a thread that may make system calls: its chunks have its own name. */
void engine_thread_name_self(void);

/*
 * For a server that writes the events of other programs' threads, in one thread of its own, by a
 * context for each of them: it sets engine_thread_self to the context before it writes. Makes a
 * context; NULL: there is no memory for it.
 */
struct engine_thread *engine_thread_make_for(uint32_t pid, uint32_t tid, const char comm[16]);
void engine_thread_end(struct engine_thread *thread);

/* The session of a slot that the thread has joined, or NULL. */
static inline struct engine_thread_session *
engine_thread_session_of(const struct engine_thread *thread, uint32_t slot)
{
    uint32_t cell = core_load_relaxed(&thread->sessions[slot]);

    return cell ? engine_cell_at(cell) : NULL;
}

/* The slots of a mask whose session the thread has not joined: it may have ended, too. */
static inline uint64_t engine_thread_lacks(const struct engine_thread *thread, uint64_t slots)
{
    uint64_t lacks = 0;

    for (; slots; slots &= slots - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(slots);
        const struct engine_thread_session *ts = engine_thread_session_of(thread, slot);

        if (!ts || !ts->session ||
            ts->session != core_load_relaxed(&engine_self.local.slots[slot].generation))
            lacks |= slots & -slots;
    }
    return lacks;
}

/*
 * Joins the sessions that want an event, which takes some time: then it may be other sessions that
 * want it. `sessions` has those of the event's mask, and afterwards those that the thread has
 * joined. Returns 0; EBADF no session wants it any more; ENOSPC one that wants it could not be
 * joined, and the loss has been counted. No system call.
 */
int engine_thread_join(struct engine_thread *thread, const struct engine_event_entry *entry,
                       uint64_t *sessions);

/* Reserves a record in another chunk than the writer's; `id` is that of its descriptor. NULL: the
 * loss has been counted. */
void *engine_thread_reserve(struct engine_thread *thread, struct engine_thread_session *ts,
                            uint32_t level, uint32_t size_bytes, uint32_t id);

/* Copies the hot path's writer back to its session; the hot path has none after that. */
static inline void engine_thread_flush_recent(struct engine_thread *thread)
{
    if (thread->recent.of) {
        thread->recent.of->writers[0] = thread->recent.writer;
        thread->recent.of->writers[0].end += thread->recent.of->stack_bytes;
        thread->recent.of->baselines[0] = thread->recent.baseline;
        if (thread->recent.of->has_rules)
            thread->recent.of->baselines[0].cpu = thread->recent.cpu;
    }
    thread->recent = (struct engine_thread_recent){0};
}

/* True if the hot path can write to the thread's chunk: records there have ticks, or will have; a
 * session whose rules have refused all events so far has written none. Under valgrind there is no
 * area of the CPU: writing blocks after strings would be reported as errors. */
static inline bool engine_thread_may_remember(const struct engine_thread *thread,
                                              const struct engine_thread_session *ts)
{
    uint32_t unit = ts->baselines[0].unit;

    return os_cpu_is_kept(thread->cpu) &&
           (unit == ENGINE_UNIT_TICKS ||
            (unit == ENGINE_UNIT_NONE && ts->has_rules && engine_clock_uses_ticks(thread->clock)));
}

/* The hot path may write there, until engine_thread_flush_recent. */
static inline void engine_thread_remember(struct engine_thread *thread,
                                          struct engine_thread_session *ts)
{
    thread->recent = (struct engine_thread_recent){ts,
                                                   ts->session,
                                                   ts->mask,
                                                   ts->awake,
                                                   ts->writers[0],
                                                   ts->baselines[0],
                                                   ts->baselines[0].cpu,
                                                   0,
                                                   0};
    /* A stack is put before a record that has been written. */
    thread->recent.writer.end -= ts->stack_bytes;
    if (ts->has_rules)
        thread->recent.baseline.cpu = ENGINE_CPU_OTHER;
}

/* In a forked child: the context is the parent's. */
void engine_thread_forget(void);

/* Reads the counter if recorders can convert it, otherwise the system's clock. If no recorder
 * renews the calibration, the recorders may be dead: checks their heartbeats. */
struct engine_timestamp engine_timestamp_now(const struct engine_thread *thread);

/* For an event without space: also checks the heartbeats, at intervals. */
void engine_thread_note_loss(struct engine_thread *thread);

#endif
