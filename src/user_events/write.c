/* SPDX-License-Identifier: MIT */
/* Writing an event that is given in pieces. */
#include "user_events/emit.h"
#include "user_events/kernel.h"
#include "user_events/kernel_abi.h"

#include <cairn/user_events.h>
#include <string.h>

#define PARTS_MAX 64

struct parts {
    const struct iovec *parts;
    int count;
};

static inline void fill_from_parts(void *to, const void *arg)
{
    const struct parts *from = arg;
    uint8_t *at = to;

    for (int i = 0; i < from->count; i++) {
        memcpy(at, from->parts[i].iov_base, from->parts[i].iov_len);
        at += from->parts[i].iov_len;
    }
}

/* Total bytes, or UINT32_MAX when they are beyond any limit. */
static uint32_t sum_parts(const struct iovec *parts, int count)
{
    size_t sum = 0;

    for (int i = 0; i < count; i++) {
        if (parts[i].iov_len > CAIRN_PAYLOAD_MAX_BYTES - sum)
            return UINT32_MAX;
        sum += parts[i].iov_len;
    }
    return (uint32_t)sum;
}

int cairn_user_event_write(struct cairn_tracepoint *tp, const struct iovec *parts, int count)
{
    struct parts from = {parts, count};
    uint32_t payload_bytes;

    if (!cairn_tracepoint_enabled(tp))
        return EBADF;
    if (count < 0 || count > PARTS_MAX)
        return EINVAL;
    payload_bytes = sum_parts(parts, count);
    if (payload_bytes == UINT32_MAX)
        return E2BIG;
    if (payload_bytes < __atomic_load_n(&tp->fixed_bytes, __ATOMIC_RELAXED))
        return EINVAL;
    return cairn_user_event_emit(tp, payload_bytes, fill_from_parts, &from);
}

/*
 * The kernel copies at the call: a buffer on the stack will do, no larger than it must be, since
 * the stack may be a signal handler's. With slack for what fill writes too many of.
 */
int cairn_user_event_emit_kernel(const struct cairn_tracepoint *tp, uint32_t payload_bytes,
                                 void (*fill)(void *to, const void *arg), const void *arg)
{
    struct iovec part = {.iov_len = payload_bytes};

    if (payload_bytes > CAIRN_KERNEL_PAYLOAD_MAX_BYTES)
        return E2BIG;
    part.iov_base = __builtin_alloca(payload_bytes + 64);
    fill(part.iov_base, arg);
    return cairn_kernel_write(tp, &part, 1);
}
