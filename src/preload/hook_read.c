/* SPDX-License-Identifier: MIT */
/* Reading of what is served. */
#undef _FILE_OFFSET_BITS
#include "preload/hook.h"

#include <errno.h>
#include <unistd.h>

/* A read from the beginning gets the content of that time. Returns 0 or an errno code. */
static int renew(struct preload_served *file, int fd, off_t offset)
{
    engine_lock_state lock_state;
    int error = 0;

    if (!preload_served_is_readable(file))
        return EBADF;
    if (file->place.kind == TRACEFS_PLACE_DATA)
        return EINVAL;
    if (file->place.kind == TRACEFS_PLACE_PIPE || offset != 0)
        return 0;
    engine_lock(&lock_state);
    error = preload_served_renew(&file->place, fd);
    engine_unlock(&lock_state);
    return error;
}

static int before_read(struct preload_served *file, int fd)
{
    return renew(file, fd,
                 file->place.kind == TRACEFS_PLACE_PIPE ? 0 : PRELOAD_NEXT(lseek)(fd, 0, SEEK_CUR));
}

ssize_t preload_hook_read(struct preload_served *file, int fd, void *to, size_t size_bytes)
{
    return preload_hook_fails(before_read(file, fd)) ? -1 : PRELOAD_NEXT(read)(fd, to, size_bytes);
}

static PRELOAD_HOOK_REST ssize_t read_rest(int fd, void *to, size_t size_bytes)
{
    struct preload_served *file = preload_hook_served(fd);

    return file ? preload_hook_read(file, fd, to, size_bytes)
                : PRELOAD_NEXT(read)(fd, to, size_bytes);
}

PRELOAD_HOOK ssize_t read(int fd, void *to, size_t size_bytes)
{
    PRELOAD_HOOK_PASS(fd, read, fd, to, size_bytes);
    return read_rest(fd, to, size_bytes);
}

static PRELOAD_HOOK_REST ssize_t pread_rest(int fd, void *to, size_t size_bytes, off_t offset)
{
    struct preload_served *file = preload_hook_served(fd);

    if (file && preload_hook_fails(renew(file, fd, offset)))
        return -1;
    return PRELOAD_NEXT(pread)(fd, to, size_bytes, offset);
}

PRELOAD_HOOK ssize_t pread(int fd, void *to, size_t size_bytes, off_t offset)
{
    PRELOAD_HOOK_PASS(fd, pread, fd, to, size_bytes, offset);
    return pread_rest(fd, to, size_bytes, offset);
}

PRELOAD_HOOK_ALIAS("pread") ssize_t pread64(int fd, void *to, size_t size_bytes, off_t offset);

static PRELOAD_HOOK_REST ssize_t readv_rest(int fd, const struct iovec *parts, int count)
{
    struct preload_served *file = preload_hook_served(fd);

    if (file && preload_hook_fails(before_read(file, fd)))
        return -1;
    return PRELOAD_NEXT(readv)(fd, parts, count);
}

PRELOAD_HOOK ssize_t readv(int fd, const struct iovec *parts, int count)
{
    PRELOAD_HOOK_PASS(fd, readv, fd, parts, count);
    return readv_rest(fd, parts, count);
}

static PRELOAD_HOOK_REST ssize_t preadv_rest(int fd, const struct iovec *parts, int count,
                                             off_t offset)
{
    struct preload_served *file = preload_hook_served(fd);

    if (file && preload_hook_fails(renew(file, fd, offset)))
        return -1;
    return PRELOAD_NEXT(preadv)(fd, parts, count, offset);
}

PRELOAD_HOOK ssize_t preadv(int fd, const struct iovec *parts, int count, off_t offset)
{
    PRELOAD_HOOK_PASS(fd, preadv, fd, parts, count, offset);
    return preadv_rest(fd, parts, count, offset);
}

PRELOAD_HOOK_ALIAS("preadv")
ssize_t preadv64(int fd, const struct iovec *parts, int count, off_t offset);

static PRELOAD_HOOK_REST ssize_t preadv2_rest(int fd, const struct iovec *parts, int count,
                                              off_t offset, int flags)
{
    struct preload_served *file = preload_hook_served(fd);

    if (file && preload_hook_fails(offset == -1 ? before_read(file, fd) : renew(file, fd, offset)))
        return -1;
    return PRELOAD_NEXT(preadv2)(fd, parts, count, offset, flags);
}

PRELOAD_HOOK ssize_t preadv2(int fd, const struct iovec *parts, int count, off_t offset, int flags)
{
    PRELOAD_HOOK_PASS(fd, preadv2, fd, parts, count, offset, flags);
    return preadv2_rest(fd, parts, count, offset, flags);
}

PRELOAD_HOOK_ALIAS("preadv2")
ssize_t preadv64v2(int fd, const struct iovec *parts, int count, off_t offset, int flags);

/* The names of these calls with _FORTIFY_SOURCE. */
PRELOAD_HOOK ssize_t __read_chk(int fd, void *to, size_t size_bytes, size_t space);
PRELOAD_HOOK ssize_t __pread_chk(int fd, void *to, size_t size_bytes, off_t offset, size_t space);

static PRELOAD_HOOK_REST ssize_t read_chk_rest(int fd, void *to, size_t size_bytes, size_t space)
{
    struct preload_served *file = preload_hook_served(fd);

    if (file && preload_hook_fails(before_read(file, fd)))
        return -1;
    return PRELOAD_NEXT(__read_chk)(fd, to, size_bytes, space);
}

PRELOAD_HOOK ssize_t __read_chk(int fd, void *to, size_t size_bytes, size_t space)
{
    PRELOAD_HOOK_PASS(fd, __read_chk, fd, to, size_bytes, space);
    return read_chk_rest(fd, to, size_bytes, space);
}

static PRELOAD_HOOK_REST ssize_t pread_chk_rest(int fd, void *to, size_t size_bytes, off_t offset,
                                                size_t space)
{
    struct preload_served *file = preload_hook_served(fd);

    if (file && preload_hook_fails(renew(file, fd, offset)))
        return -1;
    return PRELOAD_NEXT(__pread_chk)(fd, to, size_bytes, offset, space);
}

PRELOAD_HOOK ssize_t __pread_chk(int fd, void *to, size_t size_bytes, off_t offset, size_t space)
{
    PRELOAD_HOOK_PASS(fd, __pread_chk, fd, to, size_bytes, offset, space);
    return pread_chk_rest(fd, to, size_bytes, offset, space);
}

PRELOAD_HOOK_ALIAS("__pread_chk")
ssize_t __pread64_chk(int fd, void *to, size_t size_bytes, off_t offset, size_t space);
