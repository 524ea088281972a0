/* SPDX-License-Identifier: MIT */
/* Records of a piece. */
#include "trace_file/perf_cursor.h"

#include <errno.h>
#include <stdlib.h>

static __attribute__((noinline)) void find_span(struct trace_file_reader *reader,
                                                const struct trace_file_cursor *cursor,
                                                uint64_t counter)
{
    const struct trace_file_clocks *clocks = &reader->tables.clocks;
    uint32_t domain = cursor->event.domain;

    if (trace_file_clocks_span(clocks, domain, counter, &reader->span))
        return;
    trace_file_reader_find_clocks(reader);
    if (!trace_file_clocks_span(clocks, domain, counter, &reader->span))
        trace_file_reader_lacks_clocks(reader, cursor->event.offset);
}

static inline uint64_t time_of(struct trace_file_reader *reader,
                               const struct trace_file_cursor *cursor, uint64_t counter)
{
    const struct trace_file_clock_span *span = &reader->span;

    if (cursor->flags & TRACE_FILE_PIECE_NS)
        return counter;
    if (span->pair_count != reader->tables.clocks.count || span->domain != cursor->event.domain ||
        counter < span->first || counter > span->last)
        find_span(reader, cursor, counter);
    return trace_file_clock_span_time(span, counter);
}

/* True if the piece may have events of the range, or of a later one. */
static bool is_piece_wanted(struct trace_file_reader *reader, struct trace_file_cursor *cursor)
{
    cursor->latest_ns = time_of(reader, cursor, cursor->base); /* for losses before an event */
    return trace_file_time_after(time_of(reader, cursor, cursor->last), reader->margin_ns) >=
           reader->since_ns;
}

/*
 * Several threads read ranges of one piece in turn, so each of them passes over most of its
 * records: by their counters alone, as far as the clock's span is known. Finds the least counter
 * from which on times are in the range.
 */
void trace_file_cursor_enter_range(struct trace_file_reader *reader,
                                   struct trace_file_cursor *cursor)
{
    uint64_t low = cursor->base;
    uint64_t high = cursor->last;

    cursor->skipped = 0;
    if (cursor->perf || time_of(reader, cursor, low) >= reader->since_ns)
        return;
    if (!(cursor->flags & TRACE_FILE_PIECE_NS) && high > reader->span.last)
        high = reader->span.last;
    while (low < high) {
        uint64_t middle = low + (high - low) / 2;

        if (time_of(reader, cursor, middle) < reader->since_ns)
            low = middle + 1;
        else
            high = middle;
    }
    cursor->skipped = low;
}

int trace_file_cursor_begin(struct trace_file_reader *reader, struct trace_file_block *block,
                            struct core_cursor *c, struct trace_file_cursor **ret_cursor)
{
    struct trace_file_cursor *cursor = (struct trace_file_cursor *)calloc(1, sizeof(*cursor));
    uint32_t size = core_cursor_u32(c);
    uint32_t record_bytes = core_cursor_u32(c);
    const uint8_t *records;

    if (!cursor)
        return ENOMEM;
    cursor->process = core_cursor_u32(c);
    cursor->event.tid = core_cursor_u32(c);
    cursor->event.cpu = core_cursor_u32(c);
    cursor->event.domain = core_cursor_u32(c);
    cursor->base = core_cursor_u64(c);
    cursor->last = core_cursor_u64(c);
    core_cursor_u32(c); /* the number of events */
    cursor->flags = core_cursor_u32(c);
    if (!(cursor->flags & TRACE_FILE_PIECE_FILE_IDS))
        cursor->scope = UINT64_C(1) << 32 | cursor->process;
    records = c->at;
    if (size < TRACE_FILE_PIECE_BYTES || record_bytes > size - TRACE_FILE_PIECE_BYTES ||
        !core_cursor_take(c, size - TRACE_FILE_PIECE_BYTES)) {
        free(cursor);
        return EBADMSG;
    }
    cursor->event.offset = block->offset;
    if (reader->is_range && !is_piece_wanted(reader, cursor)) {
        free(cursor);
        return ENODATA;
    }
    cursor->records = core_cursor(records, record_bytes, c->swap);
    cursor->event.process = trace_file_tables_process(&reader->tables, cursor->process);
    cursor->event.pid = cursor->event.process ? cursor->event.process->pid : cursor->event.tid;
    cursor->sequence = reader->piece_sequence++;
    cursor->block = block;
    block->references++;
    if (reader->is_range)
        trace_file_cursor_enter_range(reader, cursor);
    *ret_cursor = cursor;
    return 0;
}

