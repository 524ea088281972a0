/* SPDX-License-Identifier: MIT */
/* Threads that write events: contexts, sessions, chunks. */
#include "engine/thread.h"
#include "core/atomic.h"
#include "core/pool.h"
#include "core/compact_record.h"
#include "engine/filter.h"
#include "engine/filter_sample.h"
#include "engine/loss.h"
#include "engine/watch.h"
#include "os/thread.h"

#include <errno.h>
#include <string.h>

/* A thread that fills a small chunk in less than this is busy, and takes large ones. */
#define BUSY_NS_A_PAGE UINT64_C(20000000)

/* Some large chunks, near one another, that a busy thread fills again and again; and the number of
 * such homes in the part of a pool that has memory from the beginning. */
#define HOME_CHUNKS 8u
#define HOMES       4u

/* Attempts to join the sessions of an event while they change. */
#define JOIN_TRIES 16u

/* Time between two looks of a writer that waits for a chunk. */
#define WAIT_NS UINT64_C(50000)

__thread struct engine_thread *engine_thread_self;

static os_thread_key key;
static bool key_made; /* under the engine's lock */

/* Number of times that this thread's context was freed. Other destructors may write events after
 * ours; ours is then called again, but only a limited number of times. */
static __thread uint32_t ends;

/* ---- a session of a thread ---- */

/* The session is cleared last: a signal handler that runs before does not replace a session that is
 * still set. */
static void leave(struct engine_thread_session *ts)
{
    for (uint32_t level = 0; level < CAIRN_POOL_LEVELS; level++)
        core_writer_close(&ts->writers[level]);
    core_interrupt_barrier();
    ts->session = 0;
    engine_sample_forget(ts);
}

/* A signal handler may set it at any instruction; then its cell is used. */
static struct engine_thread_session *session_cell(struct engine_thread *thread, uint32_t slot)
{
    struct engine_thread_session *ts = engine_thread_session_of(thread, slot);
    uint16_t none = 0;

    if (ts)
        return ts;
    ts = engine_cell_take();
    if (ts && !core_compare_exchange_relaxed(&thread->sessions[slot], &none,
                                             (uint16_t)engine_cell_number(ts))) {
        engine_cell_give(ts);
        ts = engine_cell_at(none);
    }
    return ts;
}

/* False, as join: the loss has been counted. True: the session does not want the event any more. */
static bool lose(const struct engine_event_entry *entry, uint32_t slot, uint64_t session,
                 enum cairn_loss cause)
{
    if (!(core_load_acquire(&entry->sessions) >> slot & 1))
        return true;
    engine_count_lost_of(slot, session, cause, 1);
    return false;
}

/* Joins the session that the slot has, if any, and leaves the one before. False: it could not, and
 * the loss of the event has been counted. */
static bool join(struct engine_thread *thread, const struct engine_event_entry *entry,
                 uint32_t slot)
{
    const uint64_t *slot_generation = &engine_self.local.slots[slot].generation;
    uint64_t session = core_load_acquire(slot_generation);
    struct engine_thread_session *ts;
    int error;

    if (!session)
        return true; /* it has ended: there is nothing to lose */
    ts = session_cell(thread, slot);
    if (!ts)
        return lose(entry, slot, session, CAIRN_LOSS_LIMIT);
    /* The writer that this handler interrupted may be writing to the pool that we would leave. */
    if (thread->depth > 1 && ts->session)
        return lose(entry, slot, session, CAIRN_LOSS_NESTED);
    leave(ts);
    error = engine_find_pool(slot, session, &ts->pool);
    if (error)
        return lose(entry, slot, session, engine_loss_of_error(error));
    ts->mask = UINT64_C(1) << slot;
    ts->slot_generation = slot_generation;
    ts->awake = &engine_self.local.slots[slot].awake;
    ts->has_rules = engine_filter_is_used(slot);
    ts->stack_bytes = engine_filter_wants_stacks(slot) ? CORE_CONTROL_STACK_MAX_BYTES : 0;
    core_interrupt_barrier();
    ts->session = session;
    return true;
}

/* Returns the slots whose sessions could not be joined. */
static uint64_t join_each(struct engine_thread *thread, const struct engine_event_entry *entry,
                          uint64_t slots)
{
    uint64_t failed = 0;

    for (; slots; slots &= slots - 1) {
        if (!join(thread, entry, (uint32_t)__builtin_ctzll(slots)))
            failed |= slots & -slots;
    }
    return failed;
}

/* The same for those that have changed all the time. */
static uint64_t lose_each(const struct engine_event_entry *entry, uint64_t slots)
{
    uint64_t failed = 0;

    for (; slots; slots &= slots - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(slots);
        uint64_t session = core_load_acquire(&engine_self.local.slots[slot].generation);

        if (session && !lose(entry, slot, session, CAIRN_LOSS_OTHER))
            failed |= slots & -slots;
    }
    return failed;
}

/*
 * Nothing has been written yet. Meanwhile a session may have ended, another one may have begun in
 * its slot, or, when its patterns change, in its place: so the mask is read again until it has
 * stayed the same; but a limited number of times, since shared memory may contain anything.
 */
