/* SPDX-License-Identifier: MIT */
/*
 * Writes an event to the buffers of every session that wants it: no system call, no allocation, no
 * atomic read-modify-write. Always inlined, so that the caller's `fill` is too.
 *
 * There are two paths. Nearly every event is for one session, the one that its thread wrote to
 * last, and fits into the chunk: engine_emit_hot handles only that case. engine_emit
 * handles all cases. Both make records by the same two functions.
 *
 * `fill` writes the payload, once for each session. `least_bytes` are available; before it writes
 * more, it compares with the limit. It may write up to 40 bytes after the limit. It returns the
 * payload's end, or NULL if that would be after the limit.
 */
#ifndef ENGINE_EMIT_H
#define ENGINE_EMIT_H

#include "core/atomic.h"
#include "engine/clock.h"
#include "engine/pending.h"
#include "engine/thread.h"

#include <cairn/record.h>
#include <errno.h>

#define ENGINE_RECORD_MISC_USER 2u /* PERF_RECORD_MISC_USER */

typedef uint8_t *engine_fill(uint8_t *to, uint8_t *limit, const void *arg);

/* Adjacent members, written with one store. */
static inline uint32_t engine_join_16(uint16_t first, uint16_t second)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return first | (uint32_t)second << 16;
#else
    return second | (uint32_t)first << 16;
#endif
}

static inline uint64_t engine_join_32(uint32_t first, uint32_t second)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    return first | (uint64_t)second << 32;
#else
    return second | (uint64_t)first << 32;
#endif
}

#define ENGINE_HEAD_STORE(head, member, value)                                       \
    __builtin_memcpy((uint8_t *)(head) + offsetof(struct cairn_record_head, member), \
                     &(__typeof__(value)){value}, sizeof(value))

/* Writes the part of a record that does not depend on its payload. */
static inline uint8_t *engine_record_begin(const struct engine_thread *thread, uint8_t *record,
                                           uint64_t sample_id)
{
    struct cairn_record_head *head = (void *)record;

    head->id = sample_id;
    ENGINE_HEAD_STORE(head, pid, engine_join_32(thread->name.pid, thread->name.tid));
    /* and flags, and common_pid */
    ENGINE_HEAD_STORE(head, common_type,
                      engine_join_32(engine_join_16((uint16_t)sample_id, 0), 0) | thread->common);
    return (uint8_t *)(head + 1);
}

/* Makes a record, at writer->next, of the payload that ends there. */
static inline void engine_record_end(struct engine_thread *thread, struct cairn_writer *writer,
                                     uint8_t *record, uint8_t *end,
                                     struct engine_timestamp timestamp)
{
    struct cairn_record_head *head = (void *)record;
    uint32_t size_bytes = (uint32_t)(end + 7 - record) & ~7u;

    /* Zeros up to the record's end, and over the bytes that fill wrote after it. */
    __builtin_memset(end, 0, 8);
    if (cairn_unlikely(timestamp.time_ns < thread->last_ns)) {
        core_interrupt_barrier(); /* a branch is predicted; a conditional move would be two
                                      instructions more */
        timestamp.time_ns = thread->last_ns;
    }
    thread->last_ns = timestamp.time_ns;
    head->type = CAIRN_RECORD_SAMPLE;
    ENGINE_HEAD_STORE(head, misc, engine_join_16(ENGINE_RECORD_MISC_USER, 0));
    head->size_bytes = (uint16_t)size_bytes;
    head->time_ns = timestamp.time_ns;
    ENGINE_HEAD_STORE(head, cpu, engine_join_32((uint32_t)timestamp.cpu, 0)); /* and reserved */
    head->raw_size_bytes = size_bytes - (uint32_t)offsetof(struct cairn_record_head, common_type);
    cairn_i_pool_commit(writer, record, size_bytes);
}

/* ---- nearly always ---- */

/* True if the event is only for the thread's last session, which still exists, and the time is
 * known. */
