/* SPDX-License-Identifier: MIT */
/*
 * A small HTTP server on the loopback, with a span for each connection and each request.
 *
 *   CAIRN_LOG=info httpd 8080                     lines on standard error
 *   CAIRN_LOG='[request{path="/slow"}]=trace' httpd 8080
 *   cairn record -e 'Example_Httpd_*' -- httpd 8080
 *
 * usage: httpd PORT [REQUESTS]     port 0: any, which is printed; ends after so many requests, or
 * by SIGTERM or SIGINT
 *
 * A request that carries a traceparent header is in the trace of who made it.
 */
#include <cairn/tracing.h>

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#define REQUEST_MAX_BYTES 8192
#define EVENTS_AT_ONCE    64

struct connection {
    int fd;
    struct cairn_span *span;
    struct connection *next;
    struct connection *previous;
    size_t length;
    char buffer[REQUEST_MAX_BYTES + 1];
};

static volatile sig_atomic_t is_stopped;
static unsigned long requests;
static struct connection *connections;

static void stop(int number)
{
    (void)number;
    is_stopped = 1;
}

/* ---- one request ---- */

/* Copies the value of a header into `value`; false: it is not there, or too long. */
static int find_header(const char *head, const char *name, char *value, size_t size)
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
            return 0;
        memcpy(value, line, length);
        value[length] = '\0';
        return 1;
    }
    return 0;
}

static int send_answer(int fd, int status, const char *reason, const char *body)
{
    char response[512];
    int length =
        snprintf(response, sizeof(response),
                 "HTTP/1.1 %d %s\r\nContent-Type: text/plain\r\nContent-Length: %zu\r\n\r\n%s",
                 status, reason, strlen(body), body);

    return send(fd, response, (size_t)length, MSG_NOSIGNAL) == length ? 0 : -1;
}

static int answer(int fd, int status)
{
    if (status == 200)
        return send_answer(fd, status, "OK", "hello\n");
    if (status == 405)
        return send_answer(fd, status, "Method Not Allowed", "GET only\n");
    return send_answer(fd, status, "Bad Request", "what?\n");
}

/* The caller's place in a trace, when it says so. */
static const struct cairn_trace_context *find_context(const char *head,
                                                      struct cairn_trace_context *context)
{
    char text[64];

    if (!find_header(head, "traceparent", text, sizeof(text)) ||
        cairn_trace_context_parse(text, context))
        return NULL;
    return context;
}

static int serve(struct connection *c, const char *head)
{
    struct cairn_trace_context context;
    char method[16] = "";
    char path[256] = "";
    int is_request = sscanf(head, "%15s %255s HTTP/1.", method, path) == 2;
    int status = !is_request ? 400 : strcmp(method, "GET") != 0 ? 405 : 200;
    CAIRN_SCOPE(INFO, "request", parent(c->span), remote(find_context(head, &context)),
                kv("method", method), kv("path", path), kv("status", cairn_empty()));
    int error = answer(c->fd, status);

    CAIRN_RECORD(cairn_span_current(), "status", status);
    if (error)
        CAIRN_WARN((kv("error", cairn_errno(errno))), "the answer was not taken");
    else
        CAIRN_INFO((kv("status", status)), "%s %s", method, path);
    requests++;
    return error;
}

/* All requests that are whole; what is left moves to the front. Nonzero: close the connection. */
static int serve_all(struct connection *c)
{
    char *begin = c->buffer;
    int error = 0;
    char *end;

    c->buffer[c->length] = '\0';
    while (!error && (end = strstr(begin, "\r\n\r\n"))) {
        end[2] = '\0';
        error = serve(c, begin);
        begin = end + 4;
    }
    c->length -= (size_t)(begin - c->buffer);
    memmove(c->buffer, begin, c->length);
    return error || c->length == REQUEST_MAX_BYTES;
}

/* ---- connections ---- */

