/* SPDX-License-Identifier: MIT */
/*
 * Counts events that the session lacks: those that programs lost, by cause, processes whose buffers
 * could not be read, and a tracing directory that was removed.
 */
#include "core/atomic.h"
#include "core/pool.h"
#include "engine/loss.h"
#include "session/internal.h"
#include "session/missing.h"

#include <stdlib.h>
#include <string.h>

/* More events than all CPUs of any machine write between two checks: invalid. */
#define LOST_MAX (UINT64_C(1) << 44)

/* Returns the increase of a counter in shared memory, whose value may be invalid. */
static uint64_t growth(struct cairn_session *session, uint64_t now, uint64_t *seen)
{
    uint64_t more = now - *seen;

    if (now <= *seen)
        return 0;
    *seen = now;
    if (more <= LOST_MAX)
        return more;
    session->counts.damaged++;
    return 0;
}

static void count(struct cairn_session *session, enum cairn_loss cause, uint64_t lost)
{
    session->counts.lost_by_cause[cause] += lost;
    session->counts.lost += lost;
}

/* In perf.data each loss has a record. A trace file has the sums: written now, before the events
 * that are put next, they are there also if the recorder is killed. */
static void put_lost(struct cairn_session *session, uint64_t sample_id, uint64_t lost)
{
    session_put_lost(session, sample_id, lost);
    if (session->trace)
        session_write_missing(session);
}

/* A process whose events were all left out has written, too: its pool has its number as its name.
 */
static void note_filtered(struct cairn_session *session, struct session_pool *pool)
{
    uint64_t filtered = growth(session, pool->reader.filtered, &pool->filtered);

    session->counts.filtered += filtered;
    if (filtered && !pool->process_count)
        (void)session_note_process(session, pool, (uint32_t)strtoul(pool->name, NULL, 10));
}

void session_count_pool_losses(struct cairn_session *session, struct session_pool *pool)
{
    const struct cairn_pool *mapped = &pool->reader.pool.large;
    int error = (int)core_load_relaxed(&mapped->header->bare_error);
    uint64_t lost = growth(session, engine_loss_value(core_pool_lost(mapped), pool->reader.session),
                           &pool->lost);

    note_filtered(session, pool);
    /* A pool that is full because there is no memory for more of it. */
    count(session, error ? engine_loss_of_error(error) : CAIRN_LOSS_FULL, lost);
    if (lost) {
        session_divide_losses(session, pool, lost);
        put_lost(session, pool->last_id ? session->tracepoints[pool->last_tracepoint].sample_id : 0,
                 lost);
    }
}

static void count_slot_losses(struct cairn_session *session, struct session_directory *directory,
                              const struct engine_session *handle, uint64_t seen[CAIRN_LOSS_CAUSES])
{
    const struct engine_session_slot *slot = &directory->local.slots[handle->slot];
    uint64_t counts[CAIRN_LOSS_CAUSES];
    uint64_t all = 0;

    if (core_load_acquire(&slot->generation) != handle->generation)
        return; /* considered dead: the slot is another session's */
    engine_loss_read(slot, handle->generation, counts);
    for (uint32_t cause = 0; cause < CAIRN_LOSS_CAUSES; cause++) {
        uint64_t lost = growth(session, counts[cause], &seen[cause]);

        count(session, (enum cairn_loss)cause, lost);
        all += lost;
    }
    if (!all)
        return;
    session_divide_slot_losses(session, directory, all);
    put_lost(session, 0, all);
}

void session_count_slot_losses(struct cairn_session *session, struct session_directory *directory)
{
    count_slot_losses(session, directory, &directory->handle, directory->slot_lost);
    if (session_has_former(directory))
        count_slot_losses(session, directory, &directory->former, directory->former_lost);
}

void session_forget_unrecorded(struct session_directory *directory)
{
    directory->unrecorded = 0;
    directory->unrecorded_error = 0;
    memset(directory->unrecorded_by_cause, 0, sizeof(directory->unrecorded_by_cause));
}

void session_count_unrecorded(struct session_directory *directory, int error)
{
    directory->unrecorded++;
    directory->unrecorded_by_cause[engine_loss_of_error(error)]++;
    directory->unrecorded_error = error;
}

void session_count_unregistered(struct cairn_session *session, struct session_directory *directory)
{
    const struct engine_registry_file *registry = directory->local.registry;

    directory->unregistered = core_load_acquire(&registry->refused) - directory->refused;
    if (directory->unregistered)
        session->counts.unregistered_error = (int)core_load_relaxed(&registry->refused_error);
}

void session_sum_missing(struct cairn_session *session)
{
    struct cairn_session_counts *counts = &session->counts;

    counts->unrecorded = 0;
    counts->unregistered = 0;
    memset(counts->unrecorded_by_cause, 0, sizeof(counts->unrecorded_by_cause));
    for (const struct session_directory *d = session->directories; d; d = d->next) {
        counts->unrecorded += d->unrecorded;
        counts->unregistered += d->unregistered;
        for (uint32_t cause = 0; cause < CAIRN_LOSS_CAUSES; cause++)
            counts->unrecorded_by_cause[cause] += d->unrecorded_by_cause[cause];
        if (d->unrecorded)
            counts->unrecorded_error = d->unrecorded_error;
    }
}

struct cairn_perf_missing session_missing(const struct cairn_session_counts *counts)
{
    struct cairn_perf_missing missing = {
        .damaged = counts->damaged,
        .directory_gone = counts->directory_gone,
        .kernel_gap = counts->has_kernel_gap,
        .silences = counts->silences,
        .changed_cpus = counts->changed_cpus,
        .directories_left_out = counts->directories_left_out,
    };

    for (uint32_t cause = 0; cause < CAIRN_LOSS_CAUSES; cause++) {
        missing.lost[cause] = counts->lost_by_cause[cause];
        missing.processes[cause] = counts->unrecorded_by_cause[cause];
    }
    missing.processes[engine_loss_of_error(counts->unregistered_error)] += counts->unregistered;
    return missing;
}

/* Processes, CPUs and directories are those that are missing now. */
static void subtract(struct cairn_perf_missing *missing, const struct cairn_perf_missing *before)
{
    missing->damaged -= before->damaged;
    missing->kernel_gap -= before->kernel_gap; /* it is before the first file */
    missing->silences -= before->silences;
    for (uint32_t cause = 0; cause < CAIRN_LOSS_CAUSES; cause++)
        missing->lost[cause] -= before->lost[cause];
}

void session_write_missing(struct cairn_session *session)
{
    struct cairn_perf_missing missing = session_missing(&session->counts);

    if (!session->writer)
        return;
    subtract(&missing, &session->missing_before);
    if (!memcmp(&missing, &session->written_missing, sizeof(missing)))
        return;
    session->written_missing = missing;
    session_put_missing(session, &missing);
}
