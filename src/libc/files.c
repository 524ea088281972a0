/* SPDX-License-Identifier: MIT */
/* Reading, writing, and waiting for descriptors. */
#include "libc/events.h"
#include "libc/real.h"

#include <limits.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

/*
 * Defines a function. `symbol` is its name for the linker: that of the header may be another one,
 * and functions with checks of the buffer's size (NAME_chk) have names of their own.
 */
#define CALL(type, symbol, event, fd, size, parameters, ...)                         \
    LIBC_PUBLIC type libc_call_##symbol parameters __asm__(#symbol);                 \
    LIBC_PUBLIC type libc_call_##symbol parameters                                   \
    {                                                                                \
        type(*call) parameters = LIBC_REAL(type(*) parameters, #symbol);             \
        uint64_t start_ns;                                                           \
        type result;                                                                 \
                                                                                     \
        if (!libc_is_wanted(LIBC_EVENT_##event))                                     \
            return call(__VA_ARGS__);                                                \
        start_ns = os_clock_ns();                                                    \
        result = call(__VA_ARGS__);                                                  \
        libc_write_call(LIBC_EVENT_##event, fd, (uint64_t)(size), result, start_ns); \
        return result;                                                               \
    }

static size_t bytes_of(const struct iovec *parts, int count)
{
    size_t bytes = 0;

    for (int n = 0; n < count && count <= IOV_MAX; n++)
        bytes += parts[n].iov_len;
    return bytes;
}

static size_t bytes_of_message(const struct msghdr *message)
{
    return bytes_of(message->msg_iov, message->msg_iovlen > IOV_MAX ? 0 : (int)message->msg_iovlen);
}

CALL(ssize_t, read, read, fd, size, (int fd, void *to, size_t size), fd, to, size)
CALL(ssize_t, write, write, fd, size, (int fd, const void *from, size_t size), fd, from, size)
CALL(ssize_t, pread, pread, fd, size, (int fd, void *to, size_t size, long at), fd, to, size, at)
CALL(ssize_t, pread64, pread, fd, size, (int fd, void *to, size_t size, int64_t at), fd, to, size,
     at)
CALL(ssize_t, pwrite, pwrite, fd, size, (int fd, const void *from, size_t size, long at), fd, from,
     size, at)
CALL(ssize_t, pwrite64, pwrite, fd, size, (int fd, const void *from, size_t size, int64_t at), fd,
     from, size, at)
CALL(ssize_t, readv, readv, fd, bytes_of(parts, count),
     (int fd, const struct iovec *parts, int count), fd, parts, count)
CALL(ssize_t, writev, writev, fd, bytes_of(parts, count),
     (int fd, const struct iovec *parts, int count), fd, parts, count)
CALL(ssize_t, recv, recv, fd, size, (int fd, void *to, size_t size, int flags), fd, to, size, flags)
CALL(ssize_t, send, send, fd, size, (int fd, const void *from, size_t size, int flags), fd, from,
     size, flags)
CALL(ssize_t, recvfrom, recv, fd, size,
     (int fd, void *to, size_t size, int flags, struct sockaddr *address, socklen_t *address_bytes),
     fd, to, size, flags, address, address_bytes)
CALL(ssize_t, sendto, send, fd, size,
     (int fd, const void *from, size_t size, int flags, const struct sockaddr *address,
      socklen_t address_bytes),
     fd, from, size, flags, address, address_bytes)
CALL(ssize_t, recvmsg, recvmsg, fd, bytes_of_message(message),
     (int fd, struct msghdr *message, int flags), fd, message, flags)
CALL(ssize_t, sendmsg, sendmsg, fd, bytes_of_message(message),
     (int fd, const struct msghdr *message, int flags), fd, message, flags)
CALL(int, accept, accept, fd, 0, (int fd, struct sockaddr *address, socklen_t *address_bytes), fd,
     address, address_bytes)
CALL(int, accept4, accept, fd, 0,
     (int fd, struct sockaddr *address, socklen_t *address_bytes, int flags), fd, address,
     address_bytes, flags)
CALL(int, connect, connect, fd, address_bytes,
     (int fd, const struct sockaddr *address, socklen_t address_bytes), fd, address, address_bytes)
CALL(int, fsync, fsync, fd, 0, (int fd), fd)
CALL(int, fdatasync, fsync, fd, 0, (int fd), fd)
CALL(int, poll, poll, -1, count, (struct pollfd * fds, nfds_t count, int timeout_ms), fds, count,
     timeout_ms)
CALL(int, epoll_wait, epoll_wait, fd, count,
     (int fd, struct epoll_event *events, int count, int timeout_ms), fd, events, count, timeout_ms)
CALL(int, epoll_pwait, epoll_wait, fd, count,
     (int fd, struct epoll_event *events, int count, int timeout_ms, const sigset_t *signals), fd,
     events, count, timeout_ms, signals)

/* Functions that compilers call to check buffers (_FORTIFY_SOURCE); they have the size, too. */
CALL(ssize_t, __read_chk, read, fd, size, (int fd, void *to, size_t size, size_t space), fd, to,
     size, space)
CALL(ssize_t, __recv_chk, recv, fd, size, (int fd, void *to, size_t size, size_t space, int flags),
     fd, to, size, space, flags)
CALL(int, __poll_chk, poll, -1, count,
     (struct pollfd * fds, nfds_t count, int timeout_ms, size_t space), fds, count, timeout_ms,
     space)
