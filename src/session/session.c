/* SPDX-License-Identifier: MIT */
#include "local/life.h"
#include "local/sweep.h"
#include "session/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <time.h>

/* A chunk's size; the largest record fits twice. */
#define CHUNK_BYTES (128u << 10)

/* What a quiet thread holds. */
#define SMALL_CHUNK_BYTES 4096u

/* Time between two looks for processes that have ended. */
#define CHECK_NS UINT64_C(100000000)

#define WAIT_MIN_MS 1u
#define WAIT_MAX_MS 10u

/* Writers that were under way when their events were disabled get so long to commit. */
#define GRACE_NS 5000000

static int check_options(const struct cairn_session_options *options, size_t *ret_buffer_bytes)
{
    size_t buffer_bytes =
        options->buffer_bytes ? options->buffer_bytes : CAIRN_SESSION_BUFFER_DEFAULT_BYTES;

    if (!options->pattern_count || buffer_bytes < CAIRN_SESSION_BUFFER_MIN_BYTES ||
        buffer_bytes > CAIRN_SESSION_BUFFER_MAX_BYTES)
        return EINVAL;
    *ret_buffer_bytes = buffer_bytes;
    return 0;
}

static int begin(struct cairn_session *session, const struct cairn_session_options *options,
                 size_t buffer_bytes)
{
    const struct cairn_session_request request = {
        .patterns = options->patterns,
        .pattern_count = (uint32_t)options->pattern_count,
        .status_bit = options->receiver ? CAIRN_STATUS_TEXT : CAIRN_STATUS_RECORDER,
        .chunk_bytes = CHUNK_BYTES,
        .chunk_count = (uint32_t)(buffer_bytes / CHUNK_BYTES),
        .small_chunks = CHUNK_BYTES / SMALL_CHUNK_BYTES,
    };
    int error = cairn_session_begin(&session->local, &request, &session->handle);

    session->begun = !error;
    if (!error) /* it may be killed before the first poll */
        (void)cairn_session_beat(&session->local, &session->handle);
    return error;
}

static int allocate(struct cairn_session *session)
{
    session->chunk_bytes = CHUNK_BYTES;
    session->block = malloc(CHUNK_BYTES);
    session->by_index = calloc(CAIRN_EVENT_MAX, sizeof(*session->by_index));
    session->pid_namespace = cairn_life_of_self().pid_namespace;
    return session->block && session->by_index ? 0 : ENOMEM;
}

int cairn_session_create(const struct cairn_session_options *options,
                         struct cairn_session **ret_session)
{
    struct cairn_session *session;
    size_t buffer_bytes;
    int error = check_options(options, &buffer_bytes);

    if (error)
        return error;
    session = calloc(1, sizeof(*session));
    if (!session)
        return ENOMEM;
    session->local.lock_fd = -1;
    error = allocate(session);
    if (!error)
        error = cairn_session_copy_patterns(session, options);
    if (!error)
        error = cairn_session_open_output(session, options);
    if (!error)
        error = cairn_local_open(&session->local);
    if (!error)
        error = cairn_session_open_folder(session);
    if (!error) {
        /* Writers need the time before the first event is enabled. */
        cairn_clock_publish(&session->clock, &session->local.registry->clock);
        session->seen_changes = ~session->local.registry->changes;
        session->seen_pools = session->local.registry->pools;
        session->refused = session->local.registry->refused;
        error = begin(session, options, buffer_bytes);
    }
    if (error) {
        cairn_session_destroy(session);
        return error;
    }
    cairn_session_update_tracepoints(session);
    *ret_session = session;
    return 0;
}

static size_t drain_all(struct cairn_session *session)
{
    size_t moved = 0;

    for (struct session_pool *pool = session->pools; pool; pool = pool->next)
        moved += cairn_session_drain_pool(session, pool);
    cairn_session_count_slot_losses(session);
    return moved;
}

/* Waits longer while there is little to do. */
static void adapt_wait(struct cairn_session *session, size_t moved)
{
    if (moved > 4 * session->chunk_bytes)
        session->wait_ms = 0;
    else if (moved)
        session->wait_ms = WAIT_MIN_MS;
    else if (session->wait_ms < WAIT_MAX_MS)
        session->wait_ms++;
}

/* Another recorder may have been killed: its events are not to stay enabled. */
static void look_after_others(struct cairn_local *local)
{
    if (!cairn_registry_any_dead(local) || cairn_local_try_lock(local))
        return;
    cairn_registry_sweep(local);
    cairn_local_unlock(local);
}

int cairn_session_poll(struct cairn_session *session, uint32_t *ret_wait_ms)
{
    uint64_t now = cairn_clock_of_system();

    if (session->error)
        return session->error;
    cairn_clock_publish(&session->clock, &session->local.registry->clock);
    session->counts.silences += cairn_session_beat(&session->local, &session->handle);
    session->may_add_ahead = true;
    cairn_session_update_tracepoints(session);
    cairn_session_update_pools(session);
    adapt_wait(session, drain_all(session));
    if (now - session->checked_ns >= CHECK_NS) {
        session->checked_ns = now;
        cairn_session_provide_missing(session);
        cairn_session_retry_pools(session);
        cairn_session_check_processes(session);
        cairn_session_count_unregistered(session);
        cairn_session_write_missing(session);
        look_after_others(&session->local);
    }
    cairn_session_end_poll(session, now);
    *ret_wait_ms = session->wait_ms;
    return session->error;
}

int cairn_session_finish(struct cairn_session *session)
{
    const struct timespec grace = {.tv_nsec = GRACE_NS};

    /* Where the lock cannot be had, programs go on writing until somebody sweeps: what they wrote
     * so far is recorded all the same. */
    (void)cairn_session_disable(&session->local, &session->handle);
    (void)nanosleep(&grace, NULL);
    cairn_session_update_tracepoints(session);
    cairn_session_update_pools(session);
    cairn_session_retry_pools(session);
    cairn_session_check_processes(session);
    (void)drain_all(session);
    cairn_session_count_unregistered(session);
    cairn_session_write_missing(session);
    cairn_session_end(&session->local, &session->handle);
    session->begun = false;
    cairn_session_finish_output(session);
    return session->error;
}

void cairn_session_destroy(struct cairn_session *session)
{
    if (!session)
        return;
    if (session->begun)
        cairn_session_end(&session->local, &session->handle);
    cairn_session_free_pools(session);
    cairn_local_close(&session->local);
    cairn_session_close_output(session);
    for (uint32_t i = 0; i < session->tracepoint_count; i++)
        cairn_session_free_filters(&session->tracepoints[i]);
    cairn_session_free_patterns(session);
    free(session->tracepoints);
    free(session->by_index);
    free(session->block);
    free(session);
}

struct cairn_session_counts cairn_session_count(const struct cairn_session *session)
{
    struct cairn_session_counts counts = session->counts;

    counts.tracepoints = session->tracepoint_count;
    counts.bytes = cairn_session_output_bytes(session);
    return counts;
}

struct cairn_session_tracepoint cairn_session_tracepoint_at(const struct cairn_session *session,
                                                            uint32_t index)
{
    return (struct cairn_session_tracepoint){
        .name = session->tracepoints[index].name,
        .events = session->tracepoints[index].events,
        .filter_problem = session->tracepoints[index].filter_problem,
    };
}
