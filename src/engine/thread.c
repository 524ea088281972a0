/* SPDX-License-Identifier: MIT */
/* Threads that write events: contexts, sessions, chunks. */
#include "engine/thread.h"
#include "core/atomic.h"
#include "engine/loss.h"
#include "engine/tid.h"
#include "engine/watch.h"

#include <errno.h>
#include <limits.h>
#include <pthread.h>
#include <string.h>
#include <sys/prctl.h>
#include <unistd.h>

/* A thread that fills a small chunk in less than this is busy, and takes large ones. */
#define BUSY_NS_A_PAGE UINT64_C(20000000)

__thread struct cairn_thread *cairn_i_thread;

static pthread_key_t key;
static bool key_made; /* under the engine's lock */

/* Number of times that this thread's context was freed: destructors of others may write after
 * ours, and ours is called again for that, but only a limited number of times. */
static __thread uint32_t ends;

/* ---- a session of a thread ---- */

/* The session last: a handler that comes in between leaves a session that is still set alone. */
static void leave(struct cairn_thread_session *ts)
{
    for (uint32_t level = 0; level < CAIRN_POOL_LEVELS; level++)
        cairn_writer_close(&ts->writers[level]);
    cairn_interrupt_barrier();
    ts->session = 0;
}

/* A handler may make it at any instruction: then its cell is the one. */
static struct cairn_thread_session *session_cell(struct cairn_thread *thread, uint32_t slot)
{
    struct cairn_thread_session *ts = cairn_thread_session_of(thread, slot);
    uint16_t none = 0;

    if (ts)
        return ts;
    ts = cairn_cell_take();
    if (ts && !cairn_compare_exchange_relaxed(&thread->sessions[slot], &none,
                                              (uint16_t)cairn_cell_number(ts))) {
        cairn_cell_give(ts);
        ts = cairn_cell_at(none);
    }
    return ts;
}

/* An event of a session that has ended is not counted: the slot may be another's now. */
static struct cairn_thread_session *lose(uint32_t slot, uint64_t session, enum cairn_loss cause)
{
    if (session && cairn_load_acquire(&cairn_i_engine.local.slots[slot].generation) == session)
        cairn_count_lost(UINT64_C(1) << slot, cause, 1);
    return NULL;
}

struct cairn_thread_session *cairn_thread_join(struct cairn_thread *thread, uint32_t slot)
{
    const uint64_t *slot_generation = &cairn_i_engine.local.slots[slot].generation;
    uint64_t session = cairn_load_acquire(slot_generation);
    struct cairn_thread_session *ts = session_cell(thread, slot);
    int error;

    if (!ts)
        return lose(slot, session, CAIRN_LOSS_LIMIT);
    /* The writer that this handler interrupted may be writing to the pool that we would leave. */
    if (thread->depth > 1 && ts->session)
        return lose(slot, session, CAIRN_LOSS_NESTED);
    leave(ts);
    if (!session)
        return NULL;
    error = cairn_engine_find_pool(slot, session, &ts->pool);
    if (error)
        return lose(slot, session, cairn_loss_of_error(error));
    ts->mask = UINT64_C(1) << slot;
    ts->slot_generation = slot_generation;
    cairn_interrupt_barrier();
    ts->session = session;
    return ts;
}

/* ---- its chunks ---- */

static bool is_busy(const struct cairn_writer *writer, uint64_t claimed_ns, uint64_t now_ns)
{
    uint64_t pages = (uint64_t)(writer->end - writer->start) / CAIRN_PAGE_BYTES + 1;

    return writer->chunk && now_ns - claimed_ns < pages * BUSY_NS_A_PAGE;
}

static void *lose_full(struct cairn_thread_session *ts, struct cairn_writer *writer,
                       uint32_t starved, uint64_t freed)
{
    writer->starved = starved + 1;
    writer->freed = freed;
    cairn_pool_count_lost(&ts->pool.large);
    return NULL;
}

static bool any_is_free(const struct cairn_process_pool *pool)
{
    return (int32_t)cairn_load_relaxed(&pool->large.header->free_chunks) > 0;
}

void *cairn_thread_reserve(struct cairn_thread *thread, struct cairn_thread_session *ts,
                           uint32_t level, uint32_t size_bytes)
{
    struct cairn_clock_copy copy = {.sequence = CAIRN_CLOCK_NONE};
    struct cairn_writer *writer = &ts->writers[level];
    struct cairn_writer_name name = thread->name;
    /* Pairs with the release of the reader: a chunk that is counted as freed is free. */
    uint64_t freed = cairn_load_acquire(&ts->pool.large.header->freed);
    uint32_t starved = writer->starved;
    struct cairn_pool *view;
    uint64_t now_ns;
    uint32_t index;
    bool busy;

    /* Without a chunk for some time: searching again is worthwhile if the reader has freed one,
     * or allocated one's memory. */
    if (size_bytes > ts->pool.large.chunk_bytes - CAIRN_POOL_SLACK_BYTES ||
        (starved % CAIRN_POOL_STARVED_TRIES && writer->freed == freed && !any_is_free(&ts->pool)))
        return lose_full(ts, writer, starved, writer->freed);
    now_ns = cairn_clock_now(thread->clock, &copy);
    busy = is_busy(writer, ts->claimed_ns[level], now_ns);
    cairn_writer_close(writer);
    if (!cairn_process_pool_claim(&ts->pool, busy, size_bytes, &view, &index))
        return lose_full(ts, writer, starved, freed);
    name.session = ts->session;
    name.owner = cairn_i_engine.owner;
    cairn_writer_own(view, writer, &name, index);
    ts->claimed_ns[level] = now_ns;
    /* The session ended before we claimed: the pool may serve the next one. */
    if (cairn_load_acquire(ts->slot_generation) != ts->session) {
        cairn_writer_close(writer);
        return NULL;
    }
    return writer->next;
}

