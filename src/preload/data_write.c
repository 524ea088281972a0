/* SPDX-License-Identifier: MIT */
/* Writing events by write and writev: from the program's memory to the pool. */
#include "preload/data.h"
#include "engine/dynamic_fields.h"
#include "engine/emit.h"
#include "preload/data_uses.h"
#include "preload/memory.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define WRITE_MAX_BYTES (sizeof(int32_t) + CAIRN_PAYLOAD_MAX_BYTES)
#define SMALL_MAX_BYTES 1024 /* most events: they are copied once */

struct payload {
    const uint8_t *bytes;
    uint32_t size_bytes;
};

/* There is room: the size was asked for. */
static inline uint8_t *copy_payload(uint8_t *to, uint8_t *limit, const void *arg)
{
    const struct payload *payload = arg;

    (void)limit;
    memcpy(to, payload->bytes, payload->size_bytes);
    return to + payload->size_bytes;
}

/* The kernel has found that the parts are not more than there can be, nor too large. */
static size_t size_of(const struct iovec *parts, int count)
{
    size_t size = 0;

    for (int i = 0; i < count; i++)
        size += parts[i].iov_len;
    return size;
}

/* What is lost for lack of room is counted, and the program is not told: nor does the kernel. */
static int emit(const struct cairn_use *use, const uint8_t *bytes, uint32_t size_bytes)
{
    const struct iovec part = {(void *)(uintptr_t)bytes, size_bytes};
    struct payload payload = {bytes, size_bytes};
    int error = cairn_dynamic_fields_check(&use->tracepoint, &part, 1, size_bytes);

    if (error)
        return error;
    if (!cairn_i_thread)
        cairn_thread_name_self();
    error = cairn_local_emit(&use->tracepoint, size_bytes, copy_payload, &payload);
    return error == ENOSPC || error == ENOMEM ? 0 : error;
}

/* `bytes` are the first of the program's, as many as were there up to the most that is taken; the
 * checks in the kernel's order. */
static int write_event(struct cairn_served *file, int fd, const uint8_t *bytes, size_t gathered,
                       size_t size_bytes)
{
    const struct cairn_use *use;
    int32_t index;

    if (gathered < sizeof(index))
        return EFAULT;
    memcpy(&index, bytes, sizeof(index));
    if (index < 0)
        return EINVAL;
    use = cairn_data_use(file->data, fd, (uint32_t)index);
    if (!use)
        return ENOENT;
    if (size_bytes - sizeof(index) < use->fixed_bytes)
        return EINVAL;
    if (!cairn_tracepoint_is_enabled(&use->tracepoint))
        return EBADF;
    if (gathered < (size_bytes < WRITE_MAX_BYTES ? size_bytes : WRITE_MAX_BYTES))
        return EFAULT;
    if (size_bytes > WRITE_MAX_BYTES)
        return E2BIG;
    return emit(use, bytes + sizeof(index), (uint32_t)(size_bytes - sizeof(index)));
}

static __attribute__((noinline)) int write_large(struct cairn_served *file, int fd,
                                                 const struct iovec *parts, int count,
                                                 size_t size_bytes)
{
    size_t room = size_bytes < WRITE_MAX_BYTES ? size_bytes : WRITE_MAX_BYTES;
    uint8_t *bytes = __builtin_alloca(room + 64);
    size_t gathered = 0;

    (void)cairn_memory_gather(bytes, room, parts, count, &gathered);
    return write_event(file, fd, bytes, gathered, size_bytes);
}

/* Returns 0 or an errno code. The list of parts is not looked at before the kernel has copied by
 * it: then it is there. */
static int write_parts(struct cairn_served *file, int fd, const struct iovec *parts, int count,
                       size_t *ret_size)
{
    uint8_t bytes[SMALL_MAX_BYTES + 64];
    size_t gathered = 0;
    size_t size;
    int error = cairn_memory_gather(bytes, SMALL_MAX_BYTES, parts, count, &gathered);

    if (error)
        return error;
    size = size_of(parts, count);
    *ret_size = size;
    if (size > SMALL_MAX_BYTES)
        return write_large(file, fd, parts, count, size);
    return size ? write_event(file, fd, bytes, gathered, size) : 0;
}

/* As a system call tells it. */
static ssize_t tell(int error, size_t size_bytes)
{
    if (error)
        errno = error;
    return error ? -1 : (ssize_t)size_bytes;
}

ssize_t cairn_data_write(struct cairn_served *file, int fd, const void *from, size_t size_bytes)
{
    const struct iovec part = {(void *)(uintptr_t)from, size_bytes};
    int error = cairn_served_is_writable(file) ? 0 : EBADF;

    if (!error && (size_bytes < sizeof(int32_t) || size_bytes > SSIZE_MAX))
        error = EFAULT;
    if (!error)
        error = write_parts(file, fd, &part, 1, &size_bytes);
    return tell(error, size_bytes);
}

ssize_t cairn_data_writev(struct cairn_served *file, int fd, const struct iovec *parts, int count)
{
    size_t size_bytes = 0;
    int error = cairn_served_is_writable(file) ? 0 : EBADF;

    if (!error)
        error = write_parts(file, fd, parts, count, &size_bytes);
    return tell(error, size_bytes);
}
