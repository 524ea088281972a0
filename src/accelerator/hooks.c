/* SPDX-License-Identifier: MIT */
/*
 * The functions in front of the C library's. Those that write try to write the event here; those
 * after which a descriptor may be another file, or system calls may be forbidden, note it first.
 */
#undef _FILE_OFFSET_BITS /* it gives functions other names */
#include "accelerator/openings.h"
#include "accelerator/write.h"
#include "engine/kernel_abi.h"

#include <dlfcn.h>
#include <errno.h>
#include <sched.h>
#include <stdarg.h>
#include <stdio.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <unistd.h>

#define HOOK __attribute__((visibility("default")))

/* The next function of a name: a type, a name, the parameters. */
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
    FUNCTION(FILE *, fdopen, (int, const char *))                       \
    FUNCTION(int, clone, (int (*)(void *), void *, int, void *, ...))   \
    FUNCTION(int, prctl, (int, ...))                                    \
    FUNCTION(long, syscall, (long, ...))

#define MEMBER(type, name, parameters) type(*name) parameters;
static struct {
    FUNCTIONS(MEMBER)
} next;
#undef MEMBER

#define FIND(type, name, parameters) *(void **)(&next.name) = dlsym(RTLD_NEXT, #name);
/* Functions that are called before this constructor find their next one by NEXT. */
static __attribute__((constructor)) void find(void)
{
    FUNCTIONS(FIND)
    if (prctl(PR_GET_SECCOMP))
        accelerator_stop();
}
#undef FIND

/* The next function; it is found now if the constructor has not run yet. */
#define NEXT(name)                                                                               \
    (__builtin_expect(!next.name, 0) ? (void)(*(void **)(&next.name) = dlsym(RTLD_NEXT, #name)), \
     next.name                       : next.name)

/* ---- writing ---- */

HOOK ssize_t write(int fd, const void *from, size_t size_bytes)
{
    const struct iovec part = {(void *)(uintptr_t)from, size_bytes};
    ssize_t size;

    if (accelerator_opening_of(fd) && accelerator_write(fd, &part, 1, &size))
        return size;
    return NEXT(write)(fd, from, size_bytes);
}

HOOK ssize_t writev(int fd, const struct iovec *parts, int count)
{
    ssize_t size;

    if (accelerator_opening_of(fd) && accelerator_write(fd, parts, count, &size))
        return size;
    return NEXT(writev)(fd, parts, count);
}

HOOK ssize_t pwritev(int fd, const struct iovec *parts, int count, off_t offset)
{
    ssize_t size;

    if (accelerator_opening_of(fd) && offset >= 0 && accelerator_write(fd, parts, count, &size))
        return size;
    return NEXT(pwritev)(fd, parts, count, offset);
}

HOOK ssize_t pwritev64(int fd, const struct iovec *parts, int count, off64_t offset)
    __attribute__((alias("pwritev")));

/* ---- registering ---- */

/* An argument that was not given is whatever is there; the C library does the same. */
HOOK int ioctl(int fd, unsigned long request, ...)
{
    va_list list;
    void *argument;
    int result;

    va_start(list, request);
    argument = va_arg(list, void *);
    va_end(list);
    result = NEXT(ioctl)(fd, request, argument);
    if (!result && request == ENGINE_USER_EVENTS_REG)
        accelerator_opening_learn(fd);
    return result;
}

/* ---- descriptors that become other files ---- */

HOOK int close(int fd)
{
    accelerator_openings_forget((unsigned int)fd, (unsigned int)fd);
    return NEXT(close)(fd);
}

HOOK int close_range(unsigned int first, unsigned int last, int flags)
{
    accelerator_openings_forget(first, last);
    return NEXT(close_range)(first, last, flags);
}

HOOK void closefrom(int first)
{
    accelerator_openings_forget(first < 0 ? 0 : (unsigned int)first, ~0u);
    NEXT(closefrom)(first);
}

HOOK int dup2(int from, int to)
{
    if (from != to)
        accelerator_openings_forget((unsigned int)to, (unsigned int)to);
    return NEXT(dup2)(from, to);
}

HOOK int dup3(int from, int to, int flags)
{
    accelerator_openings_forget((unsigned int)to, (unsigned int)to);
    return NEXT(dup3)(from, to, flags);
}

/* fclose closes the descriptor past our close. */
HOOK FILE *fdopen(int fd, const char *mode)
{
    accelerator_openings_forget((unsigned int)fd, (unsigned int)fd);
    return NEXT(fdopen)(fd, mode);
}

/* ---- processes and sandboxes ---- */

/* A process that shares descriptors changes them past us; one that shares memory, but is no thread,
 * writes with this thread's context. */
static bool shares_with_a_process(unsigned long flags)
{
    return !(flags & CLONE_THREAD) && flags & (CLONE_FILES | CLONE_VM);
}

HOOK int clone(int (*function)(void *), void *stack, int flags, void *argument, ...)
{
    va_list list;
    void *rest[3];

    va_start(list, argument);
    for (int i = 0; i < 3; i++)
        rest[i] = va_arg(list, void *);
    va_end(list);
    if (shares_with_a_process((unsigned long)flags))
        accelerator_stop();
    return NEXT(clone)(function, stack, flags, argument, rest[0], rest[1], rest[2]);
}

HOOK int prctl(int option, ...)
{
    va_list list;
    unsigned long arguments[4];

    va_start(list, option);
    for (int i = 0; i < 4; i++)
        arguments[i] = va_arg(list, unsigned long);
    va_end(list);
    if (option == PR_SET_SECCOMP)
        accelerator_stop();
    return NEXT(prctl)(option, arguments[0], arguments[1], arguments[2], arguments[3]);
}

static void note_system_call(long number, const long arguments[6])
{
    switch (number) {
    case SYS_close:
        accelerator_openings_forget((unsigned int)arguments[0], (unsigned int)arguments[0]);
        break;
#ifdef SYS_dup2
    case SYS_dup2:
#endif
    case SYS_dup3:
        accelerator_openings_forget((unsigned int)arguments[1], (unsigned int)arguments[1]);
        break;
    case SYS_close_range:
        accelerator_openings_forget((unsigned int)arguments[0], (unsigned int)arguments[1]);
        break;
    case SYS_prctl:
        if (arguments[0] == PR_SET_SECCOMP)
            accelerator_stop();
        break;
    case SYS_seccomp:
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

HOOK long syscall(long number, ...)
{
    va_list list;
    long a[6];

    va_start(list, number);
    for (int i = 0; i < 6; i++)
        a[i] = va_arg(list, long);
    va_end(list);
    note_system_call(number, a);
    return NEXT(syscall)(number, a[0], a[1], a[2], a[3], a[4], a[5]);
}