static inline bool engine_thread_is_ready(const struct engine_thread *thread,
                                          const struct engine_event_entry *entry,
                                          uint64_t sample_id, uint32_t payload_bytes)
{
    const struct engine_thread_recent *recent = &thread->recent;

    /* Without a session the first comparison fails, and the rest is not evaluated. */
    return cairn_likely(entry != NULL) &&
           cairn_likely((uintptr_t)recent->writer.next + sizeof(struct cairn_record_head) +
                            payload_bytes <=
                        (uintptr_t)recent->writer.end) &&
           cairn_likely(core_load_acquire(&entry->sessions) == recent->mask) &&
           cairn_likely(core_load_relaxed(&entry->generation) ==
                        engine_sample_generation(sample_id)) &&
           cairn_likely(core_load_relaxed(recent->slot_generation) == recent->session) &&
           cairn_likely(engine_clock_is_copied(thread->clock, &thread->clock_copy));
}

/*
 * The record has space for `payload_bytes`: a `fill` that never writes more need not compare with
 * the limit. It makes no payload of more than CAIRN_PAYLOAD_MAX_BYTES, independently of the limit.
 * Returns 0; EAGAIN nothing was done, and engine_emit may succeed.
 */
static inline __attribute__((always_inline)) int engine_emit_hot(const struct cairn_tracepoint *tp,
                                                                 uint32_t payload_bytes,
                                                                 engine_fill *fill, const void *arg)
{
    /* Pairs with the release in registering. */
    const struct engine_event_entry *entry = core_load_acquire(&tp->local);
    uint64_t sample_id = core_load_relaxed(&tp->sample_id);
    struct engine_thread *thread = engine_thread_self;
    struct cairn_writer *writer;
    struct engine_timestamp timestamp;
    uint8_t *record = NULL;
    uint8_t *end = NULL;
    int error = EAGAIN;

    if (cairn_unlikely(!thread || thread->depth))
        return EAGAIN;
    thread->depth = 1;
    core_interrupt_barrier(); /* from here on signal handlers do not change it */
    writer = &thread->recent.writer;
    if (cairn_likely(engine_thread_is_ready(thread, entry, sample_id, payload_bytes))) {
        record = writer->next;
        end = fill(engine_record_begin(thread, record, sample_id), writer->end, arg);
    }
    if (cairn_likely(end) && cairn_likely(engine_timestamp_of_copy(thread, &timestamp))) {
        engine_record_end(thread, writer, record, end, timestamp);
        error = 0;
    }
    core_interrupt_barrier();
    thread->depth = 0;
    return error;
}

/* ---- always ---- */

static inline void *engine_session_reserve(struct engine_thread *thread,
                                           struct engine_thread_session *ts, uint32_t level,
                                           uint32_t size_bytes)
{
    const struct cairn_writer *writer = &ts->writers[level];

    if (cairn_likely((size_t)(writer->end - writer->next) >= size_bytes))
        return writer->next;
    return engine_thread_reserve(thread, ts, level, size_bytes);
}

/* Into one session. Returns 0; E2BIG; ENOSPC, and the loss has been counted. */
static inline __attribute__((always_inline)) int
engine_session_emit(struct engine_thread *thread, struct engine_thread_session *ts, uint32_t depth,
                    uint64_t sample_id, uint32_t least_bytes, engine_fill *fill, const void *arg)
{
    const struct cairn_pool *pool = &ts->pool.large;
    struct cairn_writer *writer = &ts->writers[depth];
    uint32_t size_bytes = cairn_record_size(least_bytes);
    uint32_t most_bytes = pool->chunk_bytes - CAIRN_POOL_SLACK_BYTES;

    if (most_bytes > CAIRN_RECORD_MAX_BYTES)
        most_bytes = CAIRN_RECORD_MAX_BYTES;
    /* A record that does not fit into the rest of a chunk may fit into another. */
    while (engine_session_reserve(thread, ts, depth, size_bytes)) {
        uint8_t *record = writer->next;
        uint8_t *end = fill(engine_record_begin(thread, record, sample_id), writer->end, arg);

        if (end) {
            if (end - record > (ptrdiff_t)CAIRN_RECORD_MAX_BYTES)
                return E2BIG;
            engine_record_end(thread, writer, record, end, engine_timestamp_now(thread));
            return 0;
        }
        /* A pool may have chunks that are smaller than the largest record: that is a loss. */
        if ((size_t)(writer->end - writer->next) >= most_bytes) {
            if (most_bytes == CAIRN_RECORD_MAX_BYTES)
                return E2BIG;
            most_bytes = CAIRN_RECORD_MAX_BYTES;
        }
        size_bytes = most_bytes;
    }
    return ENOSPC;
}