/* ---- the thread ---- */

/* At the thread's end. Its last chunks are the reader's now. */
static void unmake(void *memory)
{
    struct cairn_thread *thread = memory;

    cairn_i_thread = NULL;
    cairn_interrupt_barrier();
    ends++;
    cairn_thread_flush_recent(thread);
    for (uint32_t i = 0; i < CAIRN_SESSION_MAX; i++) {
        struct cairn_thread_session *ts = cairn_thread_session_of(thread, i);

        if (!ts)
            continue;
        leave(ts);
        cairn_cell_give(ts);
    }
    cairn_cell_give(thread);
}

/* The name is that of the process: a recorder sees what name the thread has. */
static void name_thread(struct cairn_thread *thread)
{
    memcpy(thread->name.comm, cairn_i_engine.process->comm, sizeof(thread->name.comm));
    thread->name.pid = cairn_i_engine.pid;
    thread->name.tid = cairn_i_engine.tid_is_told ? cairn_os_tid_self() : cairn_os_tid_of_kernel();
    memcpy((uint8_t *)&thread->common + sizeof(uint32_t), &thread->name.tid, sizeof(uint32_t));
    thread->cpu = cairn_os_cpu_area();
    thread->clock = &cairn_i_engine.local.registry->clock;
    thread->clock_copy.sequence = CAIRN_CLOCK_NONE;
}

int cairn_thread_prepare(void)
{
    int error = cairn_cells_map();

    if (error)
        return error;
    cairn_os_tid_prepare();
    if (!key_made)
        error = pthread_key_create(&key, unmake);
    key_made = !error;
    return error;
}

/* A library that contains us may be unloaded: threads that end later must not call into it. */
static __attribute__((destructor)) void forget_key(void)
{
    if (cairn_exchange_relaxed(&key_made, false))
        (void)pthread_key_delete(key);
}

/*
 * A handler may create one at any instruction: then that one is used. The C library has space for
 * the first 32 keys of each thread, and takes memory from the heap only for more.
 */
struct cairn_thread *cairn_thread_make(void)
{
    struct cairn_thread *made = NULL;
    struct cairn_thread *thread;

    if (ends >= PTHREAD_DESTRUCTOR_ITERATIONS)
        return NULL;             /* it would never be freed */
    cairn_locks_check_process(); /* detects a child of clone() itself */
    thread = cairn_cell_take();
    if (!thread)
        return NULL;
    name_thread(thread);
    if (!cairn_compare_exchange_relaxed(&cairn_i_thread, &made, thread)) {
        cairn_cell_give(thread);
        thread = made;
    }
    if (pthread_setspecific(key, thread)) {
        cairn_i_thread = NULL;
        cairn_cell_give(thread);
        return NULL;
    }
    return thread;
}

void cairn_thread_name_self(void)
{
    struct cairn_thread *thread = cairn_i_thread ? cairn_i_thread : cairn_thread_make();

    if (thread)
        (void)prctl(PR_GET_NAME, thread->name.comm);
}

void cairn_thread_forget(void)
{
    cairn_i_thread = NULL;
    if (key_made)
        (void)pthread_setspecific(key, NULL);
    cairn_cells_forget();
}

/* ---- time ---- */

struct cairn_timestamp cairn_timestamp_now(struct cairn_thread *thread)
{
    struct cairn_clock_copy own = {.sequence = CAIRN_CLOCK_NONE};
    /* A signal handler leaves the thread's copy alone: it may have interrupted a look at it. */
    bool is_handler = thread->depth > 1;
    struct cairn_timestamp timestamp = {
        cairn_clock_now(thread->clock, is_handler ? &own : &thread->clock_copy),
        cairn_os_cpu_now(thread->cpu),
    };

    if (!cairn_clock_is_kept(thread->clock))
        cairn_watch_heartbeats(timestamp.time_ns);
    return timestamp;
}

/* A full buffer that nobody reads is not written to, and so nobody asks for the time. */
void cairn_thread_note_loss(struct cairn_thread *thread)
{
    if (thread->losses++ % 64 == 0)
        (void)cairn_timestamp_now(thread);
}
