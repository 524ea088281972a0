/* SPDX-License-Identifier: MIT */
/*
 * The hot path: an event into the buffers of every session that wants it. Always inlined, so that
 * the caller's `fill` is too: no call, no system call, no allocation, no atomic read-modify-write.
 */
#ifndef LOCAL_EMIT_H
#define LOCAL_EMIT_H

#include "local/clock.h"
#include "local/cpu.h"
#include "local/thread.h"

#include <cairn/record.h>
#include <errno.h>

#define CAIRN_RECORD_MISC_USER 2u /* PERF_RECORD_MISC_USER */

/* The compiler may not move a thread's own stores over this: a signal handler looks at them. */
#define cairn_signal_fence() __atomic_signal_fence(__ATOMIC_SEQ_CST)

static inline void cairn_record_begin(struct cairn_record_head *head, uint32_t size_bytes,
                                      const struct cairn_tracepoint *tp,
                                      const struct cairn_thread *thread, uint64_t time_ns)
{
    uint16_t id = __atomic_load_n(&tp->id, __ATOMIC_RELAXED);

    head->type = CAIRN_RECORD_SAMPLE;
    head->misc = CAIRN_RECORD_MISC_USER;
    head->size_bytes = (uint16_t)size_bytes;
    head->id = __atomic_load_n(&tp->generation, __ATOMIC_RELAXED) << 16 | id;
    head->pid = thread->name.pid;
    head->tid = thread->name.tid;
    head->time_ns = time_ns;
    head->cpu = cairn_cpu_now();
    head->reserved = 0;
    head->raw_size_bytes = size_bytes - (uint32_t)offsetof(struct cairn_record_head, common_type);
    head->common_type = id;
    head->common_flags = 0;
    head->common_preempt_count = 0;
    head->common_pid = (int32_t)thread->name.tid;
}

/*
 * Writes an event of payload_bytes bytes to the sessions of the mask. `fill` puts the payload into
 * place, once for each session; it may write up to 32 bytes too many.
 * Returns 0 or ENOSPC: at least one session lost it, and knows.
 */
static inline __attribute__((always_inline)) int
cairn_emit_to_sessions(struct cairn_thread *thread, uint64_t sessions,
                       const struct cairn_tracepoint *tp, uint32_t payload_bytes,
                       void (*fill)(void *to, const void *arg), const void *arg)
{
    const struct cairn_session_slot *slots = cairn_i_engine.local.slots;
    uint32_t size_bytes = cairn_record_size(payload_bytes);
    uint32_t depth = thread->depth;
    int error = 0;

    if (cairn_unlikely(depth >= CAIRN_POOL_LEVELS)) {
        cairn_thread_count_lost(sessions);
        return ENOSPC;
    }
    thread->depth = depth + 1;
    cairn_signal_fence();
    do {
        uint32_t slot = (uint32_t)__builtin_ctzll(sessions);
        struct cairn_thread_session *ts = &thread->sessions[slot];
        struct cairn_record_head *head;
        uint8_t *payload;
        uint64_t session = __atomic_load_n(&slots[slot].generation, __ATOMIC_RELAXED);
        uint64_t now;

        /* 0: it has ended since we read the mask, or the mask lies; the thread may have no pool. */
        if (cairn_unlikely(!session || ts->session != session) &&
            !cairn_thread_join(thread, slot)) {
            error = ENOSPC;
            continue;
        }
        head = cairn_pool_reserve(&ts->pool->pool, &ts->writers[depth], &thread->name, size_bytes);
        if (cairn_unlikely(!head)) {
            error = ENOSPC;
            continue;
        }
        now = cairn_clock_now(&cairn_i_engine.local.registry->clock);
        if (cairn_unlikely(now < thread->last_ns))
            now = thread->last_ns;
        thread->last_ns = now;
        cairn_record_begin(head, size_bytes, tp, thread, now);
        payload = (uint8_t *)(head + 1);
        fill(payload, arg);
        /* Zeros up to the record's end, and over what fill wrote too many of. */
        __builtin_memset(payload + payload_bytes, 0, 8);
        cairn_pool_commit(&ts->writers[depth], size_bytes);
    } while (sessions &= sessions - 1);
    cairn_signal_fence();
    thread->depth = depth;
    return error;
}

/*
 * Writes an event to every session of the local engine that wants it.
 * Returns 0; EBADF nobody does; E2BIG it is larger than a record can be; ENOSPC; ENOMEM.
 */
static inline __attribute__((always_inline)) int
cairn_local_emit(const struct cairn_tracepoint *tp, uint32_t payload_bytes,
                 void (*fill)(void *to, const void *arg), const void *arg)
{
    /* Pairs with the release in registering. */
    const struct cairn_event_entry *entry = __atomic_load_n(&tp->local, __ATOMIC_ACQUIRE);
    struct cairn_thread *thread = cairn_i_thread;
    uint64_t sessions;

    if (cairn_unlikely(!entry))
        return EBADF;
    sessions = __atomic_load_n(&entry->sessions, __ATOMIC_ACQUIRE);
    if (cairn_unlikely(!sessions || __atomic_load_n(&entry->generation, __ATOMIC_RELAXED) !=
                                        __atomic_load_n(&tp->generation, __ATOMIC_RELAXED)))
        return EBADF;
    if (cairn_unlikely(payload_bytes > CAIRN_PAYLOAD_MAX_BYTES))
        return E2BIG;
    if (cairn_unlikely(!thread)) {
        thread = cairn_thread_make();
        if (!thread) {
            cairn_thread_count_lost(sessions);
            return ENOMEM;
        }
    }
    return cairn_emit_to_sessions(thread, sessions, tp, payload_bytes, fill, arg);
}

#endif
