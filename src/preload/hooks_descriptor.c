/* SPDX-License-Identifier: MIT */
/* The functions in front of the C library's that take a descriptor. */
#undef _FILE_OFFSET_BITS /* it gives functions other names */
#include "accelerator/next.h"
#include "accelerator/write.h"
#include "preload/calls.h"

#include <fcntl.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <unistd.h>

#define FUNCTIONS(FUNCTION)                                        \
    FUNCTION(ssize_t, read, (int, void *, size_t))                 \
    FUNCTION(ssize_t, write, (int, const void *, size_t))          \
    FUNCTION(ssize_t, writev, (int, const struct iovec *, int))    \
    FUNCTION(int, ioctl, (int, unsigned long, ...))                \
    FUNCTION(void *, mmap, (void *, size_t, int, int, int, off_t)) \
    FUNCTION(int, close, (int))                                    \
    FUNCTION(int, close_range, (unsigned int, unsigned int, int))  \
    FUNCTION(void, closefrom, (int))                               \
    FUNCTION(int, dup, (int))                                      \
    FUNCTION(int, dup2, (int, int))                                \
    FUNCTION(int, dup3, (int, int, int))                           \
    FUNCTION(int, fcntl, (int, int, ...))

ACCELERATOR_NEXT_TABLE(FUNCTIONS)

#define ALIAS(name) __attribute__((visibility("default"), alias(name)))

ACCELERATOR_HOOK ssize_t read(int fd, void *to, size_t size_bytes)
{
    ssize_t result;

    return preload_read(fd, to, size_bytes, &result) ? result
                                                     : ACCELERATOR_NEXT(read)(fd, to, size_bytes);
}

/* The functions that the C library's headers call instead of read to check sizes. */
ssize_t __read_chk(int fd, void *to, size_t size_bytes, size_t space);
ACCELERATOR_HOOK ssize_t __read_chk(int fd, void *to, size_t size_bytes, size_t space)
{
    if (size_bytes > space)
        abort();
    return read(fd, to, size_bytes);
}

ACCELERATOR_HOOK ssize_t write(int fd, const void *from, size_t size_bytes)
{
    const struct iovec part = {(void *)(uintptr_t)from, size_bytes};
    ssize_t result;

    if (accelerator_write(fd, from, size_bytes, &result) || preload_write(fd, &part, 1, &result))
        return result;
    return ACCELERATOR_NEXT(write)(fd, from, size_bytes);
}

ACCELERATOR_HOOK ssize_t writev(int fd, const struct iovec *parts, int count)
{
    ssize_t result;

    if (accelerator_writev(fd, parts, count, &result) || preload_write(fd, parts, count, &result))
        return result;
    return ACCELERATOR_NEXT(writev)(fd, parts, count);
}

/* An argument that was not given is whatever is there; the C library does the same. */
ACCELERATOR_HOOK int ioctl(int fd, unsigned long request, ...)
{
    va_list list;
    void *argument;
    int result;

    va_start(list, request);
    argument = va_arg(list, void *);
    va_end(list);
    return preload_ioctl(fd, request, argument, &result)
               ? result
               : ACCELERATOR_NEXT(ioctl)(fd, request, argument);
}

ACCELERATOR_HOOK void *mmap(void *address, size_t size_bytes, int protection, int flags, int fd,
                            off_t offset)
{
    const struct preload_mapping mapping = {address, size_bytes, protection, flags, offset};
    void *result;

    return preload_map(fd, &mapping, &result)
               ? result
               : ACCELERATOR_NEXT(mmap)(address, size_bytes, protection, flags, fd, offset);
}

ALIAS("mmap")
void *mmap64(void *address, size_t size_bytes, int protection, int flags, int fd, off_t offset);

/* ---- descriptors that become other files ---- */

ACCELERATOR_HOOK int close(int fd)
{
    preload_closes((unsigned int)fd, (unsigned int)fd);
    return ACCELERATOR_NEXT(close)(fd);
}

ACCELERATOR_HOOK int close_range(unsigned int first, unsigned int last, int flags)
{
    if (!(flags & CLOSE_RANGE_CLOEXEC))
        preload_closes(first, last);
    return ACCELERATOR_NEXT(close_range)(first, last, flags);
}

ACCELERATOR_HOOK void closefrom(int first)
{
    preload_closes(first < 0 ? 0 : (unsigned int)first, ~0u);
    ACCELERATOR_NEXT(closefrom)(first);
}

static int copied(int from, int to)
{
    if (to >= 0)
        preload_copied(from, to);
    return to;
}

ACCELERATOR_HOOK int dup(int from)
{
    return copied(from, ACCELERATOR_NEXT(dup)(from));
}

ACCELERATOR_HOOK int dup2(int from, int to)
{
    return copied(from, ACCELERATOR_NEXT(dup2)(from, to));
}

ACCELERATOR_HOOK int dup3(int from, int to, int flags)
{
    return copied(from, ACCELERATOR_NEXT(dup3)(from, to, flags));
}

ACCELERATOR_HOOK int fcntl(int fd, int command, ...)
{
    va_list list;
    void *argument;
    int result;

    va_start(list, command);
    argument = va_arg(list, void *);
    va_end(list);
    result = ACCELERATOR_NEXT(fcntl)(fd, command, argument);
    return command == F_DUPFD || command == F_DUPFD_CLOEXEC ? copied(fd, result) : result;
}

ALIAS("fcntl") int fcntl64(int fd, int command, ...);
