/* SPDX-License-Identifier: MIT */
/*
 * The functions in front of the C library's: those that write try to write the event here; those
 * after which a descriptor may be another file note it first.
 */
#undef _FILE_OFFSET_BITS /* it gives functions other names */
#include "accelerator/descriptors.h"
#include "accelerator/next.h"
#include "accelerator/openings.h"
#include "accelerator/write.h"
#include "engine/kernel_abi.h"

#include <stdarg.h>
#include <stdio.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define FUNCTIONS(FUNCTION)                                             \
    FUNCTION(ssize_t, write, (int, const void *, size_t))               \
    FUNCTION(ssize_t, writev, (int, const struct iovec *, int))         \
    FUNCTION(ssize_t, pwritev, (int, const struct iovec *, int, off_t)) \
    FUNCTION(int, ioctl, (int, unsigned long, ...))                     \
    FUNCTION(int, close, (int))                                         \
    FUNCTION(int, close_range, (unsigned int, unsigned int, int))       \
    FUNCTION(void, closefrom, (int))                                    \
    FUNCTION(int, dup2, (int, int))                                     \
    FUNCTION(int, dup3, (int, int, int))                                \
    FUNCTION(FILE *, fdopen, (int, const char *))

ACCELERATOR_NEXT_TABLE(FUNCTIONS)

/* ---- writing ---- */

ACCELERATOR_HOOK ssize_t write(int fd, const void *from, size_t size_bytes)
{
    ssize_t size;

    if (accelerator_data_of(fd) && accelerator_write(fd, from, size_bytes, &size))
        return size;
    return ACCELERATOR_NEXT(write)(fd, from, size_bytes);
}

ACCELERATOR_HOOK ssize_t writev(int fd, const struct iovec *parts, int count)
{
    ssize_t size;

    if (accelerator_data_of(fd) && accelerator_writev(fd, parts, count, &size))
        return size;
    return ACCELERATOR_NEXT(writev)(fd, parts, count);
}

ACCELERATOR_HOOK ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
    ssize_t size;

    if (accelerator_data_of(fd) && offset >= 0 && accelerator_writev(fd, parts, count, &size))
        return size;
    return ACCELERATOR_NEXT(pwritev)(fd, parts, count, offset);
}

ACCELERATOR_HOOK ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset)
    __attribute__((alias("pwritev")));

/* ---- registering ---- */

/* If the argument was not given, this reads an undefined value; the C library does the same. */
ACCELERATOR_HOOK int ioctl(int fd, unsigned long request, ...)
{
    va_list list;
    void *argument;
    int result;

    va_start(list, request);
    argument = va_arg(list, void *);
    va_end(list);
    result = ACCELERATOR_NEXT(ioctl)(fd, request, argument);
    if (!result && request == ENGINE_USER_EVENTS_REG)
        accelerator_opening_learn(fd);
    return result;
}

/* ---- descriptors that become other files ---- */

ACCELERATOR_HOOK int close(int fd)
{
    accelerator_descriptors_forget((unsigned int)fd, (unsigned int)fd);
    return ACCELERATOR_NEXT(close)(fd);
}

ACCELERATOR_HOOK int close_range(unsigned int first, unsigned int last, int flags)
{
    accelerator_descriptors_forget(first, last);
    return ACCELERATOR_NEXT(close_range)(first, last, flags);
}

ACCELERATOR_HOOK void closefrom(int first)
{
    accelerator_descriptors_forget(first < 0 ? 0 : (unsigned int)first, ~0u);
    ACCELERATOR_NEXT(closefrom)(first);
}

ACCELERATOR_HOOK int dup2(int from, int to)
{
    if (from != to)
        accelerator_descriptors_forget((unsigned int)to, (unsigned int)to);
    return ACCELERATOR_NEXT(dup2)(from, to);
}

ACCELERATOR_HOOK int dup3(int from, int to, int flags)
{
    accelerator_descriptors_forget((unsigned int)to, (unsigned int)to);
    return ACCELERATOR_NEXT(dup3)(from, to, flags);
}

/* fclose closes the descriptor without calling our close. */
ACCELERATOR_HOOK FILE *fdopen(int fd, const char *mode)
{
    accelerator_descriptors_forget((unsigned int)fd, (unsigned int)fd);
    return ACCELERATOR_NEXT(fdopen)(fd, mode);
}

/* ---- sandboxes ---- */

/* The system call that reads the event may be forbidden. */
void accelerator_enter_sandbox(void)
{
    accelerator_stop();
}

static __attribute__((constructor)) void look_for_a_filter(void)
{
    if (accelerator_is_filtered())
        accelerator_stop();
}
