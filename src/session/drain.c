/* SPDX-License-Identifier: MIT */
/*
 * Moves records from a pool to the output. Each is copied, checked, and expanded to a sample. A
 * process with invalid records loses its own pool only.
 */
#include "core/atomic.h"
#include "session/copy.h"
#include "session/expand.h"
#include "session/numbers.h"
#include "session/resume.h"

#include <stddef.h>
#include <string.h>

/* Fewer equal records in a row are no gain; this many are then passed one by one. */
#define WORTH_LOOKING 4u
#define UNEQUAL_FOR   32u

/* A block is larger than the nearest cache: heads are prefetched from the next one. Addresses
 * after the block are harmless. */
#define PREFETCH_BYTES 512u

static uint64_t time_of(const uint8_t *record)
{
    uint64_t time_ns;

    memcpy(&time_ns, record + offsetof(struct cairn_record_head, time_ns), sizeof(time_ns));
    return time_ns;
}

static bool is_ahead(const struct cairn_session *session, const uint8_t *record)
{
    return time_of(record) > session->taken_ns + SESSION_AHEAD_MAX_NS;
}

void session_date_sample(struct cairn_session *session, uint8_t *sample)
{
    if (cairn_likely(!is_ahead(session, sample)))
        return;
    memcpy(sample + offsetof(struct cairn_record_head, time_ns), &session->taken_ns,
           sizeof(session->taken_ns));
    session->counts.misdated++;
}

void session_number_sample(uint8_t *record, const struct session_tracepoint *tp)
{
    uint16_t type = (uint16_t)tp->sample_id;

    memcpy(record + offsetof(struct cairn_record_head, id), &tp->sample_id, sizeof(tp->sample_id));
    memcpy(record + offsetof(struct cairn_record_head, common_type), &type, sizeof(type));
}

static uint64_t id_of(const uint8_t *record)
{
    uint64_t id;

    memcpy(&id, record + offsetof(struct cairn_record_head, id), sizeof(id));
    return id;
}

/* The tracepoint of a record: mostly that of the one before it; or so new that we have not seen it
 * yet. */
static struct session_tracepoint *tracepoint_of(struct cairn_session *session,
                                                struct session_pool *pool, const uint8_t *record)
{
    struct session_tracepoint *tp;
    uint64_t id = id_of(record);

    if (cairn_likely(id == pool->last_id && id))
        return &session->tracepoints[pool->last_tracepoint];
    tp = session_look_up_tracepoint(session, pool->directory, id);
    if (tp) {
        pool->last_id = id;
        pool->last_tracepoint = (uint32_t)(tp - session->tracepoints);
    }
    return tp;
}

static void write_run(struct cairn_session *session, const uint8_t *records, size_t size_bytes,
                      const char *comm)
{
    if (size_bytes && session->stack)
        session_put_stacked(session, records, size_bytes, comm);
    else if (size_bytes)
        session_put_records(session, records, size_bytes, comm);
}

/* True if a record is to be in the file. Otherwise counts it: as rejected by a filter, or as
 * damaged. */
static bool is_wanted(struct cairn_session *session, struct session_tracepoint *tp,
                      const uint8_t *record, uint32_t record_bytes, const char *comm)
{
    if (cairn_unlikely(!tp)) {
        session->counts.damaged++;
        return false;
    }
    if (cairn_unlikely(tp->filtered) &&
        !session_filter_chooses(session, tp, record, record_bytes, comm)) {
        session->counts.filtered++;
        return false;
    }
    tp->events++;
    session->counts.events++;
    return true;
}

/* True if the heads of two records are equal: type and size, id, and the size of the data. */
static inline bool is_alike(const uint8_t *record, const uint8_t *other)
{
    const size_t raw_size = offsetof(struct cairn_record_head, raw_size_bytes);

    return !memcmp(record, other, offsetof(struct cairn_record_head, pid)) &&
           !memcmp(record + raw_size, other + raw_size, sizeof(uint32_t));
}

/*
 * Passes a valid record and those after it that are equal in head. The processor can check several
 * at once, since the address of the next one need not be read. Returns how many.
 */
static uint64_t pass_equals(const struct cairn_session *session, const uint8_t *records,
                            size_t size_bytes, uint32_t record_bytes)
{
    uint64_t count = 1;

    while (size_bytes - count * record_bytes >= record_bytes &&
           is_alike(records + count * record_bytes, records) &&
           !is_ahead(session, records + count * record_bytes))
        count++;
    return count;
}

/*
 * Passes records as long as they are good and of the tracepoint that the last one had: all of them
 * are wanted. Most are like that, so they are counted together. Looking for equal ones costs more
 * than it saves where sizes change all the time: then it is left for a while. Returns where it
 * stopped.
 */
