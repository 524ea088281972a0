/* SPDX-License-Identifier: MIT */
/* The interface of a session: create, poll, stop, free. */
#include "core/options.h"
#include "engine/liveness.h"
#include "engine/pending.h"
#include "engine/sweep.h"
#include "os/clock.h"
#include "os/guard.h"
#include "session/expand.h"
#include "session/kernel.h"
#include "session/machine.h"
#include "session/resume.h"
#include "session/rules.h"
#include "session/sleep.h"

#include <errno.h>
#include <stdlib.h>

/* A chunk's size; the largest record fits twice. */
#define CHUNK_BYTES (128u << 10)

/* Size of a quiet thread's chunk. */
#define SMALL_CHUNK_BYTES 4096u

/* Time between two looks for processes that have ended; and while nothing happens. */
#define CHECK_NS      UINT64_C(100000000)
#define CHECK_IDLE_NS UINT64_C(20000000000)

/* If a look frees more chunks than this, threads begin and end: until it does, each new thread
 * writes to memory that was never used before. */
#define FREED_BUSY 4u

/* The longest pause between two looks, and what a program that begins to write writes in a
 * millisecond: a smaller buffer has shorter pauses. */
#define WAIT_MAX_MS  10u
#define BYTES_PER_MS ((size_t)2 << 20)

/* Time for writers that were in progress when their events were disabled, to commit. */
#define GRACE_NS 5000000

/* Returns 0, EINVAL, E2BIG. */
static int copy_options(const struct cairn_session_options *given,
                        struct cairn_session_options *ret_options)
{
    int error = core_options_copy(given, CORE_OPTIONS_BYTES_TO(struct cairn_session_options, args),
                                  sizeof(*ret_options), ret_options);

    if (error)
        return error;
    if (!ret_options->buffer_bytes)
        ret_options->buffer_bytes = CAIRN_SESSION_BUFFER_DEFAULT_BYTES;
    if (!ret_options->pattern_count || ret_options->buffer_bytes < CAIRN_SESSION_BUFFER_MIN_BYTES ||
        ret_options->buffer_bytes > CAIRN_SESSION_BUFFER_MAX_BYTES)
        return EINVAL;
    if (ret_options->block_ms > CAIRN_SESSION_BLOCK_MAX_MS)
        return EINVAL;
    if (ret_options->flight_bytes && ret_options->flight_bytes < CAIRN_SESSION_FLIGHT_MIN_BYTES)
        return EINVAL;
    if ((ret_options->flight_bytes || ret_options->flight_ns) &&
        (ret_options->receiver || ret_options->format != CAIRN_SESSION_TRACE ||
         ret_options->next_file))
        return EINVAL;
    if (ret_options->resume_name &&
        (!cairn_recorder_name_is_valid(ret_options->resume_name) || ret_options->receiver ||
         ret_options->format != CAIRN_SESSION_TRACE || ret_options->mode != CAIRN_PERF_FILE ||
         ret_options->flight_bytes || ret_options->flight_ns))
        return EINVAL;
    return 0;
}

static void fill_request(struct cairn_session *session, const struct cairn_session_options *options)
{
    session->request = (struct engine_session_request){
        .patterns = session->request.patterns,
        .rules = session->request.rules,
        .pattern_count = session->request.pattern_count,
        .status_bit = options->receiver ? ENGINE_STATUS_TEXT : ENGINE_STATUS_RECORDER,
        .chunk_bytes = CHUNK_BYTES,
        .chunk_count = (uint32_t)(options->buffer_bytes / CHUNK_BYTES),
        .small_chunks = CHUNK_BYTES / SMALL_CHUNK_BYTES,
        .block_ms = options->block_ms,
        .is_kept = options->resume_name != NULL,
    };
    session->wait_max_ms = (uint32_t)(options->buffer_bytes / BYTES_PER_MS);
    if (session->wait_max_ms < SESSION_WAIT_MIN_MS)
        session->wait_max_ms = SESSION_WAIT_MIN_MS;
    if (session->wait_max_ms > WAIT_MAX_MS)
        session->wait_max_ms = WAIT_MAX_MS;
}

static int allocate(struct cairn_session *session)
{
    session->chunk_bytes = CHUNK_BYTES;
    session->block = malloc(CHUNK_BYTES);
    session->expanded = malloc(SESSION_EXPANDED_BYTES);
    session->by_number = calloc(ENGINE_EVENT_MAX, sizeof(*session->by_number));
    session->last_unused = ENGINE_EVENT_MAX - 1;
    session->pid_namespace = engine_liveness_of_self().pid_namespace;
    return session->block && session->expanded && session->by_number ? 0 : ENOMEM;
}

