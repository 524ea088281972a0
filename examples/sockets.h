/* SPDX-License-Identifier: MIT */
/* Sockets as httpd.c uses them: TCP on the loopback interface, and a set of sockets that a program
 * waits for. Errors are errno codes. Here is all in which systems differ. */
#ifndef SOCKETS_H
#define SOCKETS_H

#include <errno.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#define SOCKETS_AT_ONCE 64

#ifdef _WIN32

#include <winsock2.h>
#include <ws2tcpip.h>

typedef SOCKET socket_handle;
#define SOCKET_NONE INVALID_SOCKET

struct socket_set {
    WSAPOLLFD *polled;
    void **data; /* of each */
    ULONG count;
    ULONG space;
    ULONG next; /* the one that was looked at last */
};

static inline int socket_error(void)
{
    switch (WSAGetLastError()) {
    case WSAEWOULDBLOCK:
        return EAGAIN;
    case WSAEADDRINUSE:
        return EADDRINUSE;
    case WSAEACCES:
        return EACCES;
    case WSAECONNRESET:
        return ECONNRESET;
    case WSAECONNABORTED:
        return ECONNABORTED;
    default:
        return EIO;
    }
}

static inline void socket_close(socket_handle handle)
{
    closesocket(handle);
}

static inline bool socket_does_not_block(socket_handle handle)
{
    u_long yes = 1;

    return !ioctlsocket(handle, FIONBIO, &yes);
}

static inline socket_handle socket_create(void)
{
    WSADATA unused;

    (void)WSAStartup(MAKEWORD(2, 2), &unused);
    return socket(AF_INET, SOCK_STREAM, 0);
}

static inline int socket_set_create(struct socket_set *ret_set)
{
    *ret_set = (struct socket_set){NULL, NULL, 0, 0, 0};
    return 0;
}

static inline bool socket_set_grow(struct socket_set *set)
{
    ULONG space = set->space ? 2 * set->space : SOCKETS_AT_ONCE;
    void *polled = realloc(set->polled, space * sizeof(*set->polled));
    void *data = polled ? realloc(set->data, space * sizeof(*set->data)) : NULL;

    set->polled = polled ? polled : set->polled;
    set->data = data ? data : set->data;
    set->space = data ? space : set->space;
    return data;
}

static inline int socket_set_add(struct socket_set *set, socket_handle handle, void *data)
{
    if (set->count == set->space && !socket_set_grow(set))
        return ENOMEM;
    set->polled[set->count] = (WSAPOLLFD){.fd = handle, .events = POLLRDNORM};
    set->data[set->count++] = data;
    return 0;
}

static inline void socket_set_remove(struct socket_set *set, socket_handle handle)
{
    ULONG at = 0;

    while (at < set->count && set->polled[at].fd != handle)
        at++;
    if (at == set->count)
        return;
    set->count--;
    set->polled[at] = set->polled[set->count];
    set->data[at] = set->data[set->count];
}

/* Each call continues where the last one ended, so that all have their turn. */
static inline int socket_set_wait(struct socket_set *set, void *ret_data[SOCKETS_AT_ONCE])
{
    ULONG left = set->count;
    int count = 0;

    if (WSAPoll(set->polled, set->count, 1000) <= 0)
        return 0;
    for (; left && count < SOCKETS_AT_ONCE; left--) {
        set->next = (set->next + 1) % set->count;
        if (set->polled[set->next].revents)
            ret_data[count++] = set->data[set->next];
    }
    return count;
}

#else

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <fcntl.h>
#include <unistd.h>

typedef int socket_handle;
#define SOCKET_NONE (-1)

struct socket_set {
    int epoll;
};

static inline int socket_error(void)
{
    return errno;
}

static inline void socket_close(socket_handle handle)
{
    close(handle);
}

static inline bool socket_does_not_block(socket_handle handle)
{
    return !fcntl(handle, F_SETFL, O_NONBLOCK) && !fcntl(handle, F_SETFD, FD_CLOEXEC);
}

