/* SPDX-License-Identifier: MIT */
/*
 * An fsync that fails with ENOSPC, to be preloaded: a disk that has no space for written data. With
 * FAILING_FSYNCS=N in the environment only the first N calls fail.
 */
#include <errno.h>
#include <stdlib.h>

__attribute__((visibility("default"))) int fsync(int fd);

int fsync(int fd)
{
    static long calls;
    const char *failing = getenv("FAILING_FSYNCS");

    (void)fd;
    if (failing && calls++ >= strtol(failing, NULL, 10))
        return 0;
    errno = ENOSPC;
    return -1;
}
