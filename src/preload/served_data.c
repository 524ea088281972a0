/* SPDX-License-Identifier: MIT */
/* user_events_data as this process has it open: its ioctl, write and writev. */
#include "preload/served_data.h"
#include "tracefs/data.h"
#include "preload/data_lines.h"
#include "preload/event_memory.h"
#include "preload/next.h"

#include <errno.h>
#include <limits.h>
#include <string.h>

#define SMALL_MAX_BYTES 256 /* most events: they are copied once, and fit any stack */

struct tracefs_program preload_own_program;

int preload_served_ioctl(struct preload_served *file, int fd, unsigned long request,
                         uint64_t argument)
{
    const struct tracefs_data_caller caller = {&preload_own_program, file->data, fd};
    int error = tracefs_data_ioctl(&caller, request, argument);

    if (error == ENOTTY) /* what all files have, or ENOTTY */
        return PRELOAD_NEXT(ioctl)(fd, request, argument);
    if (error)
        errno = error;
    return error ? -1 : 0;
}

/* The kernel has found that the parts are not more than there can be, nor too large. */
static size_t size_of(const struct iovec *parts, int count)
{
    size_t size = 0;

    for (int i = 0; i < count; i++)
        size += parts[i].iov_len;
    return size;
}

static int write_event(struct preload_served *file, int fd, const uint8_t *bytes, size_t gathered,
                       size_t size_bytes)
{
    uint32_t index;
    int error = tracefs_data_index(bytes, gathered, &index);

    return error ? error
                 : tracefs_data_write_event(preload_data_lines_use(file->data, fd, index), bytes,
                                            gathered, size_bytes);
}

static int write_gathered(struct preload_served *file, int fd, uint8_t *bytes,
                          const struct iovec *parts, int count, size_t size_bytes)
{
    size_t space = size_bytes < TRACEFS_DATA_MAX_BYTES ? size_bytes : TRACEFS_DATA_MAX_BYTES;
    size_t gathered = 0;

    (void)tracefs_memory_gather(&preload_own_program, bytes, space, parts, count, &gathered);
    return write_event(file, fd, bytes, gathered, size_bytes);
}

/* Only if more threads write large events at this moment than there are places. */
static __attribute__((noinline)) int write_from_stack(struct preload_served *file, int fd,
                                                      const struct iovec *parts, int count,
                                                      size_t size_bytes)
{
    size_t space = size_bytes < TRACEFS_DATA_MAX_BYTES ? size_bytes : TRACEFS_DATA_MAX_BYTES;

    return write_gathered(file, fd, __builtin_alloca(space + 64), parts, count, size_bytes);
}

static __attribute__((noinline)) int write_large(struct preload_served *file, int fd,
                                                 const struct iovec *parts, int count,
                                                 size_t size_bytes)
{
    uint8_t *bytes = preload_event_memory_take();
    int error;

    if (!bytes)
        return write_from_stack(file, fd, parts, count, size_bytes);
    error = write_gathered(file, fd, bytes, parts, count, size_bytes);
    preload_event_memory_give(bytes);
    return error;
}

/* Returns 0 or an errno code; a large event is not written yet. The list of parts is not looked at
 * before the kernel has copied by it: then it is there. Not inlined: what comes after it needs the
 * stack that `bytes` had. */
static __attribute__((noinline)) int write_small(struct preload_served *file, int fd,
                                                 const struct iovec *parts, int count,
                                                 size_t *ret_size)
{
    uint8_t bytes[SMALL_MAX_BYTES + 64];
    size_t gathered = 0;
    int error = tracefs_memory_gather(&preload_own_program, bytes, SMALL_MAX_BYTES, parts, count,
                                      &gathered);

    if (error)
        return error;
    *ret_size = size_of(parts, count);
    return *ret_size && *ret_size <= SMALL_MAX_BYTES
               ? write_event(file, fd, bytes, gathered, *ret_size)
               : 0;
}

static int write_parts(struct preload_served *file, int fd, const struct iovec *parts, int count,
                       size_t *ret_size)
{
    int error = write_small(file, fd, parts, count, ret_size);

    return error || *ret_size <= SMALL_MAX_BYTES ? error
                                                 : write_large(file, fd, parts, count, *ret_size);
}

/* The result of a system call. */
static ssize_t result_of(int error, size_t size_bytes)
{
    if (error)
        errno = error;
    return error ? -1 : (ssize_t)size_bytes;
}

ssize_t preload_served_write(struct preload_served *file, int fd, const void *from,
                             size_t size_bytes)
{
    const struct iovec part = {(void *)(uintptr_t)from, size_bytes};
    int error = preload_served_is_writable(file) ? 0 : EBADF;

    if (!error && (size_bytes < sizeof(int32_t) || size_bytes > SSIZE_MAX))
        error = EFAULT;
    if (!error)
        error = write_parts(file, fd, &part, 1, &size_bytes);
    return result_of(error, size_bytes);
}

ssize_t preload_served_writev(struct preload_served *file, int fd, const struct iovec *parts,
                              int count)
{
    size_t size_bytes = 0;
    int error = preload_served_is_writable(file) ? 0 : EBADF;

    if (!error)
        error = write_parts(file, fd, parts, count, &size_bytes);
    return result_of(error, size_bytes);
}
