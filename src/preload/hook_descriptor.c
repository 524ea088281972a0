/* SPDX-License-Identifier: MIT */
/* Closing and duplicating descriptors. */
#undef _FILE_OFFSET_BITS
#include "preload/hook.h"

#include <errno.h>
#include <fcntl.h>
#include <linux/close_range.h>
#include <unistd.h>

static bool is_to_be_followed(int fd)
{
    return preload_served_has(fd) && !engine_is_locked_by_self();
}

/* First it is forgotten: once it is closed, another thread may get the number. */
static PRELOAD_HOOK_REST int close_rest(int fd)
{
    if (is_to_be_followed(fd))
        preload_served_forget(fd);
    return PRELOAD_NEXT(close)(fd);
}

PRELOAD_HOOK int close(int fd)
{
    PRELOAD_HOOK_PASS(fd, close, fd);
    return close_rest(fd);
}

PRELOAD_HOOK int close_range(unsigned int first, unsigned int last, int flags)
{
    if (preload_served_may_be((int)first) && !(flags & CLOSE_RANGE_CLOEXEC) &&
        !engine_is_locked_by_self())
        preload_served_forget_range(first, last);
    if (PRELOAD_NEXT(close_range))
        return PRELOAD_NEXT(close_range)(first, last, flags);
    errno = ENOSYS;
    return -1;
}

PRELOAD_HOOK void closefrom(int first)
{
    if (preload_served_any() && !engine_is_locked_by_self())
        preload_served_forget_range(first < 0 ? 0 : (unsigned int)first, ~0u);
    if (PRELOAD_NEXT(closefrom))
        PRELOAD_NEXT(closefrom)(first);
}

/* The table follows what the call has done. */
static int follow(int from, int to)
{
    if (to >= 0 && __builtin_expect(is_to_be_followed(from) || is_to_be_followed(to), 0)) {
        (void)preload_hook_served(from); /* still what the table says? */
        preload_served_dup(from, to);
    }
    return to;
}

static PRELOAD_HOOK_REST int dup_rest(int fd)
{
    return follow(fd, PRELOAD_NEXT(dup)(fd));
}

/* The table may contain the new number, of a file that was closed unseen: this is detected. */
PRELOAD_HOOK int dup(int fd)
{
    PRELOAD_HOOK_PASS(fd, dup, fd);
    return dup_rest(fd);
}

static PRELOAD_HOOK_REST int dup2_rest(int from, int to)
{
    return follow(from, PRELOAD_NEXT(dup2)(from, to));
}

PRELOAD_HOOK int dup2(int from, int to)
{
    PRELOAD_HOOK_PASS(from < to ? from : to, dup2, from, to);
    return dup2_rest(from, to);
}

PRELOAD_HOOK int dup3(int from, int to, int flags)
{
    return follow(from, PRELOAD_NEXT(dup3)(from, to, flags));
}

/* Returns the flags of the opening, not those of the memory file. */
static int flags_of(int fd)
{
    const struct preload_served *file = preload_hook_served(fd);
    int flags = PRELOAD_NEXT(fcntl)(fd, F_GETFL);

    if (file && flags >= 0)
        flags = (flags & ~(O_ACCMODE | O_APPEND)) | file->flags;
    return flags;
}

static PRELOAD_HOOK_REST int fcntl_rest(int fd, int command, void *argument)
{
    if (is_to_be_followed(fd) && command == F_GETFL)
        return flags_of(fd);
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
        return follow(fd, PRELOAD_NEXT(fcntl)(fd, command, argument));
    return PRELOAD_NEXT(fcntl)(fd, command, argument);
}

/* An argument that was not given is whatever is there; the C library does the same. */
PRELOAD_HOOK int preload_hook_fcntl(int fd, int command, void *argument) __asm__("fcntl");

PRELOAD_HOOK int preload_hook_fcntl(int fd, int command, void *argument)
{
    PRELOAD_HOOK_PASS(fd, fcntl, fd, command, argument);
    return fcntl_rest(fd, command, argument);
}

PRELOAD_HOOK_ALIAS("fcntl")
int preload_hook_fcntl64(int fd, int command, void *argument) __asm__("fcntl64");