/* Into the sessions of the mask. Returns 0 or the first failure. */
static inline __attribute__((always_inline)) int
engine_sessions_emit(struct engine_thread *thread, uint64_t sessions, uint64_t sample_id,
                     uint32_t least_bytes, engine_fill *fill, const void *arg)
{
    const struct engine_session_slot *slots = engine_self.local.slots;
    struct engine_thread_session *last = NULL;
    uint32_t depth = thread->depth;
    int first_error = 0;

    if (depth >= CAIRN_POOL_LEVELS) {
        engine_count_lost(sessions, CAIRN_LOSS_NESTED, 1);
        return ENOSPC;
    }
    thread->depth = depth + 1;
    core_interrupt_barrier();
    if (!depth)
        engine_thread_flush_recent(thread);
    for (; sessions; sessions &= sessions - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(sessions);
        struct engine_thread_session *ts = engine_thread_session_of(thread, slot);
        uint64_t session = core_load_relaxed(&slots[slot].generation);
        int error = ENOSPC;

        /* 0: it has ended since we read the mask, or the mask is damaged; the thread may have no
         * pool. */
        if (!ts || !session || ts->session != session)
            ts = engine_thread_join(thread, slot);
        if (ts) {
            error = engine_session_emit(thread, ts, depth, sample_id, least_bytes, fill, arg);
            last = ts;
        }
        first_error = first_error ? first_error : error;
    }
    if (cairn_unlikely(first_error == ENOSPC))
        engine_thread_note_loss(thread);
    /* Under valgrind there is no area: writing blocks after strings would be reported as errors. */
    if (!depth && last && os_cpu_is_kept(thread->cpu) &&
        engine_clock_is_copied(thread->clock, &thread->clock_copy))
        engine_thread_remember(thread, last);
    core_interrupt_barrier();
    thread->depth = depth;
    return first_error;
}

/*
 * Writes an event to every session of the engine that wants it. Returns 0; EBADF no session wants
 * it; E2BIG it is larger than a record can be; ENOSPC at least one session lost it and has counted
 * it; ENOMEM.
 */
static inline __attribute__((always_inline)) int engine_emit(const struct cairn_tracepoint *tp,
                                                             uint32_t least_bytes,
                                                             engine_fill *fill, const void *arg)
{
    /* Pairs with the release in registering. */
    const struct engine_event_entry *entry = core_load_acquire(&tp->local);
    uint64_t sample_id = core_load_relaxed(&tp->sample_id);
    struct engine_thread *thread = engine_thread_self;
    uint64_t sessions;

    if (cairn_unlikely(!entry))
        entry = engine_pending_find(tp, &sample_id);
    if (!entry)
        return EBADF;
    sessions = core_load_acquire(&entry->sessions);
    if (!sessions || core_load_relaxed(&entry->generation) != engine_sample_generation(sample_id))
        return EBADF;
    if (least_bytes > CAIRN_PAYLOAD_MAX_BYTES)
        return E2BIG;
    /* Without a tid: in a child that was made by clone() itself. */
    if (!thread || cairn_unlikely(!thread->name.tid)) {
        thread = engine_thread_make();
        if (!thread) {
            engine_count_lost(sessions, CAIRN_LOSS_LIMIT, 1);
            return ENOMEM;
        }
    }
    return engine_sessions_emit(thread, sessions, sample_id, least_bytes, fill, arg);
}

#endif
