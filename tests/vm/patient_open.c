/* SPDX-License-Identifier: MIT */
/*
 * An open() that waits, linked into the kernel's own tests of user_events. They delete an event, or
 * check its deletion, immediately after closing its last user; the kernel frees it after a grace
 * period of RCU. They open a file for each check, so waiting here is sufficient.
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
    usleep(10000);                                        /* and for the work queued after it */
    return (int)syscall(SYS_openat, AT_FDCWD, path, flags, mode);
}