static inline socket_handle socket_create(void)
{
    return socket(AF_INET, SOCK_STREAM, 0);
}

static inline int socket_set_create(struct socket_set *ret_set)
{
    ret_set->epoll = epoll_create1(EPOLL_CLOEXEC);
    return ret_set->epoll < 0 ? errno : 0;
}

static inline int socket_set_add(struct socket_set *set, socket_handle handle, void *data)
{
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = data};

    return epoll_ctl(set->epoll, EPOLL_CTL_ADD, handle, &event) ? errno : 0;
}

static inline void socket_set_remove(struct socket_set *set, socket_handle handle)
{
    (void)epoll_ctl(set->epoll, EPOLL_CTL_DEL, handle, NULL);
}

static inline int socket_set_wait(struct socket_set *set, void *ret_data[SOCKETS_AT_ONCE])
{
    struct epoll_event events[SOCKETS_AT_ONCE];
    int count = epoll_wait(set->epoll, events, SOCKETS_AT_ONCE, 1000);

    for (int i = 0; i < count; i++)
        ret_data[i] = events[i].data.ptr;
    return count < 0 ? 0 : count;
}

#endif

/* A write to a connection that the other side has closed is an error, not a signal. */
#ifdef MSG_NOSIGNAL
#define SOCKET_SEND_FLAGS MSG_NOSIGNAL
#else
#define SOCKET_SEND_FLAGS 0
#endif

/* The largest number of bytes of one call. */
#define SOCKET_BYTES_MAX (1 << 20)

/* Functions that transfer bytes return their number, or -1: see socket_error(). */
static inline long socket_send(socket_handle handle, const char *bytes, size_t count)
{
    return (long)send(handle, bytes, count < SOCKET_BYTES_MAX ? (int)count : SOCKET_BYTES_MAX,
                      SOCKET_SEND_FLAGS);
}

static inline long socket_receive(socket_handle handle, char *bytes, size_t space)
{
    return (long)recv(handle, bytes, space < SOCKET_BYTES_MAX ? (int)space : SOCKET_BYTES_MAX, 0);
}

/* Listens on a port of the loopback interface; port 0: any free one. */
static inline int socket_listen(uint16_t port, socket_handle *ret_listener, uint16_t *ret_port)
{
    struct sockaddr_in address = {.sin_family = AF_INET, .sin_port = htons(port)};
    socklen_t size = sizeof(address);
    socket_handle listener = socket_create();
    const int yes = 1;
    int error;

    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (listener != SOCKET_NONE && socket_does_not_block(listener) &&
        !setsockopt(listener, SOL_SOCKET, SO_REUSEADDR, (const char *)&yes, sizeof(yes)) &&
        !bind(listener, (struct sockaddr *)&address, sizeof(address)) && !listen(listener, 128) &&
        !getsockname(listener, (struct sockaddr *)&address, &size)) {
        *ret_listener = listener;
        *ret_port = ntohs(address.sin_port);
        return 0;
    }
    error = socket_error();
    if (listener != SOCKET_NONE)
        socket_close(listener);
    return error;
}

/* Accepts a connection, which does not block, and sends small answers at once. */
static inline int socket_accept(socket_handle listener, socket_handle *ret_handle,
                                uint16_t *ret_peer_port)
{
    struct sockaddr_in peer;
    socklen_t size = sizeof(peer);
    socket_handle handle = accept(listener, (struct sockaddr *)&peer, &size);
    const int yes = 1;

    if (handle == SOCKET_NONE)
        return socket_error();
    if (!socket_does_not_block(handle)) {
        int error = socket_error();

        socket_close(handle);
        return error;
    }
    (void)setsockopt(handle, IPPROTO_TCP, TCP_NODELAY, (const char *)&yes, sizeof(yes));
    *ret_handle = handle;
    *ret_peer_port = ntohs(peer.sin_port);
    return 0;
}

#endif
