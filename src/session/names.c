/* SPDX-License-Identifier: MIT */
/*
 * Names of threads. A thread makes no system call to find its name: its chunks have the name of its
 * process, and the session reads the thread's own when there are events of it.
 *
 * So a new name is known when the events after the renaming are collected, every few milliseconds,
 * and all events that are collected then get it. A thread that has ended by then has the name of
 * its process, or the last that was read.
 */
#include "os/inspect.h"
#include "session/internal.h"
#include "session/kernel.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* Number of threads of a process that are known at a time. */
#define THREADS_MAX 65536u

/* Time between two reads of a thread's name: while there is much to collect, and while there is
 * not. */
#define LOOK_BUSY_NS UINT64_C(10000000)
#define LOOK_IDLE_NS UINT64_C(1000000)

/* A read takes some 5 us. Thousands of threads share this many, and this many may accumulate. */
#define LOOK_SHARE_NS UINT64_C(50000)
#define LOOKS_MAX     256u

/* ---- processes whose names may be read ---- */

/*
 * A process in a container has another number here, and its number may be another process's. The
 * process that has the pool mapped is the right one.
 */
static bool has_pool_mapped(const struct session_pool *pool, uint32_t pid)
{
    const struct os_mapped_file file = {pool->device, pool->inode, pool->name};

    return os_process_has_mapped(pid, &file);
}

/* A command that ended at once has nothing mapped any more, but its name is there until its parent
 * has waited for it: the parent is this process, so the number is the right one. */
static bool is_number_known(const struct session_pool *pool, struct session_process *process)
{
    if (process->number == SESSION_PROCESS_NEW)
        process->number =
            has_pool_mapped(pool, process->pid) || os_process_is_ended_child(process->pid)
                ? SESSION_PROCESS_KNOWN
                : SESSION_PROCESS_UNKNOWN;
    return process->number == SESSION_PROCESS_KNOWN;
}

/* ---- looking ---- */

static bool may_look(struct cairn_session *session, const struct session_thread *thread)
{
    uint64_t pause_ns = session->wait_ms ? LOOK_IDLE_NS : LOOK_BUSY_NS;
    uint64_t more = (session->taken_ns - session->looks_ns) / LOOK_SHARE_NS;

    if (session->taken_ns - thread->looked_ns < pause_ns)
        return false;
    if (more) {
        session->looks += more < LOOKS_MAX ? (uint32_t)more : LOOKS_MAX;
        session->looks = session->looks < LOOKS_MAX ? session->looks : LOOKS_MAX;
        session->looks_ns = session->taken_ns;
    }
    if (!session->looks)
        return false;
    session->looks--;
    return true;
}

/* True if the thread has another name than the one that is known. */
static bool look(struct cairn_session *session, const struct session_pool *pool,
                 struct session_process *process, struct session_thread *thread)
{
    char name[CAIRN_COMM_BYTES];

    if (!may_look(session, thread) || !is_number_known(pool, process))
        return false;
    thread->looked_ns = session->taken_ns;
    if (!os_thread_name_of(process->pid, thread->tid, name, sizeof(name)) ||
        !strcmp(name, thread->name))
        return false;
    memcpy(thread->name, name, sizeof(name));
    return true;
}

/* ---- threads ---- */

void session_forget_names(struct session_pool *pool)
{
    perf_data_map_free(&pool->thread_of_tid);
    pool->thread_of_tid = (struct perf_data_map){0};
    pool->thread_count = 0;
}

/* A process may create threads without end, or claim to: now and then all are forgotten, and
 * named again. */
static struct session_thread *add_thread(struct session_pool *pool, const struct cairn_chunk *chunk)
{
    struct session_thread *thread;
    uint32_t count;

    if (pool->thread_count == THREADS_MAX)
        session_forget_names(pool);
    count = pool->thread_count;
    if (!(count & (count - 1))) {
        void *more =
            reallocarray(pool->threads, count ? 2 * (size_t)count : 1, sizeof(*pool->threads));

        if (!more)
            return NULL;
        pool->threads = more;
    }
    if (perf_data_map_set(&pool->thread_of_tid, chunk->tid, count))
        return NULL;
    thread = &pool->threads[pool->thread_count++];
    *thread = (struct session_thread){.tid = chunk->tid};
    memcpy(thread->name, chunk->comm, sizeof(chunk->comm));
    return thread;
}

void session_name_records(struct cairn_session *session, struct session_pool *pool,
                          const struct cairn_chunk *chunk, uint64_t time_ns,
                          char ret_comm[CAIRN_COMM_BYTES])
{
    struct session_process *process = session_note_process(session, pool, chunk->pid);
    uint32_t index = perf_data_map_get(&pool->thread_of_tid, chunk->tid);
    bool is_new = index == PERF_DATA_MAP_NONE;
    struct session_thread *thread = is_new ? add_thread(pool, chunk) : &pool->threads[index];

    if (!thread || !process) {
        session_fail(session, ENOMEM);
        return;
    }
    process->is_of_namespace = (chunk->owner & CAIRN_OWNER_IS_KNOWN) != 0;
    if (time_ns > session->taken_ns)
        time_ns = session->taken_ns;
    if (!process->is_described && pool->namespace_is_ours && !session->trace) {
        process->is_described = true;
        session_kernel_describe(session, chunk->pid);
    }
    if (look(session, pool, process, thread) || is_new)
        session_put_comm(session, process, chunk->tid, thread->name, is_new ? 0 : time_ns);
    memcpy(ret_comm, thread->name, CAIRN_COMM_BYTES);
}

void session_free_names(struct session_pool *pool)
{
    perf_data_map_free(&pool->thread_of_tid);
    free(pool->threads);
}
