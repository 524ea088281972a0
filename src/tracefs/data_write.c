/* SPDX-License-Identifier: MIT */
/* Events from the bytes that a program has written. */
#include "tracefs/data.h"
#include "engine/dynamic_fields.h"
#include "engine/emit.h"

#include <errno.h>
#include <string.h>

/* The space was reserved for this size. */
static inline uint8_t *copy_payload(uint8_t *to, uint8_t *limit, const void *arg)
{
    const struct iovec *payload = arg;

    (void)limit;
    memcpy(to, payload->iov_base, payload->iov_len);
    return to + payload->iov_len;
}

static int emit(const struct tracefs_reference *reference, const uint8_t *bytes,
                uint32_t size_bytes)
{
    const struct iovec payload = {(void *)(uintptr_t)bytes, size_bytes};
    const struct engine_writing writing = {.fill = copy_payload, .least_bytes = size_bytes};
    int error = engine_dynamic_fields_check(&reference->tracepoint, &payload, 1, size_bytes);

    if (error)
        return error;
    if (!engine_thread_self)
        engine_thread_name_self();
    error = engine_emit(&reference->tracepoint, &writing, &payload);
    return error == ENOSPC || error == ENOMEM ? 0 : error;
}

int tracefs_data_index(const uint8_t *bytes, size_t size_bytes, uint32_t *ret_index)
{
    int32_t index;

    if (size_bytes < sizeof(index))
        return EFAULT;
    memcpy(&index, bytes, sizeof(index));
    if (index < 0)
        return EINVAL;
    *ret_index = (uint32_t)index;
    return 0;
}

/* The checks are in the kernel's order. */
int tracefs_data_write_event(const struct tracefs_reference *reference, const uint8_t *bytes,
                             size_t gathered, size_t size_bytes)
{
    const size_t head = sizeof(int32_t);

    if (!reference)
        return ENOENT;
    if (size_bytes - head < reference->fixed_bytes)
        return EINVAL;
    if (!cairn_tracepoint_is_enabled(&reference->tracepoint))
        return EBADF;
    if (gathered < (size_bytes < TRACEFS_DATA_MAX_BYTES ? size_bytes : TRACEFS_DATA_MAX_BYTES))
        return EFAULT;
    if (size_bytes > TRACEFS_DATA_MAX_BYTES)
        return E2BIG;
    return emit(reference, bytes + head, (uint32_t)(size_bytes - head));
}
