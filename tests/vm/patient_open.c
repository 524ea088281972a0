/* SPDX-License-Identifier: MIT */
/*
 * Linked into the kernel's own tests of user_events. They look for an event's deletion, or delete
 * it, right after having let go of it; the kernel lets go of it after a grace period of its RCU.
 * What they look through is opened anew each time: here is where they get patience.
 */
#include <fcntl.h>
#include <linux/membarrier.h>
#include <stdarg.h>
#include <sys/syscall.h>
#include <unistd.h>

int open(const char *path, int flags, ...)
{
    va_list args;
    mode_t mode;

    va_start(args, flags);
    mode = flags & O_CREAT ? va_arg(args, mode_t) : 0;
    va_end(args);

    syscall(SYS_membarrier, MEMBARRIER_CMD_GLOBAL, 0, 0); /* waits for a grace period */
    usleep(10000);                                        /* and the work that it puts off */
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