static int begin(struct cairn_session *session)
{
    struct os_guard guard;
    int error;

    os_guard_begin(&guard);
    error = session_begin_own(session);
    if (!error) {
        session_update_users(session);
        session_update_machine(session);
    }
    os_guard_end(&guard);
    return error;
}

/* Counts that are kept elsewhere. */
static void note_counts(struct cairn_session *session)
{
    session->counts.tracepoints = session->tracepoint_count;
    session->counts.bytes = session_output_bytes(session);
    session->counts.unstored = session_unstored(session);
}

int cairn_session_create(const struct cairn_session_options *given,
                         struct cairn_session **ret_session)
{
    struct cairn_session_options options = CAIRN_SESSION_OPTIONS_INIT;
    struct cairn_session *session;
    int error = copy_options(given, &options);

    if (error)
        return error;
    session = calloc(1, sizeof(*session));
    if (!session)
        return ENOMEM;
    error = allocate(session);
    if (!error)
        error = session_copy_rules(session, &options);
    session->is_of_machine = options.is_of_machine && !options.receiver;
    if (!error)
        error = session_copy_options(session, &options);
    if (!error)
        error = session_open_output(session, &options);
    if (!error) {
        fill_request(session, &options);
        session->resume_name = options.resume_name;
        error = begin(session);
        session->resume_name = NULL;
    }
    if (!error)
        error = session_renew_rules(session);
    if (!error)
        error = session_kernel_begin(session, &options);
    if (error) {
        cairn_session_destroy(session);
        return error;
    }
    note_counts(session);
    *ret_session = session;
    return 0;
}

void session_drain_directory(struct cairn_session *session, struct session_directory *directory)
{
    session_count_slot_losses(session, directory); /* before the events that follow them */
    for (struct session_pool *pool = directory->pools; pool; pool = pool->next)
        session->moved += session_drain_pool(session, pool);
    session_count_slot_losses(session, directory);
}

/*
 * Waits longer while there is little to do: a look takes lines from the cache of each writer's
 * processor, and its next event, which fetches them again, takes some ten times as long as others.
 */
static void adapt_wait(struct cairn_session *session, size_t moved)
{
    if (moved > 4 * session->chunk_bytes)
        session->wait_ms = 0;
    else if (moved > session->chunk_bytes / 2 || session->freed > FREED_BUSY)
        session->wait_ms = SESSION_WAIT_MIN_MS;
    else if (session->wait_ms < session->wait_max_ms)
        session->wait_ms++;
}

/* Another recorder may have been killed: its events are not to stay enabled. */
static void look_after_others(struct engine_registry *local)
{
    if (!engine_registry_any_dead(local) || engine_registry_lock_now(local))
        return;
    engine_registry_sweep(local);
    engine_registry_unlock(local);
}

/* The counter is one for all directories, and so is its line. */
static void add_line(struct cairn_session *session, const struct engine_clock_line *line)
{
    enum session_ticks_change change = session_ticks_add(&session->ticks, line);

    if (session->trace && change != SESSION_TICKS_SAME)
        session_trace_add_line(session->trace, line, change == SESSION_TICKS_ANEW);
}

static void update(struct cairn_session *session, struct session_directory *directory)
{
    engine_clock_publish(&directory->clock, &directory->local.registry->clock);
    if (directory == session->directories)
        add_line(session, &directory->clock.line);
    session->counts.silences += engine_session_beat(&directory->local, &directory->handle);
    session_update_former(session, directory);
    session_update_tracepoints(session, directory);
    session_update_pools(session, directory);
}

static void check(struct cairn_session *session, struct session_directory *directory)
{
    engine_pending_look(&directory->local);
    session_provide_missing(directory);
    session_retry_pools(session, directory);
    session_check_processes(session, directory);
    session_count_unregistered(session, directory);
    look_after_others(&directory->local);
}

static void poll_directories(struct cairn_session *session, uint64_t now)
{
    size_t moved;

    session->may_add_ahead = true;
    session->moved = 0;
    session->freed = 0;
    session_update_users(session);
    session_update_machine(session);
    session_each_directory(session, update);
    session_each_directory(session, session_drain_directory);
    moved = session->moved;
    session->moved += session_kernel_poll(session);
    adapt_wait(session, session->moved);
    session_sleep_update(session, moved);
    if (now - session->checked_ns < (session_sleep_is_deep(session) ? CHECK_IDLE_NS : CHECK_NS))
        return;
    session->checked_ns = now;
    session_each_directory(session, check);
    session_sum_missing(session);
    session_write_missing(session);
}

