/* SPDX-License-Identifier: MIT */
/* Writes an event whose payload the caller passes in parts. */
#include "core/atomic.h"
#include "engine/dynamic_fields.h"
#include "user_events/emit.h"
#include "user_events/kernel.h"
#include "user_events/kernel_limit.h"

#include <cairn/user_events.h>
#include <errno.h>
#include <string.h>

#define PARTS_MAX 64

/* Space for what a payload to the kernel may need above its least size. */
#define SMALL_ROOM_BYTES 256u

struct write_parts {
    const struct iovec *parts;
    int count;
};

/* The caller has requested enough space for the sum of the parts. */
static inline uint8_t *fill_from_parts(uint8_t *to, uint8_t *limit, const void *arg)
{
    const struct write_parts *from = arg;

    (void)limit;
    for (int i = 0; i < from->count; i++) {
        memcpy(to, from->parts[i].iov_base, from->parts[i].iov_len);
        to += from->parts[i].iov_len;
    }
    return to;
}

/* Total size, or UINT32_MAX if it is over the limit. */
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

int cairn_tracepoint_write(struct cairn_tracepoint *tp, const struct iovec *parts, int count)
{
    struct write_parts from = {parts, count};
    uint32_t payload_bytes;
    int error;

    if (cairn_unlikely(!core_load_relaxed(&tp->enabled)))
        return EINVAL; /* the initializer was forgotten */
    if (!cairn_tracepoint_is_enabled(tp))
        return EBADF;
    if (count < 0 || count > PARTS_MAX)
        return EINVAL;
    payload_bytes = sum_parts(parts, count);
    if (payload_bytes == UINT32_MAX)
        return E2BIG;
    if (payload_bytes < core_load_relaxed(&tp->fixed_bytes))
        return EINVAL;
    if (cairn_unlikely(core_load_relaxed(&tp->dynamic_count)) &&
        engine_dynamic_fields_check(tp, parts, count, payload_bytes))
        return EFAULT;
    error = user_events_emit_hot(tp, payload_bytes, fill_from_parts, &from);
    if (error == EAGAIN)
        error = user_events_emit(tp, payload_bytes, fill_from_parts, &from);
    return error;
}

int cairn_tracepoint_write_bytes(struct cairn_tracepoint *tp, const void *payload,
                                 size_t size_bytes)
{
    const struct iovec part = {(void *)(uintptr_t)payload, size_bytes};

    return cairn_tracepoint_write(tp, &part, 1);
}

/* The kernel copies during the call, so a buffer on the stack is enough. The stack may be that of a
 * signal handler: most events are small, and a larger buffer is used only for larger events. */
static __attribute__((noinline)) int emit_kernel_from(const struct cairn_tracepoint *tp,
                                                      uint32_t room_bytes, engine_fill *fill,
                                                      const void *arg)
{
    uint8_t *record =
        __builtin_alloca(USER_EVENTS_KERNEL_HEAD_BYTES + room_bytes + CAIRN_POOL_SLACK_BYTES);
    uint8_t *start = record + USER_EVENTS_KERNEL_HEAD_BYTES;
    const uint8_t *end = fill(start, start + room_bytes, arg);

    return end ? user_events_kernel_write(tp, record, (size_t)(end - start)) : E2BIG;
}

int user_events_emit_kernel(const struct cairn_tracepoint *tp, uint32_t least_bytes,
                            engine_fill *fill, const void *arg)
{
    uint32_t room_bytes = least_bytes + SMALL_ROOM_BYTES;
    uint32_t max_bytes = user_events_kernel_payload_max_bytes();
    int error;

    if (room_bytes < max_bytes) {
        error = emit_kernel_from(tp, room_bytes, fill, arg);
        if (error != E2BIG)
            return error;
    }
    return least_bytes > max_bytes ? E2BIG : emit_kernel_from(tp, max_bytes, fill, arg);
}
