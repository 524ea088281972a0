/* SPDX-License-Identifier: MIT */
/* Maintenance of the pools that a recorder reads: memory for writers, which make no system
 * calls; and chunks of threads that were killed. */
#include "core/atomic.h"
#include "os/inspect.h"
#include "session/known.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

/* Memory that is added at once, mostly: zeroing it takes about a millisecond. */
#define STEP_BYTES (4u << 20)

/* Pools that are not in use get memory, too, while all of them have less. */
#define AHEAD_BYTES ((size_t)256 << 20)

/* A process that was found ended this many times, ten times a second, is forgotten. */
#define LOOKS_TO_FORGET 5u

/* Number of processes of a pool that are known at a time. A program may claim any number: then
 * all are forgotten, and counted again. */
#define PROCESSES_MAX 65536u

static int32_t count_free(const struct cairn_pool *large)
{
    return (int32_t)core_load_relaxed(&large->header->free_chunks);
}

static uint32_t count_backed(const struct cairn_pool *large)
{
    uint32_t backed = 0;

    for (uint32_t i = 0; i < large->chunk_count; i++)
        backed += core_load_relaxed(&large->chunks[i].state) != CAIRN_CHUNK_BARE;
    return backed;
}

/*
 * The chunks that are to get memory now: when less than three quarters of those that have it are
 * free; as many as there are when none is, for thousands of threads may be waiting; or ahead of
 * time, one pool at each look.
 */
static uint32_t chunks_wanted(struct cairn_session *session, struct session_pool *pool)
{
    const struct cairn_pool *large = &pool->reader.pool.large;
    uint32_t step = STEP_BYTES / large->chunk_bytes;
    uint32_t backed = count_backed(large);

    if (backed == large->chunk_count)
        return 0;
    if (count_free(large) <= 0 && backed > step)
        return backed;
    if (count_free(large) < (int32_t)(backed - backed / 4))
        return step;
    if (!session->may_add_ahead || session->added_ahead_bytes >= AHEAD_BYTES)
        return 0;
    session->may_add_ahead = false;
    session->added_ahead_bytes += STEP_BYTES;
    pool->added_ahead_bytes += STEP_BYTES;
    return step;
}

void session_count_alive(struct cairn_session *session, const struct session_pool *pool,
                         int32_t more)
{
    if (!pool->is_former)
        session->counts.alive += (uint32_t)more;
}

void session_add_memory(struct cairn_session *session, struct session_pool *pool)
{
    struct engine_process_pool *mapped = &pool->reader.pool;
    uint32_t chunks = pool->is_former ? 0 : chunks_wanted(session, pool);
    bool descriptors = engine_descriptors_need_memory(pool->table);
    int error = 0;
    int fd;

    if (!chunks && !descriptors)
        return;
    fd = openat(dirfd(pool->directory->pools_list), pool->name, O_RDWR | O_CLOEXEC | O_NOFOLLOW);
    if (fd < 0)
        error = errno;
    else
        (void)engine_pool_range_back(fd, &pool->range, mapped, chunks, &error);
    /* Without more memory for descriptors, records are larger. */
    if (fd >= 0 && descriptors)
        (void)engine_descriptors_back(fd, pool->table, 0);
    if (fd >= 0)
        close(fd);
    if (chunks)
        core_store_relaxed(&mapped->large.header->bare_error, (uint32_t)error);
}

void session_provide_missing(struct session_directory *directory)
{
    if (directory->unrecorded || directory->handle.lacks_pools)
        engine_session_provide_again(&directory->local, &directory->handle);
}

static bool has_ended(const struct session_process *process)
{
    return process->is_of_namespace && os_process_has_ended(process->pid);
}

void session_count_ends(struct cairn_session *session, const struct session_pool *pool)
{
    for (uint32_t i = 0; i < pool->process_count && pool->namespace_is_ours; i++) {
        if (has_ended(&pool->processes[i]))
            session_count_end(session, pool, pool->processes[i].pid);
    }
}

/* Records of a process may be read some time after its end; then it is not needed. */
static void forget_processes(struct cairn_session *session, struct session_pool *pool)
{
    uint32_t kept = 0;

    for (uint32_t i = 0; i < pool->process_count; i++) {
        struct session_process *process = &pool->processes[i];

        process->ended = has_ended(process) ? process->ended + 1 : 0;
        if (process->ended < LOOKS_TO_FORGET) {
            pool->processes[kept++] = *process;
            continue;
        }
        session_count_end(session, pool, process->pid);
        session_free_known(process);
    }
    session_count_alive(session, pool, (int32_t)(kept - pool->process_count));
    pool->process_count = kept;
}

void session_look_for_the_dead(struct cairn_session *session, struct session_pool *pool)
{
    pool->check_owners = false;
    if (!pool->namespace_is_ours)
        return;
    engine_process_pool_take_back(&pool->reader, engine_chunk_owner_is_dead, NULL);
    forget_processes(session, pool);
}

static int compare(const void *a, const void *b)
{
    const struct session_process *x = a;
    const struct session_process *y = b;

    return (x->pid > y->pid) - (x->pid < y->pid);
}

static const struct session_process *find_process(const struct session_pool *pool, uint32_t pid)
{
    const struct session_process process = {.pid = pid};

    if (!pool->process_count)
        return NULL;
    return bsearch(&process, pool->processes, pool->process_count, sizeof(process), compare);
}

/* Those that are known no more have ended some time ago. */
bool cairn_session_has_process(const struct cairn_session *session, uint32_t pid)
{
    for (const struct session_directory *d = session->directories; d; d = d->next) {
        for (const struct session_pool *pool = d->pools; pool; pool = pool->next) {
            const struct session_process *process = find_process(pool, pid);

            if (process && !has_ended(process))
                return true;
        }
    }
    return false;
}

struct session_process *session_note_process(struct cairn_session *session,
                                             struct session_pool *pool, uint32_t pid)
{
    const struct session_process process = {.pid = pid};
    struct session_process *known = NULL;
    struct session_process *more;
    uint32_t at = pool->process_count;

    if (pool->process_count)
        known = bsearch(&process, pool->processes, pool->process_count, sizeof(process), compare);
    if (known) {
        known->ended = 0;
        return known;
    }
    if (pool->process_count == PROCESSES_MAX) {
        session_count_alive(session, pool, -(int32_t)pool->process_count);
        for (uint32_t i = 0; i < pool->process_count; i++)
            session_free_known(&pool->processes[i]);
        pool->process_count = 0;
        at = 0;
    }
    more = reallocarray(pool->processes, pool->process_count + 1, sizeof(process));
    if (!more)
        return NULL;
    pool->processes = more;
    for (; at > 0 && more[at - 1].pid > pid; at--)
        more[at] = more[at - 1];
    more[at] = process;
    pool->process_count++;
    session_count_process(session, pool, pid);
    session_count_alive(session, pool, 1);
    return &more[at];
}
