/* SPDX-License-Identifier: MIT */
/* Output of a session's records: to a file or stream, or to a receiver in the order of time. */
#include "core/options.h"
#include "session/internal.h"
#include "session/take.h"

#include <errno.h>
#include <string.h>

/* In front of a waiting record: the thread's name, and the number of addresses of the stack, which
 * is after the record. */
#define NAME_BYTES 24u
#define COUNT_AT   20u

/* Blocks are of 1 MiB: when this many are full, half of their records are passed on, ready or
 * not. */
#define BLOCKS_MAX 64u

int session_open_output(struct cairn_session *session, const struct cairn_session_options *options)
{
    if (!options->receiver)
        return options->format == CAIRN_SESSION_TRACE
                   ? session_open_trace_sink(options, &session->writer, &session->trace)
                   : session_open_perf_sink(options, &session->writer);
    return core_options_copy(options->receiver,
                             CORE_OPTIONS_BYTES_TO(struct cairn_session_receiver, record),
                             sizeof(session->receiver), &session->receiver);
}

static void free_queue(struct session_queue *queue)
{
    struct perf_data_order_entry entry;

    perf_data_order_all(&queue->order);
    while (perf_data_order_next(&queue->order, &entry))
        perf_data_block_release(&queue->blocks, perf_data_block_of(entry.data));
    perf_data_order_free(&queue->order);
    perf_data_block_release(&queue->blocks, queue->taken);
    perf_data_block_release(&queue->blocks, queue->window.block);
    perf_data_block_pool_free(&queue->blocks);
}

void session_close_output(struct cairn_session *session)
{
    if (session->writer)
        session->writer->type->destroy(session->writer);
    free_queue(&session->queue);
}

int session_put_tracepoint(struct cairn_session *session,
                           const struct cairn_perf_tracepoint *tracepoint)
{
    if (session->writer)
        return session->writer->type->tracepoint(session->writer, tracepoint);
    return session->receiver.tracepoint(session->receiver.context, tracepoint);
}

/* ---- a receiver's records ---- */

static size_t aligned(size_t bytes)
{
    return (bytes + 7) & ~(size_t)7;
}

static int enqueue(struct session_queue *queue, const uint8_t *record, uint32_t size_bytes,
                   const char comm[CAIRN_COMM_BYTES], const uint8_t *stack, uint32_t stack_count)
{
    struct perf_data_order_entry entry;
    size_t bytes = NAME_BYTES + aligned(size_bytes) + stack_count * sizeof(uint64_t);
    size_t available;
    uint8_t *to = perf_data_window_room(&queue->blocks, &queue->window, bytes, 0, &available);
    int error;

    if (!to)
        return ENOMEM;
    memcpy(to, comm, CAIRN_COMM_BYTES);
    memcpy(to + COUNT_AT, &stack_count, sizeof(stack_count));
    memcpy(to + NAME_BYTES, record, size_bytes);
    if (stack_count)
        memcpy(to + NAME_BYTES + aligned(size_bytes), stack, stack_count * sizeof(uint64_t));
    entry = (struct perf_data_order_entry){.data = to + NAME_BYTES};
    memcpy(&entry.time_ns, record + offsetof(struct cairn_record_head, time_ns),
           sizeof(entry.time_ns));
    error = perf_data_order_add(&queue->order, &entry);
    if (error)
        return error;
    queue->window.block->references++;
    queue->window.at = to + bytes;
    return 0;
}

static struct cairn_session_record describe(const struct cairn_session *session,
                                            const uint8_t *bytes)
{
    const struct session_tracepoint *tp;
    struct cairn_record_head head;
    uint32_t stack_count;

    memcpy(&head, bytes, sizeof(head));
    memcpy(&stack_count, bytes - NAME_BYTES + COUNT_AT, sizeof(stack_count));
    tp = session_tracepoint_of_output(session, head.id);
    return (struct cairn_session_record){
        .bytes = bytes,
        .size_bytes = head.size_bytes,
        .tracepoint = (uint32_t)(tp - session->tracepoints),
        .comm = (const char *)bytes - NAME_BYTES,
        .stack =
            stack_count ? (const uint64_t *)(const void *)(bytes + aligned(head.size_bytes)) : NULL,
        .stack_count = stack_count,
    };
}

static int deliver(struct cairn_session *session, const uint8_t *bytes)
{
    struct cairn_session_record record = describe(session, bytes);

    return session->receiver.record(session->receiver.context, &record);
}

/* Passes on the records that are ready. */
static void deliver_ready(struct cairn_session *session)
{
    struct session_queue *queue = &session->queue;
    struct perf_data_order_entry entry;

    if (!session->receiver.record)
        return;
    while (!session->error && perf_data_order_next(&queue->order, &entry)) {
        session_fail(session, deliver(session, entry.data));
        perf_data_block_release(&queue->blocks, perf_data_block_of(entry.data));
    }
}

