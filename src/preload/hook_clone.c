/* SPDX-License-Identifier: MIT */
/*
 * Children that are made past fork(): they have none of its handlers, and would not follow their
 * enable bits before they next use a file of ours. A child that shares our memory needs nothing:
 * its bits are ours.
 */
#undef _FILE_OFFSET_BITS
#include "preload/hook.h"
#include "preload/follow.h"

#include <errno.h>
#include <linux/openat2.h>
#include <linux/sched.h>
#include <stdarg.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/* What a child of clone() is to do: copied with all memory. */
struct child {
    int (*work)(void *);
    void *arg;
};

/* Returning would end this thread alone, and not the one that follows bits. */
static int begin_child(void *arg)
{
    const struct child child = *(const struct child *)arg;

    cairn_follow_check_process();
    _exit(child.work(child.arg));
}

CAIRN_HOOK int clone(int (*work)(void *), void *stack, int flags, void *arg, ...)
{
    struct child child = {work, arg};
    va_list arguments;
    void *parent_tid;
    void *tls;
    void *child_tid;

    va_start(arguments, arg);
    parent_tid = va_arg(arguments, void *);
    tls = va_arg(arguments, void *);
    child_tid = va_arg(arguments, void *);
    va_end(arguments);
    if (!(flags & CLONE_VM) && work && stack) {
        work = begin_child;
        arg = &child;
    }
    return CAIRN_NEXT(clone)(work, stack, flags, arg, parent_tid, tls, child_tid);
}

CAIRN_HOOK pid_t _Fork(void);

CAIRN_HOOK pid_t _Fork(void)
{
    pid_t pid = -1;

    if (CAIRN_NEXT(_Fork))
        pid = CAIRN_NEXT(_Fork)();
    else
        errno = ENOSYS;
    if (pid == 0)
        cairn_follow_check_process();
    return pid;
}

/* ---- syscall() ---- */

/* A child that goes on in the same function, with memory of its own. */
static bool makes_child(long number, long first)
{
    switch (number) {
#ifdef SYS_fork
    case SYS_fork:
        return true;
#endif
    case SYS_clone:
        return !(first & CLONE_VM);
#ifdef SYS_clone3
    case SYS_clone3: {
        const struct clone_args *arguments = (const void *)first; // NOLINT(*-int-to-ptr)

        return (unsigned long)first >= 4096 && !(arguments->flags & CLONE_VM);
    }
#endif
    default:
        return false;
    }
}

/* openat2 has no function of its own. How paths are to be resolved has no meaning in our folder. */
static bool opens_ours(long number, long folder, long path)
{
    cairn_place_path ours;

    return number == SYS_openat2 &&
           cairn_hook_side((int)folder, (const char *)path, ours); // NOLINT(*-int-to-ptr)
}

static long open_ours(long folder, long path, long how, long size)
{
    struct open_how wanted = {0};

    if (size < (long)sizeof(wanted) || (unsigned long)how < 4096) {
        errno = size < (long)sizeof(wanted) ? EINVAL : EFAULT;
        return -1;
    }
    memcpy(&wanted, (const void *)how, sizeof(wanted));     // NOLINT(*-int-to-ptr)
    return cairn_hook_open((int)folder, (const char *)path, // NOLINT(*-int-to-ptr)
                           (int)wanted.flags, (unsigned int)wanted.mode);
}

/* Arguments that were not given are whatever is there; the C library does the same. */
CAIRN_HOOK long cairn_hook_syscall(long number, long a, long b, long c, long d, long e,
                                   long f) __asm__("syscall");

CAIRN_HOOK long cairn_hook_syscall(long number, long a, long b, long c, long d, long e, long f)
{
    long result;

    if (__builtin_expect(opens_ours(number, a, b), 0))
        return open_ours(a, b, c, d);
    result = CAIRN_NEXT(syscall)(number, a, b, c, d, e, f);
    if (__builtin_expect(result == 0 && makes_child(number, a), 0))
        cairn_follow_check_process();
    return result;
}
