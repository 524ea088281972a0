/* SPDX-License-Identifier: MIT */
/* Where a session's records go: to a perf.data writer, or to a receiver in the order of time. */
#include "session/internal.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

/*
 * A receiver gets records that are older than this: who takes the time of an event has mostly
 * committed it then. One that was kept from its CPU for longer is late, and out of order.
 */
#define SETTLED_NS UINT64_C(1000000)

/* A record that waits for those that are older. */
struct session_waiting {
    uint64_t time_ns;
    uint64_t sequence; /* of two of one time the first to come stays the first */
    size_t at;         /* in the bytes */
    uint32_t size_bytes;
    char comm[CAIRN_COMM_BYTES];
};

static int open_writer(struct cairn_session *session, const struct cairn_session_options *options)
{
    struct cairn_perf_clock clock;
    int error = cairn_perf_writer_create(options->fd, options->mode, &session->writer);

    if (!error && options->arg_count)
        error = cairn_perf_writer_set_command(session->writer, options->arg_count, options->args);
    if (!error)
        error = cairn_perf_clock_read(CLOCK_MONOTONIC, &clock);
    if (!error)
        error = cairn_perf_writer_set_clock(session->writer, &clock);
    return error;
}

int cairn_session_open_output(struct cairn_session *session,
                              const struct cairn_session_options *options)
{
    if (!options->receiver)
        return open_writer(session, options);
    session->receiver = *options->receiver;
    return 0;
}

void cairn_session_close_output(struct cairn_session *session)
{
    cairn_perf_writer_destroy(session->writer);
    free(session->queue.waiting);
    free(session->queue.bytes);
}

int cairn_session_put_tracepoint(struct cairn_session *session,
                                 const struct cairn_perf_tracepoint *tracepoint)
{
    if (session->writer)
        return cairn_perf_writer_add_tracepoint(session->writer, tracepoint);
    return session->receiver.tracepoint(session->receiver.context, tracepoint);
}

/* ---- a receiver's records ---- */

/* Room for one more, of so many bytes. */
static int make_room(struct session_queue *queue, size_t size_bytes)
{
    if (queue->count == queue->room) {
        size_t room = queue->room ? 2 * queue->room : 1024;
        struct session_waiting *waiting =
            reallocarray(queue->waiting, room, sizeof(*queue->waiting));

        if (!waiting)
            return ENOMEM;
        queue->waiting = waiting;
        queue->room = room;
    }
    if (queue->bytes_room - queue->bytes_used < size_bytes) {
        size_t room = 2 * queue->bytes_room + size_bytes;
        uint8_t *bytes = realloc(queue->bytes, room);

        if (!bytes)
            return ENOMEM;
        queue->bytes = bytes;
        queue->bytes_room = room;
    }
    return 0;
}

static int enqueue(struct session_queue *queue, const uint8_t *record, uint32_t size_bytes,
                   const char comm[CAIRN_COMM_BYTES])
{
    struct session_waiting *waiting;
    int error = make_room(queue, size_bytes);

    if (error)
        return error;
    waiting = &queue->waiting[queue->count++];
    waiting->sequence = queue->sequence++;
    waiting->at = queue->bytes_used;
    waiting->size_bytes = size_bytes;
    memcpy(&waiting->time_ns, record + offsetof(struct cairn_record_head, time_ns),
           sizeof(waiting->time_ns));
    memcpy(waiting->comm, comm, sizeof(waiting->comm));
    memcpy(queue->bytes + queue->bytes_used, record, size_bytes);
    queue->bytes_used += size_bytes;
    return 0;
}

static int compare(const void *a, const void *b)
{
    const struct session_waiting *x = a;
    const struct session_waiting *y = b;

    if (x->time_ns != y->time_ns)
        return x->time_ns < y->time_ns ? -1 : 1;
    return x->sequence < y->sequence ? -1 : 1;
}

