/* SPDX-License-Identifier: MIT */
/* Writes an event that a program has written to user_events_data into the ring buffer. */
#include "accelerator/write.h"
#include "accelerator/descriptors.h"
#include "accelerator/own_memory.h"
#include "tracefs/data.h"
#include "tracefs/program.h"

/* The event is copied to the program's stack, which may be a small stack of signal handlers. */
#define EVENT_MAX_BYTES 512
#define PARTS_MAX       16

/* False: an overflow of a size_t, too. The list was read already. */
static bool has_size(const struct iovec *parts, int count, size_t size_bytes)
{
    size_t left = size_bytes;

    for (int i = 0; i < count; i++) {
        if (parts[i].iov_len > left)
            return false;
        left -= parts[i].iov_len;
    }
    return left == 0;
}

static bool write_event(struct tracefs_data *data, const uint8_t *bytes, size_t size_bytes,
                        ssize_t *ret_size)
{
    const struct tracefs_reference *reference;
    uint32_t index;

    if (tracefs_data_index(bytes, size_bytes, &index))
        return false;
    reference = tracefs_data_reference(data, index);
    if (!reference || tracefs_data_write_event(reference, bytes, size_bytes, size_bytes))
        return false;
    *ret_size = (ssize_t)size_bytes;
    return true;
}

bool accelerator_write(int fd, const void *from, size_t size_bytes, ssize_t *ret_size)
{
    const struct iovec part = {(void *)(uintptr_t)from, size_bytes};
    struct tracefs_data *data = accelerator_data_of(fd);
    uint8_t bytes[EVENT_MAX_BYTES];
    size_t size = size_bytes;

    if (!data || size_bytes > sizeof(bytes) ||
        (!accelerator_own_memory_copy(bytes, from, size_bytes) &&
         tracefs_memory_gather(bytes, sizeof(bytes), &part, 1, &size)))
        return false;
    return size == size_bytes && write_event(data, bytes, size, ret_size);
}

bool accelerator_writev(int fd, const struct iovec *parts, int count, ssize_t *ret_size)
{
    struct tracefs_data *data = accelerator_data_of(fd);
    uint8_t bytes[EVENT_MAX_BYTES];
    size_t size = 0;

    if (!data || count < 1 || count > PARTS_MAX ||
        (!accelerator_own_memory_copy_parts(bytes, sizeof(bytes), parts, count, &size) &&
         tracefs_memory_gather(bytes, sizeof(bytes), parts, count, &size)))
        return false;
    return has_size(parts, count, size) && write_event(data, bytes, size, ret_size);
}
