/* SPDX-License-Identifier: MIT */
/* Writes one event to both backends. */
#ifndef USER_EVENTS_EMIT_H
#define USER_EVENTS_EMIT_H

#include "core/atomic.h"
#include "engine/emit.h"
#include "engine/status.h"

/* The kernel's part, out of line. */
int user_events_emit_kernel(const struct cairn_tracepoint *tp, uint32_t least_bytes,
                            engine_fill *fill, const void *arg);

/* True if a backend wants the event. */
static inline bool user_events_is_wanted(const struct cairn_tracepoint *tracepoint)
{
    struct engine_status_view listening = engine_status_of(tracepoint);

    return listening.local || listening.kernel;
}

/* Writes an event to every backend that is enabled; engine/emit.h describes how. Returns 0; EBADF
 * no backend is enabled; otherwise the first failure of a backend: E2BIG, ENOSPC, ENOMEM, or the
 * kernel's error. */
static inline __attribute__((always_inline)) int
user_events_emit_by(const struct cairn_tracepoint *tracepoint, const struct engine_writing *writing,
                    const void *arg)
{
    struct engine_status_view listening = engine_status_of(tracepoint);
    int error = EBADF;

    if (listening.local)
        error = engine_emit(tracepoint, writing, arg);
    if (listening.kernel) {
        int kernel_error =
            user_events_emit_kernel(tracepoint, writing->least_bytes, writing->fill, arg);

        /* EBADF of one backend is no failure if the other accepted the event: a consumer may detach
         * at any time. */
        if (error == EBADF || (!error && kernel_error != EBADF))
            error = kernel_error;
    }
    return error;
}

/* The same for a payload without a constant part. */
static inline __attribute__((always_inline)) int
user_events_emit(const struct cairn_tracepoint *tracepoint, uint32_t least_bytes, engine_fill *fill,
                 const void *arg)
{
    const struct engine_writing writing = {
        .fill = fill, .least_bytes = least_bytes, .caller = __builtin_return_address(0)};

    return user_events_emit_by(tracepoint, &writing, arg);
}

/* True if an event goes to the local engine alone, of a tracepoint that the caller has found
 * enabled. */
static inline bool user_events_is_local(const struct cairn_tracepoint *tracepoint)
{
    uintptr_t byte = (uintptr_t)core_load_relaxed(&tracepoint->enabled);

    /* In the first quarter of the status mapping the caller has seen that the engine is enabled;
     * elsewhere it may not be. The pointer of an unregistered tracepoint may look like either. */
    return !(byte & (ENGINE_STATUS_PART_BYTES | ENGINE_STATUS_OWN_BYTES));
}

/* The fast path: EAGAIN, without any effect, if the event needs the full path. There are
 * `room_bytes` for the payload. The caller has found the tracepoint enabled. */
static inline __attribute__((always_inline)) int
user_events_emit_hot(const struct cairn_tracepoint *tracepoint, uint32_t room_bytes,
                     engine_fill *fill, const void *arg)
{
    if (cairn_unlikely(!user_events_is_local(tracepoint)))
        return EAGAIN;
    return engine_emit_hot(tracepoint, room_bytes, fill, arg);
}

#endif
