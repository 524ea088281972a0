/* SPDX-License-Identifier: MIT */
/*
 * A server of one page on the loopback, for one person. A request must name the address in its Host
 * header, so that a name of somebody else that resolves to the loopback is refused, and its path
 * begins with a random token, so that other users and pages of this machine are.
 */
#include "core/options.h"
#include "report/http.h"
#include "report/report.h"

#include <arpa/inet.h>
#include <errno.h>
#include <inttypes.h>
#include <netinet/in.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/random.h>
#include <sys/socket.h>
#include <unistd.h>

#define CONNECTIONS_MAX  32u
#define REQUEST_BYTES    8192u
#define RESPONSE_BYTES   1024u
#define STEP_BYTES       (256u << 10)
#define TOKEN_BYTES      16u
#define URL_BYTES        96u
#define BYTES_OF_A_RANGE (64u << 20) /* at most */

struct connection {
    int fd; /* -1: free */
    char request[REQUEST_BYTES];
    size_t request_size;
    char head[RESPONSE_BYTES]; /* of the response */
    size_t head_size;
    size_t head_sent;
    char *copy;       /* owned: the body, if it can change */
    const char *body; /* a constant, or the copy; NULL: it is in the data */
    uint64_t at;      /* of what is sent next: in the body, or in the data */
    uint64_t end;
    bool is_sending;
    bool closes; /* after the response */
};

struct cairn_report_server {
    struct cairn_report *report;
    int data_fd;
    int fd;
    char token[2 * TOKEN_BYTES + 1];
    char url[URL_BYTES];
    char hosts[2][32];
    struct connection connections[CONNECTIONS_MAX];
    char step[STEP_BYTES];
};

/* ---- create and destroy ---- */

static int make_token(char token[2 * TOKEN_BYTES + 1])
{
    uint8_t bytes[TOKEN_BYTES];

    if (getrandom(bytes, sizeof(bytes), 0) != sizeof(bytes))
        return errno ? errno : EIO;
    for (unsigned n = 0; n < TOKEN_BYTES; n++)
        snprintf(token + 2 * n, 3, "%02x", bytes[n]);
    return 0;
}

static int listen_on(struct cairn_report_server *server, uint16_t port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr = {htonl(INADDR_LOOPBACK)}};
    socklen_t size = sizeof(address);
    int on = 1;

    server->fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    if (server->fd < 0 || setsockopt(server->fd, SOL_SOCKET, SO_REUSEADDR, &on, sizeof(on)) < 0 ||
        bind(server->fd, (struct sockaddr *)&address, sizeof(address)) < 0 ||
        listen(server->fd, 16) < 0 ||
        getsockname(server->fd, (struct sockaddr *)&address, &size) < 0)
        return errno;
    snprintf(server->hosts[0], sizeof(server->hosts[0]), "127.0.0.1:%u", ntohs(address.sin_port));
    snprintf(server->hosts[1], sizeof(server->hosts[1]), "localhost:%u", ntohs(address.sin_port));
    return 0;
}

static int listen_for(const struct cairn_report_server_options *options,
                      struct cairn_report_server **ret_server)
{
    struct cairn_report_server *server = (struct cairn_report_server *)calloc(1, sizeof(*server));
    int err;

    if (!server)
        return ENOMEM;
    server->report = options->report;
    server->data_fd = options->data_fd;
    server->fd = -1;
    for (unsigned n = 0; n < CONNECTIONS_MAX; n++)
        server->connections[n].fd = -1;
    err = make_token(server->token);
    if (!err)
        err = listen_on(server, options->port);
    if (err) {
        cairn_report_server_destroy(server);
        return err;
    }
    snprintf(server->url, sizeof(server->url), "http://%s/%s/", server->hosts[0], server->token);
    *ret_server = server;
    return 0;
}

int cairn_report_server_create(const struct cairn_report_server_options *options,
                               struct cairn_report_server **ret_server)
{
    struct cairn_report_server_options own = CAIRN_REPORT_SERVER_OPTIONS_INIT;
    int err =
        core_options_copy(options, CORE_OPTIONS_BYTES_TO(struct cairn_report_server_options, port),
                          sizeof(own), &own);

    if (!err && !own.report)
        err = EINVAL;
    return err ? err : listen_for(&own, ret_server);
}

static void end_connection(struct connection *connection)
{
    if (connection->fd >= 0)
        close(connection->fd);
    free(connection->copy);
    *connection = (struct connection){.fd = -1};
}

void cairn_report_server_destroy(struct cairn_report_server *server)
{
    if (!server)
        return;
    for (unsigned n = 0; n < CONNECTIONS_MAX; n++)
        end_connection(&server->connections[n]);
    if (server->fd >= 0)
        close(server->fd);
    free(server);
}

