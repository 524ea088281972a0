/* SPDX-License-Identifier: MIT */
/* An fsync that fails with ENOSPC, to be preloaded: a disk that has no space for written data. */
#include <errno.h>

__attribute__((visibility("default"))) int fsync(int fd);

int fsync(int fd)
{
    (void)fd;
    errno = ENOSPC;
    return -1;
}