int cairn_session_poll(struct cairn_session *session, uint32_t *ret_wait_ms)
{
    uint64_t now = os_clock_ns();
    struct os_guard guard;

    /* A writer that has failed counts what it cannot store; a receiver is not called again. */
    if (session->error && !session->writer)
        return session->error;
    os_guard_begin(&guard);
    poll_directories(session, now);
    os_guard_end(&guard);
    (void)session_renew_rules(session); /* of directories that have come: or at the next poll */
    session_end_poll(session, now);
    session_resume_end_poll(session);
    note_counts(session);
    *ret_wait_ms = session->wait_ms;
    return session->error;
}

int cairn_session_wait_fd(struct cairn_session *session, int *ret_fd)
{
    return session_sleep_begin(session, ret_fd);
}

/* If the lock cannot be taken, programs continue to write until another process sweeps: events that
 * they have written are recorded nevertheless. */
static void disable(struct cairn_session *session, struct session_directory *directory)
{
    (void)session;
    (void)engine_session_disable(&directory->local, &directory->handle);
}

static void collect_rest(struct cairn_session *session, struct session_directory *directory)
{
    session_update_tracepoints(session, directory);
    session_update_pools(session, directory);
    session_retry_pools(session, directory);
    session_check_processes(session, directory);
    session_drain_directory(session, directory);
    session_end_former(session, directory);
    session_count_unregistered(session, directory);
}

static void end(struct cairn_session *session, struct session_directory *directory)
{
    (void)session;
    directory->begun = false;
    if (session_has_former(directory))
        engine_session_end(&directory->local, &directory->former);
    engine_session_end(&directory->local, &directory->handle);
}

int cairn_session_snapshot(struct cairn_session *session, int fd, uint64_t *ret_events)
{
    uint32_t wait_ms;
    uint64_t events = 0;
    int error;

    if (!session->trace)
        return EINVAL;
    if (!session->is_finished)
        (void)cairn_session_poll(session, &wait_ms);
    if (session->error)
        return session->error;
    session_sum_missing(session);
    session_write_missing(session);
    error = session_trace_snapshot(session->trace, fd, os_clock_ns(), &events);
    session->unstored_snapshot = error ? events : 0;
    session->counts.unstored = session_unstored(session);
    if (!error)
        *ret_events = events;
    return error;
}

int cairn_session_finish(struct cairn_session *session)
{
    struct os_guard guard;

    session->is_finished = true;
    os_guard_begin(&guard);
    session_sleep_end(session);
    session_each_directory(session, disable);
    os_sleep(GRACE_NS);
    session_each_directory(session, collect_rest);
    session_kernel_finish(session);
    session_sum_missing(session);
    session_write_missing(session);
    session_resume_flush(session); /* before the buffers are given up */
    session_each_directory(session, end);
    os_guard_end(&guard);
    session_finish_output(session);
    session_resume_close(session, true);
    note_counts(session);
    return session->error;
}

void cairn_session_destroy(struct cairn_session *session)
{
    struct os_guard guard;

    if (!session)
        return;
    os_guard_begin(&guard);
    session_sleep_end(session);
    /* Another session can resume one that has not finished, or could not begin. */
    if (!session->resume || session->is_finished)
        session_each_directory(session, end);
    os_guard_end(&guard);
    session_kernel_free(session);
    session_free_directories(session);
    session_free_machine(session);
    session_close_output(session);
    session_resume_close(session, session->is_finished);
    session_free_tracepoints(session);
    session_free_losses(session);
    session_free_rules(session);
    session_free_options(session);
    perf_data_map_free(&session->counted);
    free(session->block);
    free(session->expanded);
    free(session->scratch);
    free(session);
}

const struct cairn_session_counts *cairn_session_counts(const struct cairn_session *session)
{
    return &session->counts;
}

const struct cairn_session_tracepoint *cairn_session_tracepoint(const struct cairn_session *session,
                                                                uint32_t index)
{
    struct session_tracepoint *tp;

    if (index >= session->tracepoint_count)
        return NULL;
    tp = &session->tracepoints[index];
    tp->shown = (struct cairn_session_tracepoint){
        .name = tp->name, .events = tp->events, .filter_problem = tp->filter_problem};
    return &tp->shown;
}
