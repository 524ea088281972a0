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
#include "core/compact_record.h"
#include "engine/clock.h"
#include "engine/descriptors.h"
#include "engine/doorbell.h"
#include "engine/filter.h"
#include "engine/pending.h"
#include "engine/thread.h"
#include "engine/writing.h"

#include <cairn/record.h>
#include <errno.h>

/* Bytes of control records that a record may need before it: reserved with it, since its time is
 * known last. */
#define ENGINE_CONTROL_BYTES (CORE_CONTROL_BASE_BYTES + CORE_CONTROL_CPU_BYTES)

#define ENGINE_SAMPLE_ID_BYTES 8u

/* The largest head of a record. */
#define ENGINE_HEAD_MAX_BYTES (CORE_RECORD_LONG_BYTES + ENGINE_SAMPLE_ID_BYTES)

/* True if records with this id have the short form. ENGINE_ID_NONE is not short. */
static inline bool engine_id_is_short(uint32_t id)
{
    return id - 1 < CORE_RECORD_LONG - 1;
}

/* Writes the part of a record that precedes its payload, as far as it depends on nothing else.
 * Returns the place of the payload. */
static inline uint8_t *engine_record_begin(uint8_t *record, uint32_t id, uint64_t sample_id)
{
    if (cairn_likely(engine_id_is_short(id)))
        return record + CORE_RECORD_HEAD_BYTES;
    if (id != ENGINE_ID_NONE)
        return record + CORE_RECORD_LONG_BYTES;
    __builtin_memcpy(record + CORE_RECORD_LONG_BYTES, &sample_id, sizeof(sample_id));
    return record + ENGINE_HEAD_MAX_BYTES;
}

/* Writes the control records that a record needs before it: moves the record, of which *end is the
 * end, and returns its new place. */
uint8_t *engine_record_put_controls(struct engine_baseline *baseline, uint8_t *record,
                                    uint8_t **end, const struct engine_timestamp *timestamp);

/* The same for the stack of the calling thread, before its controls: returns the number of bytes,
 * or 0, by which the record was moved. */
uint32_t engine_record_put_stack(struct engine_thread *thread, uint8_t *record, uint8_t **end,
                                 const void *caller);

static inline void engine_record_put_head(uint8_t *record, uint32_t id, uint32_t size_bytes,
                                          uint32_t time)
{
    uint32_t rest[2] = {id, size_bytes};

    if (cairn_likely(engine_id_is_short(id))) {
        core_record_put_head(record, id, size_bytes, time);
        return;
    }
    core_record_put_head(record, CORE_RECORD_LONG, 0, time);
    __builtin_memcpy(record + CORE_RECORD_HEAD_BYTES, rest, sizeof(rest));
}

/* Makes a record of the payload that ends there, and commits it. */
static inline void engine_record_end(struct cairn_writer *writer, uint8_t *record, uint8_t *end,
                                     uint32_t id, uint32_t time)
{
    uint32_t size_bytes = (uint32_t)(end - record);

    /* Zeros up to the record's end, over the bytes that fill wrote after it. */
    __builtin_memset(end, 0, CORE_RECORD_ALIGNMENT);
    engine_record_put_head(record, id, size_bytes, time);
    cairn_i_pool_commit(writer, record, core_record_padded(size_bytes));
}

/* The same for an id of the short form. */
static inline __attribute__((always_inline)) void
engine_record_end_short(struct cairn_writer *writer, uint8_t *record, uint8_t *end, uint32_t id,
                        uint32_t time)
{
    uint32_t size_bytes = (uint32_t)(end - record);

    __builtin_memset(end, 0, CORE_RECORD_ALIGNMENT);
    core_record_put_head(record, id, size_bytes, time);
    cairn_i_pool_commit(writer, record, core_record_padded(size_bytes));
}

/* ---- nearly always ---- */

/* True if the event is only for the thread's last session, which still exists, and whose recorder
 * does not sleep. */
