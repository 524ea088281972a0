/* SPDX-License-Identifier: MIT */
/* The functions in front of the C library's by which processes and sandboxes are made, or anything
 * is done by the number of a system call. */
#include "accelerator/descriptors.h"
#include "accelerator/next.h"

#include <sched.h>
#include <stdarg.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define FUNCTIONS(FUNCTION)                                           \
    FUNCTION(int, clone, (int (*)(void *), void *, int, void *, ...)) \
    FUNCTION(int, prctl, (int, ...))                                  \
    FUNCTION(long, syscall, (long, ...))

ACCELERATOR_NEXT_TABLE(FUNCTIONS)

bool accelerator_is_filtered(void)
{
    return prctl(PR_GET_SECCOMP) > 0; /* negative: this kernel has no filters */
}

/* A process that shares descriptors changes them past us; one that shares memory, but is no thread,
 * writes with this thread's context. */
static bool shares_with_a_process(unsigned long flags)
{
    return !(flags & CLONE_THREAD) && flags & (CLONE_FILES | CLONE_VM);
}

ACCELERATOR_HOOK int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
    va_list list;
    void *rest[3];

    va_start(list, argument);
    for (int i = 0; i < 3; i++)
        rest[i] = va_arg(list, void *);
    va_end(list);
    if (shares_with_a_process((unsigned long)flags))
        accelerator_stop();
    return ACCELERATOR_NEXT(clone)(function, stack, flags, argument, rest[0], rest[1], rest[2]);
}

ACCELERATOR_HOOK int prctl(int option, ...)
{
    va_list list;
    unsigned long arguments[4];

    va_start(list, option);
    for (int i = 0; i < 4; i++)
        arguments[i] = va_arg(list, unsigned long);
    va_end(list);
    if (option == PR_SET_SECCOMP)
        accelerator_enter_sandbox();
    return ACCELERATOR_NEXT(prctl)(option, arguments[0], arguments[1], arguments[2], arguments[3]);
}

static void note_system_call(long number, const long arguments[6])
{
    switch (number) {
    case SYS_close:
        accelerator_descriptors_forget((unsigned int)arguments[0], (unsigned int)arguments[0]);
        break;
#ifdef SYS_dup2
    case SYS_dup2:
#endif
    case SYS_dup3:
        accelerator_descriptors_forget((unsigned int)arguments[1], (unsigned int)arguments[1]);
        break;
    case SYS_close_range:
        accelerator_descriptors_forget((unsigned int)arguments[0], (unsigned int)arguments[1]);
        break;
    case SYS_prctl:
        if (arguments[0] == PR_SET_SECCOMP)
            accelerator_enter_sandbox();
        break;
    case SYS_seccomp:
        accelerator_enter_sandbox();
        break;
    case SYS_clone3:
        accelerator_stop();
        break;
    case SYS_clone:
        if (shares_with_a_process((unsigned long)arguments[0]))
            accelerator_stop();
        break;
    default:
        break;
    }
}

ACCELERATOR_HOOK long syscall(long number, ...)
{
    va_list list;
    long a[6];

    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    note_system_call(number, a);
    return ACCELERATOR_NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
