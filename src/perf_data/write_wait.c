/* SPDX-License-Identifier: MIT */
/* Writes to a descriptor whose reader may be stuck. */
#include "perf_data/write_wait.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <sys/stat.h>
#include <unistd.h>

struct perf_data_write_wait perf_data_write_wait(int fd, int (*wait)(void *context, int fd),
                                                 void *context)
{
    int flags = fcntl(fd, F_GETFL);
    struct stat st;

    if (!wait || flags < 0 || fstat(fd, &st) || S_ISREG(st.st_mode))
        return (struct perf_data_write_wait){0}; /* writes to a file do not block */
    return (struct perf_data_write_wait){wait, context, !(flags & O_NONBLOCK)};
}

static int wait_for(const struct perf_data_write_wait *wait, int fd)
{
    struct pollfd wanted = {.fd = fd, .events = POLLOUT};

    if (wait->wait)
        return wait->wait(wait->context, fd);
    return poll(&wanted, 1, -1) < 0 && errno != EINTR ? errno : 0;
}

/* A pipe that poll reports as writable takes PIPE_BUF bytes without blocking. */
static ssize_t write_few(int fd, const struct iovec *parts, int count)
{
    while (count > 1 && !parts->iov_len) {
        parts++;
        count--;
    }
    return write(fd, parts->iov_base, parts->iov_len < PIPE_BUF ? parts->iov_len : PIPE_BUF);
}

ssize_t perf_data_write_some(const struct perf_data_write_wait *wait, int fd,
                             const struct iovec *parts, int count)
{
    int error = wait->blocks ? wait_for(wait, fd) : 0;

    while (!error) {
        ssize_t done = wait->blocks ? write_few(fd, parts, count) : writev(fd, parts, count);

        if (done >= 0)
            return done;
        if (errno == EAGAIN)
            error = wait_for(wait, fd);
        else if (errno != EINTR)
            error = errno;
    }
    errno = error;
    return -1;
}
