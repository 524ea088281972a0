/* SPDX-License-Identifier: MIT */
/* Finds and asks recorders that have a name. */
#include "session/control.h"

#include <cairn/session.h>
#include <dirent.h>
#include <errno.h>
#include <poll.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

static uint64_t now_ms(void)
{
    struct timespec now;

    (void)clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000 + (uint64_t)now.tv_nsec / 1000000;
}

/* A socket without its process refuses connections. */
int session_control_connect(int directory_fd, const char *name, int *ret_fd)
{
    struct sockaddr_un address = session_control_address(directory_fd, name);
    int fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    int error;

    if (fd < 0)
        return errno;
    if (!connect(fd, (const struct sockaddr *)&address, sizeof(address))) {
        *ret_fd = fd;
        return 0;
    }
    error = errno == ECONNREFUSED ? ENOENT : errno;
    close(fd);
    return error;
}

/* ---- asking ---- */

static int send_request(int fd, const char *request)
{
    size_t size_bytes = strlen(request);
    char line[CAIRN_RECORDER_REQUEST_BYTES];

    if (size_bytes >= sizeof(line) || memchr(request, '\n', size_bytes))
        return EINVAL;
    memcpy(line, request, size_bytes);
    line[size_bytes++] = '\n';
    /* An empty socket has space for it. */
    return send(fd, line, size_bytes, MSG_NOSIGNAL) == (ssize_t)size_bytes ? 0 : errno;
}

/* Reads until the other end is closed. What does not fit is read and left out. */
static int read_answer(int fd, uint32_t timeout_ms, char *text, size_t text_bytes)
{
    uint64_t until_ms = now_ms() + timeout_ms;
    size_t used = 0;
    char rest[256];

    for (;;) {
        struct pollfd wanted = {.fd = fd, .events = POLLIN};
        uint64_t now = now_ms();
        bool fits = used + 1 < text_bytes;
        ssize_t size;

        if (now >= until_ms || !poll(&wanted, 1, (int)(until_ms - now)))
            return ETIMEDOUT;
        size = recv(fd, fits ? text + used : rest, fits ? text_bytes - 1 - used : sizeof(rest), 0);
        if (size < 0 && (errno == EAGAIN || errno == EINTR))
            continue;
        if (size < 0)
            return errno;
        if (!size)
            break;
        used += fits ? (size_t)size : 0;
    }
    text[used] = 0;
    return used ? 0 : EPIPE;
}

/* A process that is being killed still accepts requests, and answers none. */
static bool has_ended(int error)
{
    return error == ECONNRESET || error == EPIPE;
}

int cairn_recorder_ask(const char *name, const char *request, uint32_t timeout_ms, char *text,
                       size_t text_bytes)
{
    int directory_fd;
    int fd = -1;
    int error;

    if (!cairn_recorder_name_is_valid(name) || !text_bytes)
        return EINVAL;
    error = session_control_directory(&directory_fd);
    if (error)
        return error;
    error = session_control_connect(directory_fd, name, &fd);
    close(directory_fd);
    if (error)
        return error;
    error = send_request(fd, request);
    if (!error)
        error = read_answer(fd, timeout_ms, text, text_bytes);
    close(fd);
    return has_ended(error) ? ENOENT : error;
}

/* ---- listing ---- */

static int is_name(const struct dirent *entry)
{
    return cairn_recorder_name_is_valid(entry->d_name);
}

static int32_t pid_of(int fd)
{
    struct ucred who = {0};
    socklen_t size = sizeof(who);

    return getsockopt(fd, SOL_SOCKET, SO_PEERCRED, &who, &size) ? 0 : who.pid;
}

int cairn_recorder_each(void (*each)(void *context, const char *name, int32_t pid), void *context)
{
    struct dirent **entries = NULL;
    int directory_fd;
    int count;
    int error = session_control_directory(&directory_fd);

    if (error)
        return error;
    count = scandirat(directory_fd, ".", &entries, is_name, alphasort);
    error = count < 0 ? errno : 0;
    for (int i = 0; i < count; i++) {
        int fd = -1;
        int failed = session_control_connect(directory_fd, entries[i]->d_name, &fd);

        if (!failed || failed == ENOENT)
            each(context, entries[i]->d_name, failed ? -1 : pid_of(fd));
        if (!failed)
            close(fd);
        free(entries[i]);
    }
    free(entries);
    close(directory_fd);
    return error;
}
