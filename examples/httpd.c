/* SPDX-License-Identifier: MIT */
/*
 * A small HTTP server on the loopback interface, with a span for each connection and each request.
 *
 *   CAIRN_LOG=info httpd 8080                     lines on standard error
 *   CAIRN_LOG='[request{path="/slow"}]=trace' httpd 8080
 *   cairn record -e 'Example_Httpd_*' -- httpd 8080
 *
 * usage: httpd PORT [REQUESTS]     port 0: any free one, which is printed; ends after REQUESTS
 * requests, or by SIGTERM or SIGINT
 *
 * A request with a traceparent header is part of the trace of its sender.
 */
#include <cairn/tracing.h>

#include "sockets.h"

#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>

#define REQUEST_MAX_BYTES 8192

struct connection {
    socket_handle socket;
    struct cairn_span *span;
    struct connection *next;
    struct connection *previous;
    size_t length;
    char buffer[REQUEST_MAX_BYTES + 1];
};

static volatile sig_atomic_t is_stopped;
static unsigned long requests;
static struct connection *connections;
static struct socket_set waiting;

static void stop(int number)
{
    (void)number;
    is_stopped = 1;
}

/* ---- one request ---- */

/* Copies the value of a header into `value`; false: it is missing, or too long. */
static bool find_header(const char *head, const char *name, char *value, size_t size)
{
    size_t name_length = strlen(name);

    for (const char *line = strstr(head, "\r\n"); line; line = strstr(line + 2, "\r\n")) {
        size_t length;

        if (strncasecmp(line + 2, name, name_length) != 0 || line[2 + name_length] != ':')
            continue;
        line += 2 + name_length + 1;
        line += strspn(line, " \t");
        length = strcspn(line, "\r");
        if (length >= size)
            return false;
        memcpy(value, line, length);
        value[length] = '\0';
        return true;
    }
    return false;
}

/* Returns 0 or an error code: the answer was not sent completely, and there will be no other. */
static int send_answer(socket_handle to, const char *status, const char *connection,
                       const char *body)
{
    char response[512];
    int length = snprintf(response, sizeof(response),
                          "HTTP/1.1 %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n"
                          "Connection: %s\r\n\r\n%s",
                          status, strlen(body), connection, body);
    long sent = socket_send(to, response, (size_t)length);

    if (sent < 0)
        return socket_error();
    return sent == length ? 0 : EAGAIN;
}

static int answer(socket_handle to, int status, bool is_last)
{
    const char *connection = is_last ? "close" : "keep-alive";

    if (status == 200)
        return send_answer(to, "200 OK", connection, "hello\n");
    if (status == 405)
        return send_answer(to, "405 Method Not Allowed", connection, "GET only\n");
    return send_answer(to, "400 Bad Request", connection, "what?\n");
}

static bool wants_close(const char *head)
{
    char text[32];

    return find_header(head, "connection", text, sizeof(text)) && strcasecmp(text, "close") == 0;
}

/* Returns the trace context of the client, if the request has one. */
static const struct cairn_trace_context *find_context(const char *head,
                                                      struct cairn_trace_context *context)
{
    char text[64];

    if (!find_header(head, "traceparent", text, sizeof(text)) ||
        cairn_trace_context_parse(text, context))
        return NULL;
    return context;
}

/* Answers one request. Returns true to keep the connection open. */
static bool serve(struct connection *c, const char *head)
{
    struct cairn_trace_context context;
    char method[16] = "";
    char path[256] = "";
    int is_request = sscanf(head, "%15s %255s HTTP/1.", method, path) == 2;
    int status = !is_request ? 400 : strcmp(method, "GET") != 0 ? 405 : 200;
    CAIRN_SCOPE_AS(request, INFO, "request", parent(c->span), remote(find_context(head, &context)),
                   kv("method", method), kv("path", path), kv("status", cairn_empty()));
    bool is_last = !is_request || wants_close(head);
    int error = answer(c->socket, status, is_last);

    CAIRN_RECORD(request, "status", status);
    if (error)
        CAIRN_WARN((kv("error", cairn_errno(error))), "the answer was not sent");
    else
        CAIRN_INFO((kv("status", status)), "%s %s", method, path);
    requests++;
    return !error && !is_last;
}

/* Answers all complete requests; the rest moves to the front of the buffer. False: close the
 * connection. */
static bool serve_all(struct connection *c)
{
    char *begin = c->buffer;
    bool is_kept = true;
    char *end;

    c->buffer[c->length] = '\0';
    while (is_kept && (end = strstr(begin, "\r\n\r\n"))) {
        end[2] = '\0';
        is_kept = serve(c, begin);
        begin = end + 4;
    }
    c->length -= (size_t)(begin - c->buffer);
    memmove(c->buffer, begin, c->length);
    return is_kept && c->length < REQUEST_MAX_BYTES;
}

