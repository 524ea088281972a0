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
    return cairn_served_has(fd) && !cairn_engine_is_locked_by_self();
}

/* First it is forgotten: once it is closed, another thread may get the number. */
static CAIRN_HOOK_REST int close_rest(int fd)
{
    if (is_to_be_followed(fd))
        cairn_served_forget(fd);
    return CAIRN_NEXT(close)(fd);
}

CAIRN_HOOK int close(int fd)
{
    CAIRN_HOOK_PASS(fd, close, fd);
    return close_rest(fd);
}

CAIRN_HOOK int close_range(unsigned int first, unsigned int last, int flags)
{
    if (cairn_served_may_be((int)first) && !(flags & CLOSE_RANGE_CLOEXEC) &&
        !cairn_engine_is_locked_by_self())
        cairn_served_forget_range(first, last);
    if (CAIRN_NEXT(close_range))
        return CAIRN_NEXT(close_range)(first, last, flags);
    errno = ENOSYS;
    return -1;
}

CAIRN_HOOK void closefrom(int first)
{
    if (cairn_served_any() && !cairn_engine_is_locked_by_self())
        cairn_served_forget_range(first < 0 ? 0 : (unsigned int)first, ~0u);
    if (CAIRN_NEXT(closefrom))
        CAIRN_NEXT(closefrom)(first);
}

/* The table follows what the call has done. */
static int follow(int from, int to)
{
    if (to >= 0 && __builtin_expect(is_to_be_followed(from) || is_to_be_followed(to), 0)) {
        (void)cairn_hook_served(from); /* still what the table says? */
        cairn_served_dup(from, to);
    }
    return to;
}

static CAIRN_HOOK_REST int dup_rest(int fd)
{
    return follow(fd, CAIRN_NEXT(dup)(fd));
}

/* The table may contain the new number, of a file that was closed unseen: this is detected. */
CAIRN_HOOK int dup(int fd)
{
    CAIRN_HOOK_PASS(fd, dup, fd);
    return dup_rest(fd);
}

static CAIRN_HOOK_REST int dup2_rest(int from, int to)
{
    return follow(from, CAIRN_NEXT(dup2)(from, to));
}

CAIRN_HOOK int dup2(int from, int to)
{
    CAIRN_HOOK_PASS(from < to ? from : to, dup2, from, to);
    return dup2_rest(from, to);
}

CAIRN_HOOK int dup3(int from, int to, int flags)
{
    return follow(from, CAIRN_NEXT(dup3)(from, to, flags));
}

/* Returns the flags of the opening, not those of the memory file. */
static int flags_of(int fd)
{
    const struct cairn_served *file = cairn_hook_served(fd);
    int flags = CAIRN_NEXT(fcntl)(fd, F_GETFL);

    if (file && flags >= 0)
        flags = (flags & ~(O_ACCMODE | O_APPEND)) | file->flags;
    return flags;
}

static CAIRN_HOOK_REST int fcntl_rest(int fd, int command, void *argument)
{
    if (is_to_be_followed(fd) && command == F_GETFL)
        return flags_of(fd);
    if (command == F_DUPFD || command == F_DUPFD_CLOEXEC)
        return follow(fd, CAIRN_NEXT(fcntl)(fd, command, argument));
    return CAIRN_NEXT(fcntl)(fd, command, argument);
}

/* An argument that was not given is whatever is there; the C library does the same. */
CAIRN_HOOK int cairn_hook_fcntl(int fd, int command, void *argument) __asm__("fcntl");

CAIRN_HOOK int cairn_hook_fcntl(int fd, int command, void *argument)
{
    CAIRN_HOOK_PASS(fd, fcntl, fd, command, argument);
    return fcntl_rest(fd, command, argument);
}

CAIRN_HOOK_ALIAS("fcntl")
int cairn_hook_fcntl64(int fd, int command, void *argument) __asm__("fcntl64");
