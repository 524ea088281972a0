/* SPDX-License-Identifier: MIT */
/* A reader's events from a live session. */
#include "decode/reader.h"
#include "session/missing.h"
#include "session/take.h"

#include <errno.h>
#include <string.h>

#define RECORD_SIZE_AT 6u /* struct perf_event_header */

/* The decoder numbers them as the session does. */
static int add_tracepoint(void *context, const struct cairn_perf_tracepoint *tracepoint)
{
    struct cairn_reader *reader = (struct cairn_reader *)context;
    const struct cairn_decoder_format format = {
        .system = {tracepoint->system, (uint32_t)strlen(tracepoint->system)},
        .name = {tracepoint->name, (uint32_t)strlen(tracepoint->name)},
        .text = {tracepoint->format, (uint32_t)tracepoint->format_bytes},
        .long_size_bytes = sizeof(long),
    };
    uint32_t number;

    return cairn_decoder_add(reader->decoder, &format, &number);
}

int cairn_reader_open_session(const struct cairn_reader_options *options,
                              struct cairn_reader **ret_reader)
{
    struct cairn_session_receiver receiver = {.size = sizeof(receiver),
                                              .tracepoint = add_tracepoint};
    struct cairn_session_options session_options = CAIRN_SESSION_OPTIONS_INIT;
    struct cairn_reader_options own;
    struct cairn_reader *reader;
    int err = decode_reader_copy_options(options, &own);

    if (!err)
        err = decode_reader_create("live", &own, &reader);
    if (err)
        return err;
    receiver.context = reader;
    session_options.receiver = &receiver;
    session_options.patterns = own.patterns;
    session_options.pattern_count = own.pattern_count;
    session_options.filters = own.filters;
    session_options.buffer_bytes = own.buffer_bytes;
    err = cairn_session_create(&session_options, &reader->session);
    if (err) {
        cairn_reader_close(reader);
        return err;
    }
    *ret_reader = reader;
    return 0;
}

static void fill_event(struct cairn_reader *reader, const struct cairn_session_record *record)
{
    const size_t raw = offsetof(struct cairn_record_head, common_type);
    struct cairn_event *event = &reader->event;
    struct cairn_record_head head;

    reader->record = (struct decode_record){
        .tracepoint = record->tracepoint,
        .bytes = record->bytes + raw,
        .size_bytes = (uint32_t)(record->size_bytes - raw),
    };
    memcpy(&head, record->bytes, sizeof(head));
    event->has = CAIRN_EVENT_TIME | CAIRN_EVENT_CPU | CAIRN_EVENT_TID;
    event->cpu = head.cpu;
    event->pid = head.pid;
    event->tid = head.tid;
    event->time_ns = head.time_ns;
    event->comm = reader->with_comm ? record->comm : NULL;
    decode_stacks_set(&reader->stacks, (const uint8_t *)record->stack, record->stack_count, false,
                      event);
}

/* Mappings are known before the events, which come 0.1 s late. */
static int note_maps(struct cairn_reader *reader)
{
    struct cairn_bytes records;
    size_t at = 0;
    int err = 0;

    session_take_maps(reader->session, &records);
    while (!err && at < records.size) {
        uint16_t size_bytes;

        memcpy(&size_bytes, records.data + at + RECORD_SIZE_AT, sizeof(size_bytes));
        err = decode_reader_note(reader, records.data + at, size_bytes, false);
        at += size_bytes;
    }
    perf_data_bytes_free(&records);
    return err;
}

static bool take(struct cairn_reader *reader)
{
    struct cairn_session_record record;

    if (!session_take(reader->session, &record))
        return false;
    fill_event(reader, &record);
    return true;
}

/* Polls once when all events of the poll before were returned; then EAGAIN is returned once, with
 * the time to wait. */
int decode_reader_take_of_session(struct cairn_reader *reader)
{
    int err;

    if (take(reader))
        return 0;
    if (reader->has_stopped)
        return ENODATA;
    if (!reader->is_polled) {
        err = cairn_session_poll(reader->session, &reader->wait_ms);
        err = err ? err : note_maps(reader);
        if (err)
            return err;
        reader->is_polled = true;
        if (take(reader))
            return 0;
    }
    reader->is_polled = false;
    return EAGAIN;
}

int cairn_reader_stop(struct cairn_reader *reader)
{
    int err;

    if (!reader->session || reader->has_stopped)
        return EINVAL;
    reader->has_stopped = true;
    err = cairn_session_finish(reader->session);
    return err ? err : note_maps(reader);
}

int cairn_reader_wait_fd(struct cairn_reader *reader, int *ret_fd)
{
    return reader->session ? cairn_session_wait_fd(reader->session, ret_fd) : EINVAL;
}

void decode_reader_count_session(struct cairn_reader *reader)
{
    struct cairn_session_counts counts = *cairn_session_counts(reader->session);

    reader->counts.filtered = counts.filtered;
    reader->counts.lost = counts.lost;
    reader->counts.missing = session_missing(&counts);
}