static size_t pass_alike(struct cairn_session *session, const struct session_pool *pool,
                         const uint8_t *block, size_t at, size_t size_bytes)
{
    uint64_t count = 0;
    uint64_t look_again_at = 0;

    for (;;) {
        uint32_t record_bytes = cairn_record_check(block + at, size_bytes - at);
        uint64_t passed = 1;

        if (!record_bytes || id_of(block + at) != pool->last_id || is_ahead(session, block + at))
            break;
        if (count >= look_again_at) {
            passed = pass_equals(session, block + at, size_bytes - at, record_bytes);
            if (passed < WORTH_LOOKING)
                look_again_at = count + UNEQUAL_FOR;
        }
        at += passed * record_bytes;
        count += passed;
        __builtin_prefetch(block + at + PREFETCH_BYTES);
    }
    session->tracepoints[pool->last_tracepoint].events += count;
    session->counts.events += count;
    return at;
}

/* Writes the good ones of a thread's records in runs as long as can be. */
static void write_records(struct cairn_session *session, struct session_pool *pool, uint8_t *block,
                          size_t size_bytes, const char *comm)
{
    size_t run = 0; /* where the run begins */
    size_t at = 0;

    while (at < size_bytes) {
        uint32_t record_bytes = cairn_record_check(block + at, size_bytes - at);
        struct session_tracepoint *tp =
            record_bytes ? tracepoint_of(session, pool, block + at) : NULL;

        if (tp)
            session_date_sample(session, block + at);
        if (tp && cairn_unlikely(tp->sample_id != pool->last_id))
            session_number_sample(block + at, tp);
        if (is_wanted(session, tp, block + at, record_bytes, comm)) {
            at += record_bytes;
            if (!tp->filtered && tp->sample_id == pool->last_id)
                at = pass_alike(session, pool, block, at, size_bytes);
            continue;
        }
        write_run(session, block + run, at - run, comm);
        if (!record_bytes) {
            pool->spoilt = true;
            return;
        }
        at += record_bytes;
        run = at;
    }
    write_run(session, block + run, at - run, comm);
}

/* Takes what is new in a chunk, and puts it out as samples. */
static uint32_t expand_chunk(struct cairn_session *session, struct session_pool *pool,
                             uint32_t chunk)
{
    struct cairn_chunk copy =
        engine_process_pool_copy_chunk(engine_process_pool_chunk(&pool->reader.pool, chunk));
    bool is_new = !pool->reader.consumed[chunk];
    uint32_t size_bytes = engine_process_pool_take(&pool->reader, chunk, session->block);
    struct session_expansion expansion = {
        .pool = pool,
        .baseline = &pool->baselines[chunk],
        .at = session->block,
        .end = session->block + size_bytes,
    };
    char comm[CAIRN_COMM_BYTES] = "";
    bool is_named = false;

    session_translate_numbers(pool, &copy);
    expansion.pid = copy.pid;
    expansion.tid = copy.tid;
    session->taken_ns = os_clock_ns(); /* later than all that was taken */
    if (is_new)
        *expansion.baseline = (struct engine_baseline){0};
    while (expansion.at < expansion.end) {
        size_t bytes = session_expand(session, &expansion);

        if (bytes && !is_named)
            session_name_records(session, pool, &copy, time_of(session->expanded), comm);
        is_named |= bytes > 0;
        session->stack = expansion.stack;
        session->stack_count = expansion.stack_count;
        write_records(session, pool, session->expanded, bytes, comm);
    }
    return size_bytes;
}

struct drain_state {
    struct cairn_session *session;
    struct session_pool *pool;
    size_t moved;
};

/* Counts the losses of a damaged pool: its writers continue, and each of their events is lost. */
static void drain(void *arg)
{
    struct drain_state *d = arg;
    struct session_pool *pool = d->pool;
    const uint64_t *freed = &pool->reader.pool.large.header->freed;
    uint64_t freed_before = core_load_relaxed(freed);
    uint32_t chunks;

    if (pool->positions)
        session_resume_free_chunks(d->session, pool);
    session_add_memory(d->session, pool);
    session_look_at_types(d->session, pool);
    if (pool->check_owners)
        session_look_for_the_dead(d->session, pool);
    chunks = pool->spoilt ? 0 : engine_process_pool_scan(&pool->reader);
    /* A writer counts what it loses before it claims a chunk for the next event: these losses come
     * before the events of the chunks that were found. */
    session_count_pool_losses(d->session, pool);

    /* At its end, a recorder that cannot write continues to read, to count the events that it
     * lacks. */
    for (uint32_t i = 0; i < chunks && !pool->spoilt && (d->session->writer || !d->session->error);
         i++) {
        uint32_t chunk = pool->reader.order[i];

        d->moved += d->session->trace ? session_copy_chunk(d->session, pool, chunk)
                                      : expand_chunk(d->session, pool, chunk);
        session_limit_file(d->session);
    }
    session_count_pool_losses(d->session, pool);
    if (pool->positions) {
        session_resume_limit(d->session, pool);
        session_resume_free_chunks(d->session, pool);
    }
    d->session->freed += core_load_relaxed(freed) - freed_before;
}

size_t session_drain_pool(struct cairn_session *session, struct session_pool *pool)
{
    struct drain_state d = {session, pool, 0};

    if (!session_guard_pool(pool->directory, drain, &d) && !pool->spoilt) {
        pool->spoilt = true;
        session->counts.damaged++;
    }
    return d.moved;
}