static inline bool engine_thread_is_ready(const struct engine_thread *thread,
                                          const struct engine_event_entry *entry,
                                          uint64_t sample_id, uint32_t payload_bytes)
{
    const struct engine_thread_recent *recent = &thread->recent;

    /* Without a session the first comparison fails, and the rest is not evaluated. */
    return cairn_likely(entry != NULL) &&
           cairn_likely((uintptr_t)recent->writer.next + CORE_RECORD_HEAD_BYTES +
                            ENGINE_CONTROL_BYTES + payload_bytes <=
                        (uintptr_t)recent->writer.end) &&
           cairn_likely(core_load_acquire(&entry->sessions) == recent->mask) &&
           cairn_likely(core_load_relaxed(&entry->generation) ==
                        engine_sample_generation(sample_id)) &&
           cairn_likely(core_load_relaxed(recent->awake) == recent->session);
}

/*
 * Begins the record of an event in the buffer of the thread's last session, with space for
 * `payload_bytes`, if that is all that the event needs, and its descriptor's id is short. Returns
 * the place of its payload; engine_emit_commit or engine_emit_abandon follows. NULL: nothing was
 * done, and engine_emit may succeed.
 */
static inline __attribute__((always_inline)) uint8_t *
engine_emit_begin(const struct cairn_tracepoint *tp, uint32_t id, uint32_t payload_bytes,
                  struct engine_thread **ret_thread)
{
    /* Pairs with the release in registering. */
    const struct engine_event_entry *entry = core_load_acquire(&tp->local);
    uint64_t sample_id = core_load_relaxed(&tp->sample_id);
    struct engine_thread *thread = engine_thread_self;

    if (cairn_unlikely(!thread || thread->depth || !engine_id_is_short(id)))
        return NULL;
    thread->depth = 1;
    core_interrupt_barrier(); /* from here on signal handlers do not change it */
    if (cairn_unlikely(!engine_thread_is_ready(thread, entry, sample_id, payload_bytes))) {
        core_interrupt_barrier();
        thread->depth = 0;
        return NULL;
    }
    *ret_thread = thread;
    return thread->recent.writer.next + CORE_RECORD_HEAD_BYTES;
}

/* The rest of engine_emit_commit where a control record is needed, the session has rules, or the
 * event was refused: before the counter is read, or after. A stack begins at the caller. */
int engine_emit_commit_other(struct engine_thread *thread, uint8_t *end, uint32_t id,
                             const void *caller);
int engine_emit_commit_late(struct engine_thread *thread, uint8_t *end, uint32_t id,
                            uint64_t ticks);

/* The counterpart of engine_emit_begin: the record of this descriptor, whose payload ends there.
 * Returns 0; ENOMEM after engine_emit_refuse. */
static inline __attribute__((always_inline)) int engine_emit_commit(struct engine_thread *thread,
                                                                    uint8_t *end, uint32_t id)
{
    const struct engine_baseline *baseline = &thread->recent.baseline;
    uint8_t *record = thread->recent.writer.next;
    uint64_t ticks;

    /* Also if the session has rules: an event that is not wanted needs no time. */
    if (cairn_unlikely((uint32_t)core_load_relaxed(thread->cpu) != baseline->cpu))
        return engine_emit_commit_other(thread, end, id, __builtin_return_address(0));
    ticks = os_ticks();
    if (cairn_unlikely((ticks - baseline->base) >> 32))
        return engine_emit_commit_late(thread, end, id, ticks);
    engine_record_end_short(&thread->recent.writer, record, end, id,
                            (uint32_t)(ticks - baseline->base));
    core_interrupt_barrier();
    thread->depth = 0;
    return 0;
}

/* Instead of engine_emit_commit: there is no record. */
static inline void engine_emit_abandon(struct engine_thread *thread)
{
    core_interrupt_barrier();
    thread->depth = 0;
}