const char *cairn_report_server_url(const struct cairn_report_server *server)
{
    return server->url;
}

/* ---- responses ---- */

static void begin_response(struct connection *connection, const char *status, const char *type,
                           uint64_t size, const char *more)
{
    int length = snprintf(connection->head, sizeof(connection->head),
                          "HTTP/1.1 %s\r\n"
                          "Content-Type: %s\r\n"
                          "Content-Length: %" PRIu64 "\r\n"
                          "%s"
                          "Cache-Control: no-store\r\n"
                          "X-Content-Type-Options: nosniff\r\n"
                          "Referrer-Policy: no-referrer\r\n"
                          "Cross-Origin-Resource-Policy: same-origin\r\n"
                          "Connection: %s\r\n"
                          "\r\n",
                          status, type, size, more, connection->closes ? "close" : "keep-alive");

    connection->head_size = (size_t)length;
    connection->head_sent = 0;
    connection->is_sending = true;
}

static void respond(struct connection *connection, const char *status, const char *type,
                    const char *body, size_t size)
{
    connection->body = body;
    connection->at = 0;
    connection->end = size;
    begin_response(connection, status, type, size, "");
}

static void refuse(struct connection *connection, const char *status)
{
    respond(connection, status, "text/plain", status, strlen(status));
}

static void send_index(struct cairn_report_server *server, struct connection *connection)
{
    const void *index;
    size_t size;

    if (cairn_report_index(server->report, &index, &size) ||
        !(connection->copy = (char *)malloc(size ? size : 1))) {
        refuse(connection, "500 Internal Server Error");
        return;
    }
    memcpy(connection->copy, index, size);
    respond(connection, "200 OK", "application/json", connection->copy, size);
}

static void send_data(struct cairn_report_server *server, struct connection *connection,
                      const struct report_http_request *request)
{
    uint64_t size = server->report->output.sink.written;
    uint64_t end = request->range_end < size ? request->range_end + 1 : size;
    char range[96];

    if (!request->has_range || request->range_begin >= end ||
        end - request->range_begin > BYTES_OF_A_RANGE) {
        refuse(connection, "416 Range Not Satisfiable");
        return;
    }
    connection->body = NULL;
    connection->at = request->range_begin;
    connection->end = end;
    snprintf(range, sizeof(range), "Content-Range: bytes %" PRIu64 "-%" PRIu64 "/%" PRIu64 "\r\n",
             request->range_begin, end - 1, size);
    begin_response(connection, "206 Partial Content", "application/octet-stream",
                   end - request->range_begin, range);
}

/* ---- requests ---- */

static bool is_text(struct cairn_slice slice, const char *text)
{
    return slice.length == strlen(text) && !memcmp(slice.text, text, slice.length);
}

/* Takes "/TOKEN/" off the front of a path, in a time that does not depend on how much matches. */
static bool take_token(const struct cairn_report_server *server, struct cairn_slice *path)
{
    const uint32_t length = 2 * TOKEN_BYTES;
    unsigned different = 0;

    if (path->length < length + 2 || path->text[length + 1] != '/')
        return false;
    for (uint32_t n = 0; n < length; n++)
        different |= (unsigned)(path->text[n + 1] ^ server->token[n]);
    path->text += length + 2;
    path->length -= length + 2;
    return !different;
}

static void answer(struct cairn_report_server *server, struct connection *connection,
                   const struct report_http_request *request)
{
    struct cairn_slice path = request->path;
    size_t size;
    const char *page;

    connection->closes = request->closes || request->has_body;
    if (!is_text(request->host, server->hosts[0]) && !is_text(request->host, server->hosts[1])) {
        refuse(connection, "403 Forbidden");
    } else if (!take_token(server, &path)) {
        refuse(connection, "404 Not Found");
    } else if (!is_text(request->method, "GET")) {
        refuse(connection, "405 Method Not Allowed");
    } else if (!path.length) {
        page = cairn_report_page(&size);
        respond(connection, "200 OK", "text/html; charset=utf-8", page, size);
    } else if (is_text(path, "index")) {
        send_index(server, connection);
    } else if (is_text(path, "data")) {
        send_data(server, connection, request);
    } else {
        refuse(connection, "404 Not Found");
    }
}

/* Answers the next request that was received, if it is complete. */
static void handle(struct cairn_report_server *server, struct connection *connection)
{
    struct report_http_request request;
    int err = report_http_parse(connection->request, connection->request_size, &request);

    if (err == EAGAIN && connection->request_size < REQUEST_BYTES)
        return;
    if (err) {
        connection->closes = true;
        refuse(connection, "400 Bad Request");
        return;
    }
    answer(server, connection, &request);
    connection->request_size -= request.size_bytes;
    memmove(connection->request, connection->request + request.size_bytes,
            connection->request_size);
}

