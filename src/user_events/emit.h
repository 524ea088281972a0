/* SPDX-License-Identifier: MIT */
/* One event to both backends. */
#ifndef USER_EVENTS_EMIT_H
#define USER_EVENTS_EMIT_H

#include "engine/emit.h"
#include "engine/status.h"

/* The kernel's half, out of the way. */
int cairn_user_event_emit_kernel(const struct cairn_tracepoint *tp, uint32_t least_bytes,
                                 cairn_fill *fill, const void *arg);

/*
 * Writes an event to everybody who listens; `fill` and `least_bytes` are as engine/emit.h has them.
 * Returns 0; EBADF nobody listens; otherwise the first failure of a backend: E2BIG, ENOSPC, ENOMEM,
 * or what the kernel said.
 */
static inline __attribute__((always_inline)) int
cairn_user_event_emit(const struct cairn_tracepoint *tracepoint, uint32_t least_bytes,
                      cairn_fill *fill, const void *arg)
{
    struct cairn_status_view listening = cairn_status_of(tracepoint);
    int error = EBADF;

    if (listening.local)
        error = cairn_engine_emit(tracepoint, least_bytes, fill, arg);
    if (listening.kernel) {
        int kernel_error = cairn_user_event_emit_kernel(tracepoint, least_bytes, fill, arg);

        /* EBADF of one is no failure if the other took it: a listener may go at any moment. */
        if (error == EBADF || (!error && kernel_error != EBADF))
            error = kernel_error;
    }
    return error;
}

/* The same where it can be done at once, and there is room for `room_bytes`: EAGAIN, and nothing
 * has happened, where it cannot. The caller has found the tracepoint enabled. */
static inline __attribute__((always_inline)) int
cairn_user_event_emit_hot(const struct cairn_tracepoint *tracepoint, uint32_t room_bytes,
                          cairn_fill *fill, const void *arg)
{
    uintptr_t byte = (uintptr_t)__atomic_load_n(&tracepoint->enabled, __ATOMIC_RELAXED);

    /* In the first quarter the caller has seen that the engine is listening; elsewhere it may not
     * be. The pointer of one that is not registered may look like either. */
    if (cairn_unlikely(byte & (CAIRN_STATUS_PART_BYTES | CAIRN_STATUS_OWN_BYTES)))
        return EAGAIN;
    return cairn_engine_emit_hot(tracepoint, room_bytes, fill, arg);
}

#endif