/* There will be no record: the commit that follows, with ENGINE_ID_NONE, takes the path of
 * engine_emit_commit_other, and returns ENOMEM. */
static inline void engine_emit_refuse(struct engine_thread *thread)
{
    thread->recent.baseline.cpu = ENGINE_CPU_OTHER;
}

/* The payload may be written up to there, after engine_emit_begin. */
static inline const uint8_t *engine_emit_limit(const struct engine_thread *thread)
{
    return thread->recent.writer.end - ENGINE_CONTROL_BYTES;
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
    struct engine_thread *thread;
    uint32_t id = core_load_acquire(&tp->descriptor); /* pairs with the release in adding it */
    uint8_t *to = engine_emit_begin(tp, id, payload_bytes, &thread);

    if (cairn_unlikely(!to))
        return EAGAIN;
    to = fill(to, thread->recent.writer.end - ENGINE_CONTROL_BYTES, arg);
    if (cairn_likely(to))
        return engine_emit_commit(thread, to, id);
    engine_emit_abandon(thread);
    return EAGAIN;
}

/* ---- always ---- */

static inline void *engine_session_reserve(struct engine_thread *thread,
                                           struct engine_thread_session *ts, uint32_t level,
                                           uint32_t size_bytes, uint32_t id)
{
    const struct cairn_writer *writer = &ts->writers[level];

    if (cairn_likely((size_t)(writer->end - writer->next) >= size_bytes))
        return writer->next;
    return engine_thread_reserve(thread, ts, level, size_bytes, id);
}

/* The event that is being written. */
struct engine_emission {
    const struct engine_event_entry *entry;
    uint64_t sample_id;
    uint32_t id;             /* of its descriptor */
    uint32_t constant_bytes; /* of the payload, that the descriptor has */
    uint32_t least_bytes;    /* of the payload in the record */
    const void *caller;      /* as in struct engine_writing */
};

/* Into one session. Returns 0; E2BIG; ENOSPC, and the loss has been counted. */
static inline __attribute__((always_inline)) int
engine_session_emit(struct engine_thread *thread, struct engine_thread_session *ts, uint32_t depth,
                    const struct engine_emission *event, engine_fill *fill, const void *arg)
{
    const uint32_t control_bytes = ENGINE_CONTROL_BYTES + ts->stack_bytes;
    const uint32_t room_bytes = ENGINE_HEAD_MAX_BYTES + control_bytes;
    const uint32_t largest_bytes = CAIRN_PAYLOAD_MAX_BYTES + room_bytes;
    struct cairn_writer *writer = &ts->writers[depth];
    struct engine_baseline *baseline = &ts->baselines[depth];
    uint32_t size_bytes = room_bytes + event->least_bytes;
    uint32_t most_bytes = ts->pool.large.chunk_bytes - CAIRN_POOL_SLACK_BYTES;

    if (most_bytes > largest_bytes)
        most_bytes = largest_bytes;
    /* A record that does not fit into the rest of a chunk may fit into another. */
    while (engine_session_reserve(thread, ts, depth, size_bytes, event->id)) {
        uint8_t *record = writer->next;
        uint8_t *payload = engine_record_begin(record, event->id, event->sample_id);
        uint8_t *end = fill(payload, writer->end - control_bytes, arg);

        if (end) {
            enum engine_wanted wanted = ENGINE_WANTED;
            struct engine_timestamp timestamp;
            uint32_t stack_bytes = 0;

            if (end - payload > (ptrdiff_t)(CAIRN_PAYLOAD_MAX_BYTES - event->constant_bytes))
                return E2BIG;
            if (cairn_unlikely(ts->has_rules))
                wanted = engine_filter_wants(thread, ts, event->id, payload, end);
            if (cairn_unlikely(wanted == ENGINE_WANTED_NOT)) {
                engine_filter_count(thread, writer);
                return 0;
            }
            if (cairn_unlikely(wanted == ENGINE_WANTED_STACK))
                stack_bytes = engine_record_put_stack(thread, record, &end, event->caller);
            timestamp = engine_timestamp_now(thread);
            record = engine_record_put_controls(baseline, record, &end, &timestamp);
            engine_record_end(writer, record + stack_bytes, end, event->id,
                              (uint32_t)(timestamp.counter - baseline->base));
            return 0;
        }
        /* A pool may have chunks that are smaller than the largest record: that is a loss. */
        if ((size_t)(writer->end - writer->next) >= most_bytes) {
            if (most_bytes == largest_bytes)
                return E2BIG;
            most_bytes = largest_bytes;
        }
        size_bytes = most_bytes;
    }
    return ENOSPC;
}