/* One more record; when there are too many of them, the earlier half goes. */
static void receive(struct cairn_session *session, const uint8_t *record, uint32_t size_bytes,
                    const char comm[CAIRN_COMM_BYTES])
{
    struct session_queue *queue = &session->queue;

    session_fail(session, enqueue(queue, record, size_bytes, comm, session->stack,
                                  session->stack ? session->stack_count : 0));
    if (!session->receiver.record || queue->blocks.in_use <= BLOCKS_MAX)
        return;
    perf_data_order_half(&queue->order);
    deliver_ready(session);
    if (queue->blocks.in_use <= BLOCKS_MAX / 2)
        return;
    perf_data_order_all(&queue->order); /* records of all times are in every block */
    deliver_ready(session);
}

static bool next_ready(struct session_queue *queue, struct perf_data_order_entry *ret_entry)
{
    if (perf_data_order_next(&queue->order, ret_entry))
        return true;
    if (queue->blocks.in_use <= BLOCKS_MAX)
        return false;
    perf_data_order_half(&queue->order);
    return perf_data_order_next(&queue->order, ret_entry);
}

bool session_take(struct cairn_session *session, struct cairn_session_record *ret_record)
{
    struct session_queue *queue = &session->queue;
    struct perf_data_order_entry entry;

    perf_data_block_release(&queue->blocks, queue->taken);
    queue->taken = NULL;
    if (!next_ready(queue, &entry))
        return false;
    queue->taken = perf_data_block_of(entry.data);
    *ret_record = describe(session, entry.data);
    return true;
}

/* ---- */

void session_put_records(struct cairn_session *session, const uint8_t *records, size_t size_bytes,
                         const char comm[CAIRN_COMM_BYTES])
{
    if (session->writer) {
        session_fail(session, session->writer->type->records(session->writer, records, size_bytes));
        return;
    }
    for (size_t at = 0; at < size_bytes && !session->error;) {
        uint16_t record_bytes;

        memcpy(&record_bytes, records + at + offsetof(struct cairn_record_head, size_bytes),
               sizeof(record_bytes));
        receive(session, records + at, record_bytes, comm);
        at += record_bytes;
    }
}

void session_put_stacked(struct cairn_session *session, const uint8_t *sample, size_t size_bytes,
                         const char comm[CAIRN_COMM_BYTES])
{
    if (!session->writer) {
        session_put_records(session, sample, size_bytes, comm);
        return;
    }
    session_fail(session, session->writer->type->stacked(session->writer, sample, size_bytes,
                                                         session->stack, session->stack_count));
}

void session_put_comm(struct cairn_session *session, const struct session_process *process,
                      uint32_t tid, const char *comm, uint64_t time_ns)
{
    const struct session_sink_thread thread = {process->pid, process->number_in_file, tid};

    if (session->writer)
        session_fail(session, session->writer->type->comm(session->writer, &thread, comm, time_ns));
}

void session_put_lost(struct cairn_session *session, uint64_t sample_id, uint64_t lost)
{
    if (session->writer)
        session_fail(session, session->writer->type->lost(session->writer, sample_id, lost));
}

void session_put_missing(struct cairn_session *session, const struct cairn_perf_missing *missing)
{
    session_fail(session, session->writer->type->missing(session->writer, missing));
}

/* Once in a while, and only when there was something: until then a stream has not even begun. */
static void end_round(struct cairn_session *session, uint64_t now)
{
    if ((session->counts.events == session->round_events && !session->writer->wants_round) ||
        now - session->round_ns < SESSION_ROUND_NS)
        return;
    session->round_ns = now;
    session->round_events = session->counts.events;
    session_fail(session, session->writer->type->round(session->writer, now));
}

void session_end_poll(struct cairn_session *session, uint64_t began_ns)
{
    if (session->writer) {
        end_round(session, began_ns);
        return;
    }
    perf_data_order_until(&session->queue.order, began_ns - SESSION_SETTLED_NS);
    deliver_ready(session);
}

void session_finish_output(struct cairn_session *session)
{
    if (session->writer) {
        session_fail(session, session->writer->type->finish(session->writer));
        return;
    }
    perf_data_order_all(&session->queue.order);
    deliver_ready(session);
}

uint64_t session_output_bytes(const struct cairn_session *session)
{
    return session->writer ? session->writer->type->bytes(session->writer) : 0;
}

uint64_t session_unstored(const struct cairn_session *session)
{
    return session->unstored_before + session->unstored_snapshot +
           (session->writer ? session->writer->type->unstored(session->writer) : 0);
}