int engine_thread_join(struct engine_thread *thread, const struct engine_event_entry *entry,
                       uint64_t *sessions)
{
    uint64_t wanted = *sessions;
    uint64_t lacks = wanted;
    uint64_t failed = 0;
    uint64_t before = 0;

    for (uint32_t i = 0; i < JOIN_TRIES && (lacks || wanted != before); i++) {
        failed |= join_each(thread, entry, engine_thread_lacks(thread, wanted & ~failed));
        before = wanted;
        wanted = core_load_acquire(&entry->sessions);
        lacks = engine_thread_lacks(thread, wanted & ~failed);
    }
    failed |= lose_each(entry, lacks);
    *sessions = wanted & ~failed & ~lacks;
    if (!failed)
        return *sessions ? 0 : EBADF;
    engine_count_lost_entry(entry);
    return ENOSPC;
}

/* ---- its chunks ---- */

static bool is_busy(const struct cairn_writer *writer, uint64_t claimed_ns, uint64_t now_ns)
{
    uint64_t pages = (uint64_t)(writer->end - writer->start) / ENGINE_PAGE_BYTES + 1;

    return writer->chunk && now_ns - claimed_ns < pages * BUSY_NS_A_PAGE;
}

/* Threads that were started in sequence have different ones. */
static uint32_t home_of(const struct engine_thread *thread)
{
    return thread->name.tid % HOMES * HOME_CHUNKS;
}

/* The pool may serve the next session by now. */
static void *lose_full(const struct engine_thread *thread, struct engine_thread_session *ts,
                       uint32_t id)
{
    engine_count_lost_full(ts->pool.large.header, ts->session, &thread->name, id);
    return NULL;
}

static void note_starved(struct cairn_writer *writer, uint32_t starved, uint64_t freed)
{
    writer->starved = starved + 1;
    writer->freed = freed;
}

static bool any_is_free(const struct engine_process_pool *pool)
{
    return (int32_t)core_load_relaxed(&pool->large.header->free_chunks) > 0;
}

/* The time that the session's recorder wants a writer to wait for it. A signal handler does not
 * wait: it may have interrupted the recorder. */
static uint64_t patience_ns(const struct engine_thread_session *ts, uint32_t level)
{
    uint32_t flags = core_load_relaxed(&engine_self.local.slots[__builtin_ctzll(ts->mask)].flags);
    uint32_t ms = flags >> ENGINE_SESSION_BLOCK_SHIFT;

    if (level)
        return 0;
    return (ms < ENGINE_SESSION_BLOCK_MAX_MS ? ms : ENGINE_SESSION_BLOCK_MAX_MS) *
           UINT64_C(1000000);
}

/* An event is no cancellation point, and leaves errno as it is. */
static void pause_shortly(void)
{
    int kept = errno;
    int state = os_cancel_disable();

    os_sleep(WAIT_NS);
    os_cancel_restore(state);
    errno = kept;
}

/* Waits until the reader has freed a chunk, and claims one. After a wait without effect further
 * events are lost at once, until it has freed one: so a recorder that is stopped does not stop the
 * program. */
static bool claim_patiently(const struct engine_thread *thread, struct engine_thread_session *ts,
                            uint32_t level, uint32_t size_bytes, struct cairn_pool **ret_view,
                            uint32_t *ret_index)
{
    uint64_t patience = patience_ns(ts, level);
    uint64_t began_ns = patience ? os_clock_ns() : 0;
    bool is_claimed = false;

    while (patience && !is_claimed && os_clock_ns() - began_ns < patience &&
           core_load_acquire(ts->slot_generation) == ts->session) {
        pause_shortly();
        is_claimed = engine_process_pool_claim(&ts->pool, true, home_of(thread), size_bytes,
                                               ret_view, ret_index);
    }
    return is_claimed;
}

void *engine_thread_reserve(struct engine_thread *thread, struct engine_thread_session *ts,
                            uint32_t level, uint32_t size_bytes, uint32_t id)
{
    struct cairn_writer *writer = &ts->writers[level];
    struct cairn_writer_name name = thread->name;
    /* Pairs with the release of the reader: a chunk that is counted as freed is free. */
    uint64_t freed = core_load_acquire(&ts->pool.large.header->freed);
    uint32_t starved = writer->starved;
    struct cairn_pool *view;
    bool has_waited = starved && writer->freed == freed; /* closing forgets it */
    uint64_t now_ns;
    uint32_t index;
    bool busy;

    /* Without a chunk for some time: searching again is worthwhile if the reader has freed one,
     * or allocated one's memory. */
    if (size_bytes > ts->pool.large.chunk_bytes - CAIRN_POOL_SLACK_BYTES ||
        (starved % CORE_POOL_STARVED_TRIES && writer->freed == freed && !any_is_free(&ts->pool))) {
        note_starved(writer, starved, writer->freed);
        return lose_full(thread, ts, id);
    }
    now_ns = os_clock_ns();
    busy = is_busy(writer, ts->claimed_ns[level], now_ns);
    core_writer_close(writer);
    if (!engine_process_pool_claim(&ts->pool, busy, home_of(thread), size_bytes, &view, &index) &&
        (has_waited || !claim_patiently(thread, ts, level, size_bytes, &view, &index))) {
        note_starved(writer, starved, freed);
        return lose_full(thread, ts, id);
    }
    name.session = ts->session;
    name.owner = engine_self.owner;
    core_store_relaxed(&view->chunks[index].events, 0); /* those that are filtered from here on */
    core_writer_own(view, writer, &name, index);
    ts->claimed_ns[level] = now_ns;
    ts->baselines[level] = (struct engine_baseline){0};
    /* The session ended before we claimed: the pool may serve the next one. */
    if (core_load_acquire(ts->slot_generation) != ts->session) {
        core_writer_close(writer);
        return NULL;
    }
    return writer->next;
}