void trace_file_cursor_end(struct trace_file_reader *reader, struct trace_file_cursor *cursor)
{
    trace_file_block_release(&reader->blocks, cursor->block);
    free(cursor->perf);
    free(cursor);
}

static __attribute__((noinline)) int take_long(struct core_cursor *records,
                                               struct trace_file_record *ret_record)
{
    struct core_cursor c = *records;
    uint32_t size;
    size_t padded;

    core_cursor_u16(&c);
    core_cursor_u16(&c);
    ret_record->time = core_cursor_u32(&c);
    ret_record->number = core_cursor_u32(&c);
    size = core_cursor_u32(&c);
    padded = ((size_t)size + 3) & ~(size_t)3;
    if (c.error || size < CORE_RECORD_LONG_BYTES || padded > records->left)
        return EBADMSG;
    ret_record->data = records->at + CORE_RECORD_LONG_BYTES;
    ret_record->data_bytes = size - CORE_RECORD_LONG_BYTES;
    core_cursor_take(records, padded);
    return 0;
}

static inline int take_record(struct core_cursor *records, struct trace_file_record *ret_record)
{
    const uint8_t *at = records->at;
    uint32_t number;
    uint32_t size;
    size_t padded;

    if (records->left < CORE_RECORD_HEAD_BYTES)
        return EBADMSG;
    number = core_load16(at, records->swap);
    if (cairn_unlikely(number == CORE_RECORD_LONG))
        return take_long(records, ret_record);
    size = core_load16(at + 2, records->swap);
    padded = ((size_t)size + 3) & ~(size_t)3;
    if (size < CORE_RECORD_HEAD_BYTES || padded > records->left)
        return EBADMSG;
    ret_record->number = number;
    ret_record->time = core_load32(at + 4, records->swap);
    ret_record->data = at + CORE_RECORD_HEAD_BYTES;
    ret_record->data_bytes = size - CORE_RECORD_HEAD_BYTES;
    records->at += padded;
    records->left -= padded;
    return 0;
}

int trace_file_record_take(struct core_cursor *records, struct trace_file_record *ret_record)
{
    return take_record(records, ret_record);
}

static bool is_in_range(const struct trace_file_reader *reader, uint64_t time_ns)
{
    return !reader->is_range || (time_ns >= reader->since_ns && time_ns <= reader->until_ns);
}

static __attribute__((noinline)) int apply_control(struct trace_file_reader *reader,
                                                   struct trace_file_cursor *cursor,
                                                   const struct trace_file_record *record)
{
    struct core_cursor c = core_cursor(record->data, record->data_bytes, cursor->records.swap);
    uint32_t kind = core_cursor_u32(&c);
    uint64_t lost;

    switch (kind) {
    case CORE_CONTROL_CPU:
        cursor->event.cpu = core_cursor_u32(&c);
        break;
    case CORE_CONTROL_BASE:
    case CORE_CONTROL_BASE_NS:
        cursor->base = core_cursor_u64(&c);
        break;
    case CORE_CONTROL_LOST:
        core_cursor_u32(&c); /* the cause */
        lost = core_cursor_u64(&c);
        if (c.error || lost > TRACE_FILE_LOST_MAX)
            return EBADMSG;
        if (is_in_range(reader, cursor->latest_ns)) /* as the event before */
            reader->lost_in_records += lost;
        break;
    case CORE_CONTROL_STACK:
        cursor->stack = c.at;
        cursor->stack_count = c.left / sizeof(uint64_t);
        break;
    default: /* of a later version */
        break;
    }
    return c.error;
}

/* Finds a descriptor, and keeps it until a table changes. NULL: it is unknown. */
static __attribute__((noinline)) const struct trace_file_descriptor *
find_descriptor(struct trace_file_reader *reader, const struct trace_file_cursor *cursor,
                uint32_t number, struct trace_file_recent *slot)
{
    uint32_t of_file =
        cursor->scope ? trace_file_tables_number(&reader->tables, cursor->process, number) : number;
    const struct trace_file_descriptor *descriptor =
        trace_file_tables_descriptor(&reader->tables, of_file);

    if (descriptor)
        *slot = (struct trace_file_recent){descriptor, cursor->scope, number};
    return descriptor;
}

