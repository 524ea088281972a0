/* SPDX-License-Identifier: MIT */
/* One event to both backends. */
#ifndef USER_EVENTS_EMIT_H
#define USER_EVENTS_EMIT_H

#include "local/emit.h"
#include "local/status.h"

/* The kernel's half, out of the way. */
int cairn_user_event_emit_kernel(const struct cairn_tracepoint *tp, uint32_t payload_bytes,
                                 void (*fill)(void *to, const void *arg), const void *arg);

/*
 * Writes an event of payload_bytes bytes to everybody who listens. `fill` puts the payload into
 * place; it is called once for each listener and may write up to 32 bytes too many.
 * Returns 0; EBADF nobody listens; otherwise the first failure of a backend: E2BIG, ENOSPC, ENOMEM,
 * or what the kernel said.
 */
static inline __attribute__((always_inline)) int
cairn_user_event_emit(const struct cairn_tracepoint *tracepoint, uint32_t payload_bytes,
                      void (*fill)(void *to, const void *arg), const void *arg)
{
    struct cairn_status_view listening = cairn_status_of(tracepoint);
    int error = EBADF;

    if (cairn_likely(listening.local))
        error = cairn_local_emit(tracepoint, payload_bytes, fill, arg);
    if (cairn_unlikely(listening.kernel)) {
        int kernel_error = cairn_user_event_emit_kernel(tracepoint, payload_bytes, fill, arg);

        /* EBADF of one is no failure if the other took it: a listener may go at any moment. */
        if (error == EBADF || (!error && kernel_error != EBADF))
            error = kernel_error;
    }
    return error;
}

#endif