/* ---- the thread ---- */

static void free_context(struct engine_thread *thread)
{
    engine_thread_flush_recent(thread);
    for (uint32_t i = 0; i < ENGINE_SESSION_MAX; i++) {
        struct engine_thread_session *ts = engine_thread_session_of(thread, i);

        if (!ts)
            continue;
        leave(ts);
        engine_cell_give(ts);
    }
    engine_cell_give(thread);
}

/* Called at the thread's end. Passes its last chunks to the reader. */
static void unmake(void *memory)
{
    engine_thread_self = NULL;
    core_interrupt_barrier();
    ends++;
    free_context(memory);
}

static void name_thread(struct engine_thread *thread, uint32_t pid, uint32_t tid,
                        const char comm[16])
{
    memcpy(thread->name.comm, comm, sizeof(thread->name.comm));
    thread->name.pid = pid;
    thread->name.tid = tid;
    thread->cpu = os_cpu_area();
    thread->clock = &engine_self.local.registry->clock;
}

int engine_thread_prepare(void)
{
    int error = engine_cells_map();

    if (error)
        return error;
    os_tid_prepare();
    if (!key_made)
        error = os_thread_key_create(&key, unmake);
    key_made = !error;
    return error;
}

/* A library that contains us may be unloaded: threads that end later must not call into it. */
static __attribute__((destructor)) void forget_key(void)
{
    if (core_exchange_relaxed(&key_made, false))
        os_thread_key_delete(key);
}

/*
 * A handler may create one at any instruction: then that one is used. The C library has space for
 * the first 32 keys of each thread, and takes memory from the heap only for more.
 */
struct engine_thread *engine_thread_make(void)
{
    struct engine_thread *made = NULL;
    struct engine_thread *thread;

    if (ends >= OS_THREAD_ENDS_MAX)
        return NULL;              /* it would never be freed */
    engine_locks_check_process(); /* detects a child of clone() itself */
    thread = engine_cell_take();
    if (!thread)
        return NULL;
    /* The name is that of the process; a recorder reads the name of the thread. */
    name_thread(thread, engine_self.pid,
                engine_self.tid_is_told ? os_tid_self() : os_tid_of_kernel(),
                engine_self.process->comm);
    if (!core_compare_exchange_relaxed(&engine_thread_self, &made, thread)) {
        engine_cell_give(thread);
        thread = made;
    }
    if (os_thread_key_set(key, thread)) {
        engine_thread_self = NULL;
        engine_cell_give(thread);
        return NULL;
    }
    return thread;
}

/* The ids are those of threads of other processes: a reader that reclaims the chunks of an ended
 * thread would reclaim the server's. */
struct engine_thread *engine_thread_make_for(uint32_t pid, uint32_t tid, const char comm[16])
{
    struct engine_thread *thread = engine_cell_take();

    engine_self.owner = 0;
    if (thread) {
        name_thread(thread, pid, tid, comm);
        thread->is_other = true;
    }
    return thread;
}

void engine_thread_end(struct engine_thread *thread)
{
    if (engine_thread_self == thread)
        engine_thread_self = NULL;
    free_context(thread);
}

void engine_thread_name_self(void)
{
    struct engine_thread *thread = engine_thread_self ? engine_thread_self : engine_thread_make();

    if (thread)
        os_thread_name(thread->name.comm);
}

void engine_thread_forget(void)
{
    engine_thread_self = NULL;
    if (key_made)
        (void)os_thread_key_set(key, NULL);
    engine_cells_forget();
}

/* ---- time ---- */

struct engine_timestamp engine_timestamp_now(const struct engine_thread *thread)
{
    struct engine_timestamp timestamp = {.cpu = os_cpu_now(thread->cpu)};

    if (engine_clock_uses_ticks(thread->clock)) {
        timestamp.unit = ENGINE_UNIT_TICKS;
        timestamp.counter = os_ticks();
    } else {
        timestamp.unit = ENGINE_UNIT_NS;
        timestamp.counter = os_clock_ns();
    }
    if (!engine_clock_is_kept(thread->clock))
        engine_watch_heartbeats(os_clock_ns());
    return timestamp;
}

/* If the buffer is full and nobody reads it, no event is written and the time is not read; so the
 * heartbeats are checked here. */
void engine_thread_note_loss(struct engine_thread *thread)
{
    if (thread->losses++ % 64 == 0)
        (void)engine_timestamp_now(thread);
}
