/* SPDX-License-Identifier: MIT */
#include "local/thread.h"
#include "local/watch.h"

#include <limits.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <unistd.h>

__thread struct cairn_thread *cairn_i_thread;

static pthread_key_t key;
static bool key_made; /* under the engine's lock */

/* So often was this thread's context given back: destructors of others may write after ours, and
 * ours is called again for that, but only so often. */
static __thread uint32_t ends;

static void leave(struct cairn_thread_session *ts)
{
    if (!ts->pool)
        return;
    for (uint32_t level = 0; level < CAIRN_POOL_LEVELS; level++)
        cairn_writer_close(&ts->writers[level]);
    cairn_engine_drop_pool(ts->pool);
    ts->pool = NULL;
    ts->session = 0;
}

/* At the thread's end. Its last chunks are the reader's now. */
static void unmake(void *memory)
{
    struct cairn_thread *thread = memory;
    cairn_engine_guard guard;

    cairn_i_thread = NULL;
    ends++;
    cairn_engine_lock(&guard);
    for (uint32_t i = 0; i < CAIRN_SESSION_MAX; i++)
        leave(&thread->sessions[i]);
    cairn_engine_unlock(&guard);
    munmap(thread, sizeof(*thread));
}

static void name_thread(struct cairn_thread *thread)
{
    thread->name.pid = (uint32_t)getpid();
    thread->name.tid = (uint32_t)gettid();
    memcpy((uint8_t *)&thread->common + sizeof(uint32_t), &thread->name.tid, sizeof(uint32_t));
    (void)prctl(PR_GET_NAME, thread->name.comm);
    thread->cpu = cairn_cpu_area();
    thread->clock = &cairn_i_engine.local.registry->clock;
    thread->clock_copy.sequence = CAIRN_CLOCK_NONE;
}

/* All signals are blocked: no handler makes a second one meanwhile. */
static struct cairn_thread *make_locked(void)
{
    struct cairn_thread *thread;

    if (ends >= PTHREAD_DESTRUCTOR_ITERATIONS)
        return NULL; /* nobody would give it back */
    if (!key_made && pthread_key_create(&key, unmake))
        return NULL;
    key_made = true;
    thread =
        mmap(NULL, sizeof(*thread), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (thread == MAP_FAILED)
        return NULL;
    /* A child that was made behind our back finds zeros, and joins sessions of its own. */
    (void)madvise(thread, sizeof(*thread), MADV_WIPEONFORK);
    name_thread(thread);
    if (pthread_setspecific(key, thread)) {
        munmap(thread, sizeof(*thread));
        return NULL;
    }
    cairn_i_thread = thread;
    return thread;
}

/* A library that has us inside may be unloaded: threads that end later must not call into it. */
static __attribute__((destructor)) void forget_key(void)
{
    cairn_engine_guard guard;

    /* So do most programs end that we are loaded into: the lock's functions were never called. */
    if (!__atomic_load_n(&key_made, __ATOMIC_RELAXED))
        return;
    cairn_engine_lock(&guard);
    (void)pthread_key_delete(key);
    key_made = false;
    cairn_engine_unlock(&guard);
}

struct cairn_thread *cairn_thread_make(void)
{
    struct cairn_thread *thread;
    cairn_engine_guard guard;

    cairn_engine_lock(&guard);
    thread = cairn_i_thread ? cairn_i_thread : make_locked();
    cairn_engine_unlock(&guard);
    return thread;
}

bool cairn_thread_join(struct cairn_thread *thread, uint32_t slot)
{
    struct cairn_thread_session *ts = &thread->sessions[slot];
    struct cairn_process_pool *pool = NULL;
    cairn_engine_guard guard;
    uint64_t session;
    int error = 0;

    /* What this handler interrupted may be writing to the pool that we would leave. */
    if (thread->depth > 1 && ts->pool) {
        cairn_count_lost(UINT64_C(1) << slot, CAIRN_LOSS_NESTED, 1);
        return false;
    }
    cairn_engine_lock(&guard);
    if (!thread->name.tid)
        name_thread(thread); /* wiped by a fork */
    else
        (void)prctl(PR_GET_NAME, thread->name.comm); /* it may have another by now */
    leave(ts);
    session = __atomic_load_n(&cairn_i_engine.local.slots[slot].generation, __ATOMIC_ACQUIRE);
    if (session)
        pool = cairn_engine_pool(slot, session, &error);
    if (pool) {
        pool->references++;
        ts->pool = pool;
        ts->mask = UINT64_C(1) << slot;
        ts->slot_generation = &cairn_i_engine.local.slots[slot].generation;
        ts->session = session;
    }
    cairn_engine_unlock(&guard);
    /* Of a session that has ended nobody misses the event: the slot may be another's by now. */
    if (!pool && error &&
        __atomic_load_n(&cairn_i_engine.local.slots[slot].generation, __ATOMIC_ACQUIRE) == session)
        cairn_count_lost(UINT64_C(1) << slot, cairn_loss_of_error(error), 1);
    return pool != NULL;
}

struct cairn_moment cairn_moment_now(struct cairn_thread *thread)
{
    struct cairn_clock_copy own = {.sequence = CAIRN_CLOCK_NONE};
    /* A signal handler leaves the thread's copy alone: it may have interrupted a look at it. */
    bool is_handler = thread->depth > 1;
    struct cairn_moment moment = {
        cairn_clock_now(thread->clock, is_handler ? &own : &thread->clock_copy),
        cairn_cpu_now(thread->cpu),
    };

    if (!cairn_clock_is_kept(thread->clock))
        cairn_watch_recorders(moment.time_ns);
    return moment;
}

void cairn_thread_explain_loss(struct cairn_thread_session *ts)
{
    struct cairn_pool_header *header = ts->pool->pool.header;

    __atomic_store_n(&header->unbacked_error, (uint32_t)ts->pool->back_error, __ATOMIC_RELAXED);
    __atomic_fetch_add(&header->unbacked, 1, __ATOMIC_RELAXED);
}

/* A full buffer that nobody reads is not written to, and so nobody asks for the time. */
void cairn_thread_note_loss(struct cairn_thread *thread)
{
    if (thread->losses++ % 64 == 0)
        (void)cairn_moment_now(thread);
}

void cairn_thread_forget(void)
{
    struct cairn_thread *thread = cairn_i_thread;

    if (!thread)
        return;
    memset(thread, 0, sizeof(*thread));
    name_thread(thread);
}
