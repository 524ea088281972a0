/* SPDX-License-Identifier: MIT */
/*
 * A recorder that can be asked: a socket in the tracing directory, and next to it a file that is
 * locked while its process lives.
 */
#include "session/control.h"
#include "engine/directory.h"
#include "os/clock.h"
#include "os/file.h"

#include <cairn/session.h>
#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <unistd.h>

/* Requests that are read at the same time. */
#define CLIENTS_MAX 4u

#define QUEUE_LENGTH 8

/* Attempts to lock a name that nobody listens to. */
#define LOCK_TRIES    100
#define LOCK_PAUSE_NS 10000000

struct client {
    int fd; /* -1: none */
    size_t size_bytes;
    char request[CAIRN_RECORDER_REQUEST_BYTES];
};

struct cairn_recorder {
    char name[CAIRN_RECORDER_NAME_BYTES];
    int directory_fd;
    int lock_fd;
    int socket_fd;
    struct client clients[CLIENTS_MAX];
};

/* ---- files ---- */

bool cairn_recorder_name_is_valid(const char *name)
{
    static const char allowed[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                  "0123456789_-.";
    size_t length = strspn(name, allowed);

    return length && !name[length] && length < CAIRN_RECORDER_NAME_BYTES && name[0] != '.' &&
           name[0] != '-';
}

int session_control_directory(int *ret_fd)
{
    struct engine_directory directory;
    char path[ENGINE_PATH_MAX + 16];
    int error = engine_directory_find(&directory);
    int fd;

    if (error)
        return error;
    (void)snprintf(path, sizeof(path), "%s/recorders", directory.path);
    if (mkdir(path, 0700) && errno != EEXIST)
        return errno;
    fd = open(path, O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC);
    if (fd < 0)
        return errno;
    *ret_fd = fd;
    return 0;
}

struct sockaddr_un session_control_address(int directory_fd, const char *name)
{
    struct sockaddr_un address = {.sun_family = AF_UNIX};

    (void)snprintf(address.sun_path, sizeof(address.sun_path), "/proc/self/fd/%d/%s", directory_fd,
                   name);
    return address;
}

static int open_lock(struct cairn_recorder *recorder)
{
    char name[CAIRN_RECORDER_NAME_BYTES + 8];

    (void)snprintf(name, sizeof(name), "%s.lock~", recorder->name);
    recorder->lock_fd =
        openat(recorder->directory_fd, name, O_RDWR | O_CREAT | O_NOFOLLOW | O_CLOEXEC, 0600);
    return recorder->lock_fd < 0 ? errno : 0;
}

int session_control_lock(int fd)
{
    int error = os_file_lock(fd, OS_FILE_EXCLUSIVE);

    return error == EAGAIN || error == EACCES ? EBUSY : error;
}

static bool is_listening(const struct cairn_recorder *recorder)
{
    int fd;
    int error = session_control_connect(recorder->directory_fd, recorder->name, &fd);

    if (!error)
        close(fd);
    return error != ENOENT;
}

/* A process that was killed has its locks until it has ended, and one that removes its socket has
 * the lock for a moment. */
static int lock_own_name(const struct cairn_recorder *recorder)
{
    int error = session_control_lock(recorder->lock_fd);

    for (int i = 0; i < LOCK_TRIES && error == EBUSY && !is_listening(recorder); i++) {
        os_sleep(LOCK_PAUSE_NS);
        error = session_control_lock(recorder->lock_fd);
    }
    return error;
}

/* Under the lock: a socket that is there is one of a process that has ended. */
static int listen_there(struct cairn_recorder *recorder)
{
    struct sockaddr_un address = session_control_address(recorder->directory_fd, recorder->name);

    recorder->socket_fd = socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (recorder->socket_fd < 0)
        return errno;
    if (unlinkat(recorder->directory_fd, recorder->name, 0) && errno != ENOENT)
        return errno;
    if (bind(recorder->socket_fd, (const struct sockaddr *)&address, sizeof(address)) ||
        listen(recorder->socket_fd, QUEUE_LENGTH))
        return errno;
    return 0;
}

int cairn_recorder_open(const char *name, struct cairn_recorder **ret_recorder)
{
    struct cairn_recorder *recorder;
    int error;

    if (!cairn_recorder_name_is_valid(name))
        return EINVAL;
    recorder = calloc(1, sizeof(*recorder));
    if (!recorder)
        return ENOMEM;
    recorder->directory_fd = recorder->lock_fd = recorder->socket_fd = -1;
    for (uint32_t i = 0; i < CLIENTS_MAX; i++)
        recorder->clients[i].fd = -1;
    memcpy(recorder->name, name, strlen(name) + 1);
    error = session_control_directory(&recorder->directory_fd);
    if (!error)
        error = open_lock(recorder);
    if (!error)
        error = lock_own_name(recorder);
    if (!error)
        error = listen_there(recorder);
    if (error) {
        cairn_recorder_close(recorder);
        return error;
    }
    *ret_recorder = recorder;
    return 0;
}

int cairn_recorder_forget(const char *name)
{
    struct cairn_recorder recorder = {.lock_fd = -1};
    int error;

    if (!cairn_recorder_name_is_valid(name))
        return EINVAL;
    memcpy(recorder.name, name, strlen(name) + 1);
    error = session_control_directory(&recorder.directory_fd);
    if (error)
        return error;
    error = open_lock(&recorder);
    if (!error)
        error = session_control_lock(recorder.lock_fd);
    if (!error && unlinkat(recorder.directory_fd, name, 0))
        error = errno;
    if (recorder.lock_fd >= 0)
        close(recorder.lock_fd);
    close(recorder.directory_fd);
    return error;
}

static void close_client(struct client *client)
{
    if (client->fd >= 0)
        close(client->fd);
    client->fd = -1;
    client->size_bytes = 0;
}

void cairn_recorder_close(struct cairn_recorder *recorder)
{
    if (!recorder)
        return;
    for (uint32_t i = 0; i < CLIENTS_MAX; i++)
        close_client(&recorder->clients[i]);
    if (recorder->socket_fd >= 0) {
        close(recorder->socket_fd);
        (void)unlinkat(recorder->directory_fd, recorder->name, 0);
    }
    if (recorder->lock_fd >= 0)
        close(recorder->lock_fd);
    if (recorder->directory_fd >= 0)
        close(recorder->directory_fd);
    free(recorder);
}

/* ---- requests ---- */

/* A client that does not read gets no answer. */
static void send_answer(const struct client *client, const char *text)
{
    (void)send(client->fd, text, strlen(text), MSG_NOSIGNAL | MSG_DONTWAIT);
}

/* Reads what has come. True: the request is complete. */
static bool read_request(struct client *client)
{
    size_t left = sizeof(client->request) - client->size_bytes;
    ssize_t size = recv(client->fd, client->request + client->size_bytes, left, MSG_DONTWAIT);
    char *end;

    if (size < 0 && (errno == EAGAIN || errno == EINTR))
        return false;
    if (size <= 0) {
        close_client(client);
        return false;
    }
    end = memchr(client->request + client->size_bytes, '\n', (size_t)size);
    client->size_bytes += (size_t)size;
    if (!end && client->size_bytes < sizeof(client->request))
        return false;
    if (!end || memchr(client->request, 0, (size_t)(end - client->request))) {
        close_client(client);
        return false;
    }
    *end = 0;
    return true;
}

static void accept_client(struct cairn_recorder *recorder)
{
    for (uint32_t i = 0; i < CLIENTS_MAX; i++) {
        struct client *client = &recorder->clients[i];

        if (client->fd < 0)
            client->fd = accept4(recorder->socket_fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);
    }
}

void cairn_recorder_poll(struct cairn_recorder *recorder,
                         void (*answer)(void *context, const char *request, char *text,
                                        size_t text_bytes),
                         void *context)
{
    accept_client(recorder);
    for (uint32_t i = 0; i < CLIENTS_MAX; i++) {
        struct client *client = &recorder->clients[i];
        char text[CAIRN_RECORDER_REQUEST_BYTES] = "";

        if (client->fd < 0 || !read_request(client))
            continue;
        answer(context, client->request, text, sizeof(text));
        text[sizeof(text) - 1] = 0;
        send_answer(client, text);
        close_client(client);
    }
}