static inline const struct trace_file_descriptor *
descriptor_of(struct trace_file_reader *reader, const struct trace_file_cursor *cursor,
              uint32_t number)
{
    struct trace_file_recent *slot =
        &reader->recent[(number + cursor->scope) % TRACE_FILE_RECENT_COUNT];

    if (cairn_likely(slot->descriptor && slot->number == number && slot->scope == cursor->scope))
        return slot->descriptor;
    return find_descriptor(reader, cursor, number, slot);
}

/* Decides on an event by its time. Returns 0; ENOENT it is of an earlier range, EAGAIN of a later
 * one. */
static int choose(const struct trace_file_reader *reader, struct trace_file_cursor *cursor,
                  uint64_t time_ns)
{
    uint64_t latest_ns = time_ns > cursor->latest_ns ? time_ns : cursor->latest_ns;

    if (latest_ns > reader->until_ns)
        return EAGAIN;
    cursor->latest_ns = latest_ns;
    return latest_ns < reader->since_ns ? ENOENT : 0;
}

/* Sets the event from a record. Returns 0; ENOENT it is not wanted; EAGAIN; EBADMSG. */
static inline int set_event(struct trace_file_reader *reader, struct trace_file_cursor *cursor,
                            const struct trace_file_record *record)
{
    struct trace_file_event *event = &cursor->event;
    uint64_t time_ns;
    int err;

    event->descriptor = descriptor_of(reader, cursor, record->number);
    if (event->descriptor && !trace_file_reader_wants(reader, event->descriptor))
        return ENOENT; /* whatever its time is */
    time_ns = time_of(reader, cursor, cursor->base + record->time);
    err = cairn_unlikely(reader->is_range) ? choose(reader, cursor, time_ns) : 0;
    if (err)
        return err;
    if (!event->descriptor) {
        reader->unreadable++;
        return ENOENT;
    }
    event->payload = record->data;
    event->payload_bytes = (uint32_t)record->data_bytes;
    event->time_ns = time_ns;
    event->callchain = cursor->stack;
    event->callchain_count = cursor->stack_count;
    return 0;
}

/* A stack is that of the next event, also if this is not wanted. */
static inline int take_event(struct trace_file_reader *reader, struct trace_file_cursor *cursor,
                             const struct trace_file_record *record)
{
    int err = set_event(reader, cursor, record);

    if (err != EAGAIN)
        cursor->stack_count = 0;
    return err;
}

/* Passes over records of an earlier range, up to one that needs more than its header. */
static __attribute__((noinline)) void skip(struct trace_file_cursor *cursor)
{
    struct core_cursor *records = &cursor->records;
    uint64_t time_limit = cursor->skipped - cursor->base;

    while (records->left >= CORE_RECORD_HEAD_BYTES) {
        uint32_t number = core_load16(records->at, records->swap);
        uint32_t size = core_load16(records->at + 2, records->swap);
        size_t padded = ((size_t)size + 3) & ~(size_t)3;

        if (number == CORE_RECORD_CONTROL || number == CORE_RECORD_LONG)
            return;
        if (size < CORE_RECORD_HEAD_BYTES || padded > records->left ||
            core_load32(records->at + 4, records->swap) >= time_limit) {
            cursor->skipped = 0;
            return;
        }
        records->at += padded;
        records->left -= padded;
        cursor->stack_count = 0;
    }
}

int trace_file_cursor_next(struct trace_file_reader *reader, struct trace_file_cursor *cursor)
{
    if (cursor->perf)
        return trace_file_perf_cursor_next(reader, cursor);
    while (cursor->records.left) {
        const uint8_t *before;
        struct trace_file_record record;
        int err;

        if (cairn_unlikely(cursor->skipped > cursor->base))
            skip(cursor);
        if (!cursor->records.left)
            break;
        before = cursor->records.at;
        err = take_record(&cursor->records, &record);
        if (!err && record.number == CORE_RECORD_CONTROL)
            err = apply_control(reader, cursor, &record) ? EBADMSG : ENOENT;
        else if (!err)
            err = take_event(reader, cursor, &record);
        if (err == EAGAIN) { /* this one is the next again */
            cursor->records.left += (size_t)(cursor->records.at - before);
            cursor->records.at = before;
        }
        if (err != ENOENT)
            return err;
    }
    return ENODATA;
}
