/* SPDX-License-Identifier: MIT */
/* Writing to what is served. */
#undef _FILE_OFFSET_BITS
#include "tracefs/control.h"
#include "preload/hook.h"
#include "preload/served_data.h"

#include <errno.h>
#include <limits.h>
#include <sys/sendfile.h>
#include <unistd.h>

/* The errors that come before the bytes are read. */
static int check_writable(const struct preload_served *file)
{
    if (!preload_served_is_writable(file))
        return EBADF;
    return tracefs_control_takes_writes(&file->place) ? 0 : EINVAL;
}

static ssize_t write_control(struct preload_served *file, const struct iovec *parts, int count)
{
    engine_lock_state lock_state;
    size_t size = 0;
    int error;

    engine_lock(&lock_state);
    error = tracefs_control_write(&file->place, &preload_own_program, parts, count, &size);
    engine_unlock(&lock_state);
    return preload_hook_fails(error) ? -1 : (ssize_t)size;
}

ssize_t preload_hook_write(struct preload_served *file, int fd, const void *from, size_t size_bytes)
{
    struct iovec part = {(void *)(uintptr_t)from, size_bytes};
    int error;

    if (file->place.kind == TRACEFS_PLACE_DATA)
        return preload_served_write(file, fd, from, size_bytes);
    error = check_writable(file);
    if (!error && size_bytes > SSIZE_MAX)
        error = EFAULT;
    return preload_hook_fails(error) ? -1 : write_control(file, &part, 1);
}

/* Finds out if all parts are empty. The kernel checks the list first, and returns the error. */
static int find_empty(const struct iovec *parts, int count, bool *ret_empty)
{
    uint8_t byte;
    size_t size = 0;
    int error =
        tracefs_memory_gather(&preload_own_program, &byte, sizeof(byte), parts, count, &size);

    for (int i = 0; i < count && !error && !size; i++)
        size = parts[i].iov_len;
    *ret_empty = size == 0;
    return error;
}

/* A write of no bytes does not reach the file. */
static ssize_t write_parts(struct preload_served *file, int fd, const struct iovec *parts,
                           int count)
{
    bool is_empty = false;
    int error;

    if (file->place.kind == TRACEFS_PLACE_DATA)
        return preload_served_writev(file, fd, parts, count);
    error = check_writable(file);
    if (!error)
        error = find_empty(parts, count, &is_empty);
    if (preload_hook_fails(error))
        return -1;
    return is_empty ? 0 : write_control(file, parts, count);
}

static PRELOAD_HOOK_REST ssize_t write_rest(int fd, const void *from, size_t size_bytes)
{
    struct preload_served *file = preload_hook_served(fd);

    return file ? preload_hook_write(file, fd, from, size_bytes)
                : PRELOAD_NEXT(write)(fd, from, size_bytes);
}

PRELOAD_HOOK ssize_t write(int fd, const void *from, size_t size_bytes)
{
    PRELOAD_HOOK_PASS(fd, write, fd, from, size_bytes);
    return write_rest(fd, from, size_bytes);
}

/* The kernel takes an event at no place but the file's beginning. */
static PRELOAD_HOOK_REST ssize_t pwrite_rest(int fd, const void *from, size_t size_bytes,
                                             off_t offset)
{
    struct preload_served *file = preload_hook_served(fd);

    if (!file)
        return PRELOAD_NEXT(pwrite)(fd, from, size_bytes, offset);
    if (preload_hook_fails(offset < 0                                         ? EINVAL
                           : file->place.kind == TRACEFS_PLACE_DATA && offset ? EFAULT
                                                                              : 0))
        return -1;
    return preload_hook_write(file, fd, from, size_bytes);
}

PRELOAD_HOOK ssize_t pwrite(int fd, const void *from, size_t size_bytes, off_t offset)
{
    PRELOAD_HOOK_PASS(fd, pwrite, fd, from, size_bytes, offset);
    return pwrite_rest(fd, from, size_bytes, offset);
}

PRELOAD_HOOK_ALIAS("pwrite")
ssize_t pwrite64(int fd, const void *from, size_t size_bytes, off_t offset);

static PRELOAD_HOOK_REST ssize_t writev_rest(int fd, const struct iovec *parts, int count)
{
    struct preload_served *file = preload_hook_served(fd);

    return file ? write_parts(file, fd, parts, count) : PRELOAD_NEXT(writev)(fd, parts, count);
}

PRELOAD_HOOK ssize_t writev(int fd, const struct iovec *parts, int count)
{
    PRELOAD_HOOK_PASS(fd, writev, fd, parts, count);
    return writev_rest(fd, parts, count);
}

static PRELOAD_HOOK_REST ssize_t pwritev_rest(int fd, const struct iovec *parts, int count,
                                              off_t offset)
{
    struct preload_served *file = preload_hook_served(fd);

    if (!file)
        return PRELOAD_NEXT(pwritev)(fd, parts, count, offset);
    return preload_hook_fails(offset < 0 ? EINVAL : 0) ? -1 : write_parts(file, fd, parts, count);
}

PRELOAD_HOOK ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
    PRELOAD_HOOK_PASS(fd, pwritev, fd, parts, count, offset);
    return pwritev_rest(fd, parts, count, offset);
}

static PRELOAD_HOOK_REST ssize_t pwritev2_rest(int fd, const struct iovec *parts, int count,
                                               off_t offset, int flags)
{
    struct preload_served *file = preload_hook_served(fd);

    if (!file)
        return PRELOAD_NEXT(pwritev2)(fd, parts, count, offset, flags);
    return preload_hook_fails(offset < -1 ? EINVAL : 0) ? -1 : write_parts(file, fd, parts, count);
}

PRELOAD_HOOK ssize_t pwritev2(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{
    PRELOAD_HOOK_PASS(fd, pwritev2, fd, parts, count, offset, flags);
    return pwritev2_rest(fd, parts, count, offset, flags);
}

PRELOAD_HOOK_ALIAS("pwritev")
ssize_t pwritev64(int fd, const struct iovec *parts, int count, off_t offset);
PRELOAD_HOOK_ALIAS("pwritev2")
ssize_t pwritev64v2(int fd, const struct iovec *parts, int count, off_t offset, int flags);

/* ---- copying ---- */

/* Copying in the kernel is refused: programs then fall back to write, as for a tracefs. */
static bool takes_no_copy(int fd)
{
    return preload_hook_served(fd) && preload_hook_fails(EINVAL);
}

PRELOAD_HOOK ssize_t sendfile(int to, int from, off_t *offset, size_t size_bytes)
{
    return takes_no_copy(to) ? -1 : PRELOAD_NEXT(sendfile)(to, from, offset, size_bytes);
}

PRELOAD_HOOK_ALIAS("sendfile")
ssize_t sendfile64(int to, int from, off_t *offset, size_t size_bytes);

PRELOAD_HOOK ssize_t copy_file_range(int from, off_t *from_offset, int to, off_t *to_offset,
                                     size_t size_bytes, unsigned int flags)
{
    return takes_no_copy(to)
               ? -1
               : PRELOAD_NEXT(copy_file_range)(from, from_offset, to, to_offset, size_bytes, flags);
}

PRELOAD_HOOK ssize_t splice(int from, off_t *from_offset, int to, off_t *to_offset,
                            size_t size_bytes, unsigned int flags)
{
    return takes_no_copy(to)
               ? -1
               : PRELOAD_NEXT(splice)(from, from_offset, to, to_offset, size_bytes, flags);
}