static void receive(struct cairn_report_server *server, struct connection *connection)
{
    ssize_t n = recv(connection->fd, connection->request + connection->request_size,
                     REQUEST_BYTES - connection->request_size, 0);

    if (n < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (n <= 0) {
        end_connection(connection);
        return;
    }
    connection->request_size += (size_t)n;
    handle(server, connection);
}

/* ---- sending ---- */

/* Returns the number of bytes sent; 0: not now; negative: the connection is broken. */
static ssize_t send_some(int fd, const void *data, size_t size)
{
    ssize_t n = send(fd, data, size, MSG_NOSIGNAL);

    return n < 0 && (errno == EAGAIN || errno == EINTR) ? 0 : n;
}

static ssize_t send_part(struct cairn_report_server *server, struct connection *connection)
{
    uint64_t left = connection->end - connection->at;
    ssize_t n;

    if (connection->head_sent < connection->head_size)
        return send_some(connection->fd, connection->head + connection->head_sent,
                         connection->head_size - connection->head_sent);
    if (connection->body)
        return send_some(connection->fd, connection->body + connection->at, left);
    n = pread(server->data_fd, server->step, left < STEP_BYTES ? left : STEP_BYTES,
              (off_t)connection->at);
    return n <= 0 ? -1 : send_some(connection->fd, server->step, (size_t)n);
}

static void send_response(struct cairn_report_server *server, struct connection *connection)
{
    ssize_t n = 1;

    while (n > 0 &&
           (connection->head_sent < connection->head_size || connection->at < connection->end)) {
        n = send_part(server, connection);
        if (n > 0 && connection->head_sent < connection->head_size)
            connection->head_sent += (size_t)n;
        else if (n > 0)
            connection->at += (uint64_t)n;
    }
    if (n < 0) {
        end_connection(connection);
        return;
    }
    if (!n)
        return;
    free(connection->copy);
    connection->copy = NULL;
    connection->is_sending = false;
    if (connection->closes)
        end_connection(connection);
    else
        handle(server, connection);
}

/* ---- the loop ---- */

/* Finds a connection that is free, or one that waits for a request: a browser opens it again. */
static struct connection *free_connection(struct cairn_report_server *server)
{
    struct connection *waiting = NULL;

    for (unsigned n = 0; n < CONNECTIONS_MAX; n++) {
        struct connection *connection = &server->connections[n];

        if (connection->fd < 0)
            return connection;
        if (!connection->is_sending && !connection->request_size)
            waiting = connection;
    }
    if (!waiting)
        waiting = &server->connections[0];
    end_connection(waiting);
    return waiting;
}

static void accept_one(struct cairn_report_server *server)
{
    int fd = accept4(server->fd, NULL, NULL, SOCK_CLOEXEC | SOCK_NONBLOCK);

    if (fd >= 0)
        free_connection(server)->fd = fd;
}

/* Sets what each connection waits for; the last one is the listening socket. */
static int poll_all(const struct cairn_report_server *server, int timeout_ms,
                    struct pollfd fds[CONNECTIONS_MAX + 1])
{
    for (unsigned n = 0; n < CONNECTIONS_MAX; n++) {
        const struct connection *connection = &server->connections[n];

        fds[n] = (struct pollfd){.fd = connection->fd,
                                 .events = connection->is_sending ? POLLOUT : POLLIN};
    }
    fds[CONNECTIONS_MAX] = (struct pollfd){.fd = server->fd, .events = POLLIN};
    return poll(fds, CONNECTIONS_MAX + 1, timeout_ms);
}

int cairn_report_server_wait(struct cairn_report_server *server, int timeout_ms)
{
    struct pollfd fds[CONNECTIONS_MAX + 1];
    int n = poll_all(server, timeout_ms, fds);

    if (n < 0 && errno != EINTR)
        return errno;
    return n > 0 ? 0 : EAGAIN;
}

void cairn_report_server_answer(struct cairn_report_server *server)
{
    struct pollfd fds[CONNECTIONS_MAX + 1];

    if (poll_all(server, 0, fds) <= 0)
        return;
    for (unsigned n = 0; n < CONNECTIONS_MAX; n++) {
        struct connection *connection = &server->connections[n];

        if (!fds[n].revents)
            continue;
        if (!connection->is_sending)
            receive(server, connection);
        if (connection->fd >= 0 && connection->is_sending)
            send_response(server, connection);
    }
    if (fds[CONNECTIONS_MAX].revents)
        accept_one(server);
}