/* Into the sessions of the mask. Returns 0 or the first failure. */
static inline __attribute__((always_inline)) int
engine_sessions_emit(struct engine_thread *thread, uint64_t sessions,
                     const struct engine_emission *event, engine_fill *fill, const void *arg)
{
    struct engine_session_slot *slots = engine_self.local.slots;
    struct engine_thread_session *last = NULL;
    uint32_t depth = thread->depth;
    int first_error = 0;

    if (depth >= CAIRN_POOL_LEVELS) {
        engine_count_lost_event(event->entry, CAIRN_LOSS_NESTED);
        return ENOSPC;
    }
    thread->depth = depth + 1;
    core_interrupt_barrier();
    if (!depth)
        engine_thread_flush_recent(thread);
    if (cairn_unlikely(engine_thread_lacks(thread, sessions)))
        first_error = engine_thread_join(thread, event->entry, &sessions);
    for (; sessions; sessions &= sessions - 1) {
        uint32_t slot = (uint32_t)__builtin_ctzll(sessions);
        int error;

        last = engine_thread_session_of(thread, slot);
        error = engine_session_emit(thread, last, depth, event, fill, arg);
        engine_doorbell_mark(&slots[slot]);
        first_error = first_error ? first_error : error;
    }
    if (cairn_unlikely(first_error == ENOSPC))
        engine_thread_note_loss(thread);
    if (!depth && last && engine_thread_may_remember(thread, last))
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
                                                             const struct engine_writing *writing,
                                                             const void *arg)
{
    /* Pairs with the release in registering. */
    const struct engine_event_entry *entry = core_load_acquire(&tp->local);
    struct engine_emission event = {.sample_id = core_load_relaxed(&tp->sample_id),
                                    .least_bytes = writing->least_bytes,
                                    .caller = writing->caller};
    engine_fill *fill = writing->fill;
    struct engine_thread *thread = engine_thread_self;
    uint64_t sessions;

    if (cairn_unlikely(!entry))
        entry = engine_pending_find(tp, &event.sample_id);
    if (!entry)
        return EBADF;
    sessions = core_load_acquire(&entry->sessions);
    if (!sessions ||
        core_load_relaxed(&entry->generation) != engine_sample_generation(event.sample_id))
        return EBADF;
    if (writing->least_bytes > CAIRN_PAYLOAD_MAX_BYTES)
        return E2BIG;
    /* Without a tid: in a child that was made by clone() itself. */
    if (!thread || cairn_unlikely(!thread->name.tid)) {
        thread = engine_thread_make();
        if (!thread) {
            engine_count_lost_event(entry, CAIRN_LOSS_LIMIT);
            return ENOMEM;
        }
    }
    event.entry = entry;
    event.id = writing->descriptor ? engine_descriptor_check(writing->descriptor, event.sample_id)
                                   : engine_tracepoint_id(tp, event.sample_id, writing->constants);
    if (writing->constants && event.id != ENGINE_ID_NONE) {
        event.id += writing->variant;
        event.constant_bytes = engine_constant_bytes(writing->constants, writing->variant);
        event.least_bytes -= event.constant_bytes;
        fill = writing->fill_values;
    }
    return engine_sessions_emit(thread, sessions, &event, fill, arg);
}

#endif