static void accept_one(int epoll, int listener)
{
    struct sockaddr_in peer;
    socklen_t size = sizeof(peer);
    int fd = accept4(listener, (struct sockaddr *)&peer, &size, SOCK_NONBLOCK | SOCK_CLOEXEC);
    struct connection *c = fd < 0 ? NULL : calloc(1, sizeof(*c));
    struct epoll_event event = {.events = EPOLLIN, .data.ptr = c};
    const int yes = 1;

    if (!c) {
        CAIRN_WARN((kv("error", cairn_errno(errno))), "no connection");
        if (fd >= 0)
            close(fd);
        return;
    }
    c->fd = fd;
    (void)setsockopt(fd, IPPROTO_TCP, TCP_NODELAY, &yes, sizeof(yes));
    c->span = CAIRN_SPAN(INFO, "connection", kv("peer_port", ntohs(peer.sin_port)), kv("fd", fd));
    c->next = connections;
    if (connections)
        connections->previous = c;
    connections = c;
    (void)epoll_ctl(epoll, EPOLL_CTL_ADD, fd, &event);
}

static void end_connection(struct connection *c)
{
    if (c->next)
        c->next->previous = c->previous;
    if (c->previous)
        c->previous->next = c->next;
    else
        connections = c->next;
    close(c->fd);
    cairn_span_close(c->span);
    free(c);
}

static void read_one(struct connection *c)
{
    int is_over;

    {
        CAIRN_IN_SPAN(c->span);
        ssize_t count = read(c->fd, c->buffer + c->length, REQUEST_MAX_BYTES - c->length);

        if (count < 0 && errno == EAGAIN)
            return;
        CAIRN_TRACE((kv("bytes", (long)count)), "read");
        if (count > 0)
            c->length += (size_t)count;
        is_over = count <= 0 || serve_all(c);
    }
    if (is_over)
        end_connection(c);
}

/* ---- the server ---- */

static int listen_on(uint16_t port)
{
    struct sockaddr_in address = {
        .sin_family = AF_INET, .sin_port = htons(port), .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    socklen_t size = sizeof(address);
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0);
    const int yes = 1;

    if (fd < 0 || setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, &yes, sizeof(yes)) ||
        bind(fd, (struct sockaddr *)&address, sizeof(address)) || listen(fd, 128) ||
        getsockname(fd, (struct sockaddr *)&address, &size))
        return -1;
    printf("listening on port %u\n", ntohs(address.sin_port));
    (void)fflush(stdout);
    return fd;
}

static void run(int epoll, int listener, unsigned long request_max)
{
    struct epoll_event events[EVENTS_AT_ONCE];

    while (!is_stopped && (!request_max || requests < request_max)) {
        int count = epoll_wait(epoll, events, EVENTS_AT_ONCE, 1000);

        for (int i = 0; i < count; i++) {
            if (events[i].data.ptr)
                read_one(events[i].data.ptr);
            else
                accept_one(epoll, listener);
        }
    }
    for (struct connection *c = connections, *next; c; c = next) {
        next = c->next;
        end_connection(c);
    }
}

/* Lines as CAIRN_LOG says, and events for recorders. */
static int set_up_tracing(void)
{
    const struct cairn_eventheader_options options = {.name = "Example_Httpd"};
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
    const struct sigaction action = {.sa_handler = stop};
    struct epoll_event event = {.events = EPOLLIN};
    int listener;
    int epoll;

    if (argc < 2 || argc > 3) {
        (void)fprintf(stderr, "usage: httpd PORT [REQUESTS]\n");
        return 2;
    }
    if (set_up_tracing())
        return 1;
    (void)sigaction(SIGTERM, &action, NULL);
    (void)sigaction(SIGINT, &action, NULL);
    listener = listen_on((uint16_t)strtoul(argv[1], NULL, 10));
    epoll = epoll_create1(EPOLL_CLOEXEC);
    if (listener < 0 || epoll < 0 || epoll_ctl(epoll, EPOLL_CTL_ADD, listener, &event)) {
        perror("httpd");
        return 1;
    }
    run(epoll, listener, argc > 2 ? strtoul(argv[2], NULL, 10) : 0);
    printf("%lu requests\n", requests);
    return 0;
}