/* ---- connections ---- */

static void accept_one(socket_handle listener)
{
    uint16_t peer_port = 0;
    socket_handle accepted = SOCKET_NONE;
    int error = socket_accept(listener, &accepted, &peer_port);
    struct connection *c = error ? NULL : calloc(1, sizeof(*c));

    if (!error)
        error = c ? socket_set_add(&waiting, accepted, c) : ENOMEM;
    if (error) {
        CAIRN_WARN((kv("error", cairn_errno(error))), "the connection was not accepted");
        if (accepted != SOCKET_NONE)
            socket_close(accepted);
        free(c);
        return;
    }
    c->socket = accepted;
    c->span = CAIRN_SPAN(INFO, "connection", kv("peer_port", peer_port), kv("fd", accepted));
    c->next = connections;
    if (connections)
        connections->previous = c;
    connections = c;
}

static void end_connection(struct connection *c)
{
    if (c->next)
        c->next->previous = c->previous;
    if (c->previous)
        c->previous->next = c->next;
    else
        connections = c->next;
    socket_set_remove(&waiting, c->socket);
    socket_close(c->socket);
    cairn_span_close(c->span);
    free(c);
}

static void read_one(struct connection *c)
{
    bool is_kept;

    {
        CAIRN_IN_SPAN(c->span);
        long count =
            socket_receive(c->socket, c->buffer + c->length, REQUEST_MAX_BYTES - c->length);

        if (count < 0 && socket_error() == EAGAIN)
            return;
        CAIRN_TRACE((kv("bytes", count)), "read");
        if (count > 0)
            c->length += (size_t)count;
        is_kept = count > 0 && serve_all(c);
    }
    if (!is_kept)
        end_connection(c);
}

/* ---- the server ---- */

static void run(socket_handle listener, unsigned long request_max)
{
    void *ready[SOCKETS_AT_ONCE];

    while (!is_stopped && (!request_max || requests < request_max)) {
        int count = socket_set_wait(&waiting, ready);

        for (int i = 0; i < count; i++) {
            if (ready[i])
                read_one(ready[i]);
            else
                accept_one(listener);
        }
    }
    for (struct connection *c = connections, *next; c; c = next) {
        next = c->next;
        end_connection(c);
    }
}

/* Writes lines as CAIRN_LOG selects them, and events for recorders. */
static int set_up_tracing(void)
{
    const struct cairn_eventheader_options options = {.size = sizeof(options),
                                                      .name = "Example_Httpd"};
    const char *log = getenv("CAIRN_LOG");
    struct cairn_directives_error why = {0, ""};
    struct cairn_directives *filter = NULL;
    struct cairn_subscriber *subscriber;
    struct cairn_layer *lines;
    struct cairn_layer *events;
    int error = cairn_directives_parse(log ? log : "off", &filter, &why);

    if (error) {
        (void)fprintf(stderr, "httpd: CAIRN_LOG: at byte %zu: %s\n", why.at, why.reason);
        return error;
    }
    if ((error = cairn_subscriber_create(&subscriber)) ||
        (error = cairn_stderr_layer_create(NULL, &lines)) ||
        (error = cairn_subscriber_add(subscriber, lines, filter)) ||
        (error = cairn_eventheader_layer_create(&options, &events)) ||
        (error = cairn_subscriber_add(subscriber, events, NULL)))
        return error;
    return cairn_subscriber_set_global(subscriber);
}

int main(int argc, char **argv)
{
    socket_handle listener = SOCKET_NONE;
    uint16_t port = 0;
    int error;

    if (argc < 2 || argc > 3) {
        (void)fprintf(stderr, "usage: httpd PORT [REQUESTS]\n");
        return 2;
    }
    if (set_up_tracing())
        return 1;
    (void)signal(SIGTERM, stop);
    (void)signal(SIGINT, stop);
    error = socket_set_create(&waiting);
    if (!error)
        error = socket_listen((uint16_t)strtoul(argv[1], NULL, 10), &listener, &port);
    if (!error)
        error = socket_set_add(&waiting, listener, NULL);
    if (error) {
        (void)fprintf(stderr, "httpd: %s\n", strerror(error));
        return 1;
    }
    printf("listening on port %u\n", port);
    (void)fflush(stdout);
    run(listener, argc > 2 ? strtoul(argv[2], NULL, 10) : 0);
    printf("%lu requests, %" PRIu64 " events lost\n", requests, cairn_tracing_lost());
    return 0;
}
