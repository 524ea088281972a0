/* SPDX-License-Identifier: MIT */
/* Reads traces, converts their events, and writes them to a pipe. */
#include "ctf/serve.h"

#include "ctf/event.h"
#include "ctf/frame.h"
#include "ctf/messages.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#define FLUSH_BYTES 65536u

struct server {
    struct ctf_messages messages;
    struct ctf_event event;
    struct cairn_bytes out;
    int fd;
    bool by_origin;
    uint64_t unreadable;
};

/* Returns 0; EPIPE nobody reads; ENOMEM. */
static int flush(struct server *server)
{
    size_t done = 0;

    if (server->out.error)
        return server->out.error;
    while (done < server->out.size) {
        ssize_t n = write(server->fd, server->out.data + done, server->out.size - done);

        if (n < 0 && errno != EINTR)
            return EPIPE;
        done += n < 0 ? 0 : (size_t)n;
    }
    server->out.size = 0;
    return 0;
}

static int put_frame(struct server *server, struct ctf_frame *frame, const char *name,
                     const char *comm, const uint8_t *record)
{
    frame->lost = server->messages.lost;
    frame->lost_packets = server->messages.lost_packets;
    frame->unreadable = server->unreadable;
    perf_data_bytes_put(&server->out, frame, sizeof(*frame));
    perf_data_bytes_put(&server->out, name, frame->name_bytes);
    perf_data_bytes_put(&server->out, comm, frame->comm_bytes);
    perf_data_bytes_put(&server->out, record, frame->record_bytes);
    return server->out.size < FLUSH_BYTES ? 0 : flush(server);
}

/* Returns 0; E2BIG the event is larger than a frame; or as flush. */
static int put_event(struct server *server)
{
    const struct ctf_event *event = &server->event;
    size_t comm_bytes = event->comm ? strlen(event->comm) + 1 : 0;
    struct ctf_frame frame = {
        .kind = CTF_FRAME_EVENT,
        .has =
            (event->has_time ? CTF_FRAME_HAS_TIME : 0) |
            (event->has_wall ? CTF_FRAME_HAS_WALL : 0) | (event->has_cpu ? CTF_FRAME_HAS_CPU : 0) |
            (event->has_thread ? CTF_FRAME_HAS_THREAD : 0) | (event->comm ? CTF_FRAME_HAS_COMM : 0),
        .cpu = event->cpu,
        .pid = event->pid,
        .tid = event->tid,
        .time_ns = event->time_ns,
        .wall_ns = event->wall_ns,
        .name_bytes = (uint32_t)event->name.size,
        .comm_bytes = (uint32_t)comm_bytes,
        .record_bytes = (uint32_t)event->record.size,
    };

    if (event->name.size + comm_bytes + event->record.size > CTF_FRAME_BYTES_MAX)
        return E2BIG;
    return put_frame(server, &frame, (const char *)event->name.data, event->comm,
                     event->record.data);
}

/* Passes on all events. Returns ENODATA after the last one; or the error that ended reading. */
static int serve_events(struct server *server)
{
    const bt_message *message;
    int err;

    do {
        err = ctf_messages_next(&server->messages, &message);
        if (!err) {
            err = ctf_event_convert(&server->event, message, server->by_origin);
            err = err ? err : put_event(server);
            server->unreadable += err == E2BIG;
        }
    } while (!err || err == E2BIG);
    return err;
}

static void put_end(struct server *server, int err)
{
    const char *text = server->messages.error_text;
    struct ctf_frame frame = {
        .kind = CTF_FRAME_END,
        .error = err,
        .name_bytes = (uint32_t)strlen(text) + 1,
    };

    (void)put_frame(server, &frame, text, NULL, NULL);
    (void)flush(server);
}

void ctf_serve(const struct ctf_paths *paths, int fd)
{
    struct server server = {.fd = fd, .by_origin = paths->count > 1};
    struct ctf_frame opened = {.kind = CTF_FRAME_OPENED};
    int err = ctf_messages_open(&server.messages, paths);

    server.event.bt = server.messages.bt;
    if (!err)
        err = put_frame(&server, &opened, NULL, NULL, NULL);
    if (!err)
        err = flush(&server); /* the reader waits for it */
    if (!err)
        err = serve_events(&server);
    put_end(&server, err);
    ctf_event_free(&server.event);
    ctf_messages_close(&server.messages);
    perf_data_bytes_free(&server.out);
}
