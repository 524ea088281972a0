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
#include <sched.h>
#include <stdarg.h>
#include <unistd.h>

/* The function of a child of clone(), copied with all memory. */
struct child {
    int (*work)(void *);
    void *arg;
};

/* Returning would end this thread alone, and not the one that follows bits. */
static int begin_child(void *arg)
{
    const struct child child = *(const struct child *)arg;

    preload_follow_check_process();
    _exit(child.work(child.arg));
}

PRELOAD_HOOK int clone(int (*work)(void *), void *stack, int flags, void *arg, ...)
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
    return PRELOAD_NEXT(clone)(work, stack, flags, arg, parent_tid, tls, child_tid);
}

PRELOAD_HOOK pid_t _Fork(void);

PRELOAD_HOOK pid_t _Fork(void)
{
    pid_t pid = -1;

    if (PRELOAD_NEXT(_Fork))
        pid = PRELOAD_NEXT(_Fork)();
    else
        errno = ENOSYS;
    if (pid == 0)
        preload_follow_check_process();
    return pid;
}