static int deliver(struct cairn_session *session, const struct session_waiting *waiting)
{
    struct cairn_session_record record = {
        .bytes = session->queue.bytes + waiting->at,
        .size_bytes = waiting->size_bytes,
        .comm = waiting->comm,
    };
    const struct session_tracepoint *tp;
    uint64_t id;

    memcpy(&id, record.bytes + offsetof(struct cairn_record_head, id), sizeof(id));
    tp = cairn_session_find_tracepoint(session, id);
    record.tracepoint = (uint32_t)(tp - session->tracepoints);
    return session->receiver.record(session->receiver.context, &record);
}

/* Lets those go that were delivered; the others stay in their order, their bytes at the front. */
static void forget(struct session_queue *queue, size_t delivered)
{
    size_t used = 0;

    queue->count -= delivered;
    memmove(queue->waiting, queue->waiting + delivered, queue->count * sizeof(*queue->waiting));
    if (!queue->count) {
        queue->bytes_used = 0;
        return;
    }
    /* Bytes are in the order of arrival, records in that of time: where the first byte of use lies
     * all before it can go. */
    used = queue->waiting[0].at;
    for (size_t i = 1; i < queue->count; i++)
        used = queue->waiting[i].at < used ? queue->waiting[i].at : used;
    memmove(queue->bytes, queue->bytes + used, queue->bytes_used - used);
    queue->bytes_used -= used;
    for (size_t i = 0; i < queue->count; i++)
        queue->waiting[i].at -= used;
}

static void deliver_until(struct cairn_session *session, uint64_t time_ns)
{
    struct session_queue *queue = &session->queue;
    size_t i = 0;

    if (!queue->count)
        return;
    qsort(queue->waiting, queue->count, sizeof(*queue->waiting), compare);
    while (i < queue->count && queue->waiting[i].time_ns <= time_ns && !session->error)
        cairn_session_fail(session, deliver(session, &queue->waiting[i++]));
    forget(queue, i);
}

/* ---- */

void cairn_session_put_records(struct cairn_session *session, const uint8_t *records,
                               size_t size_bytes, const char comm[CAIRN_COMM_BYTES])
{
    if (session->writer) {
        cairn_session_fail(session, cairn_perf_writer_write(session->writer, records, size_bytes));
        return;
    }
    for (size_t at = 0; at < size_bytes && !session->error;) {
        uint16_t record_bytes;

        memcpy(&record_bytes, records + at + offsetof(struct cairn_record_head, size_bytes),
               sizeof(record_bytes));
        cairn_session_fail(session, enqueue(&session->queue, records + at, record_bytes, comm));
        at += record_bytes;
    }
}

void cairn_session_put_comm(struct cairn_session *session, uint32_t pid, uint32_t tid,
                            const char *comm, uint64_t time_ns)
{
    if (session->writer)
        cairn_session_fail(session,
                           cairn_perf_writer_comm(session->writer, pid, tid, comm, time_ns));
}

void cairn_session_put_lost(struct cairn_session *session, uint64_t sample_id, uint64_t lost)
{
    session->counts.lost += lost;
    if (session->writer)
        cairn_session_fail(session, cairn_perf_writer_lost(session->writer, sample_id, lost,
                                                           cairn_clock_of_system()));
}

/* Once in a while, and only when there was something: until then a stream has not even begun. */
static void end_round(struct cairn_session *session, uint64_t now)
{
    if (session->counts.events == session->round_events ||
        now - session->round_ns < CAIRN_SESSION_ROUND_NS)
        return;
    session->round_ns = now;
    session->round_events = session->counts.events;
    cairn_session_fail(session, cairn_perf_writer_round(session->writer));
    cairn_session_fail(session, cairn_perf_writer_flush(session->writer));
}

void cairn_session_end_poll(struct cairn_session *session, uint64_t began_ns)
{
    if (session->writer)
        end_round(session, began_ns);
    else
        deliver_until(session, began_ns - SETTLED_NS);
}

void cairn_session_finish_output(struct cairn_session *session)
{
    if (session->writer)
        cairn_session_fail(session, cairn_perf_writer_finish(session->writer));
    else
        deliver_until(session, UINT64_MAX);
}

uint64_t cairn_session_output_bytes(const struct cairn_session *session)
{
    return session->writer ? cairn_perf_writer_size_bytes(session->writer) : 0;
}
