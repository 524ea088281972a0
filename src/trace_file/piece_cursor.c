/* SPDX-License-Identifier: MIT */
/* Records of a piece. */
#include "trace_file/piece_cursor.h"

#include <errno.h>
#include <stdlib.h>

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
    core_cursor_u64(c); /* the last event's counter */
    core_cursor_u32(c); /* the number of events */
    cursor->flags = core_cursor_u32(c);
    records = c->at;
    if (size < TRACE_FILE_PIECE_BYTES || record_bytes > size - TRACE_FILE_PIECE_BYTES ||
        !core_cursor_take(c, size - TRACE_FILE_PIECE_BYTES)) {
        free(cursor);
        return EBADMSG;
    }
    cursor->records = core_cursor(records, record_bytes, c->swap);
    cursor->event.process = trace_file_tables_process(&reader->tables, cursor->process);
    cursor->event.offset = block->offset;
    cursor->sequence = reader->piece_sequence++;
    cursor->block = block;
    block->references++;
    *ret_cursor = cursor;
    return 0;
}

void trace_file_cursor_end(struct trace_file_reader *reader, struct trace_file_cursor *cursor)
{
    trace_file_block_release(&reader->blocks, cursor->block);
    free(cursor);
}

int trace_file_record_take(struct core_cursor *records, struct trace_file_record *ret_record)
{
    struct core_cursor c = *records;
    uint32_t head = CORE_RECORD_HEAD_BYTES;
    uint32_t size;
    size_t padded;

    ret_record->number = core_cursor_u16(&c);
    size = core_cursor_u16(&c);
    ret_record->time = core_cursor_u32(&c);
    if (ret_record->number == CORE_RECORD_LONG) {
        ret_record->number = core_cursor_u32(&c);
        size = core_cursor_u32(&c);
        head = CORE_RECORD_LONG_BYTES;
    }
    padded = ((size_t)size + 3) & ~(size_t)3;
    if (c.error || size < head || padded > records->left)
        return EBADMSG;
    ret_record->c = core_cursor(records->at + head, size - head, records->swap);
    core_cursor_take(records, padded);
    return 0;
}

static int apply_control(struct trace_file_reader *reader, struct trace_file_cursor *cursor,
                         struct core_cursor c)
{
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
        reader->lost_in_records += lost;
        break;
    default: /* of a later version */
        break;
    }
    return c.error;
}

static const struct trace_file_descriptor *descriptor_of(const struct trace_file_reader *reader,
                                                         const struct trace_file_cursor *cursor,
                                                         uint32_t number)
{
    if (!(cursor->flags & TRACE_FILE_PIECE_FILE_IDS))
        number = trace_file_tables_number(&reader->tables, cursor->process, number);
    return trace_file_tables_descriptor(&reader->tables, number);
}

static uint64_t time_of(struct trace_file_reader *reader, const struct trace_file_cursor *cursor,
                        uint64_t counter)
{
    struct trace_file_clock_span *span = &reader->span;

    if (cursor->flags & TRACE_FILE_PIECE_NS)
        return counter;
    if (span->pair_count != reader->tables.clocks.count || span->domain != cursor->event.domain ||
        counter < span->first || counter > span->last)
        trace_file_clocks_span(&reader->tables.clocks, cursor->event.domain, counter, span);
    return trace_file_clock_span_time(span, counter);
}

int trace_file_cursor_next(struct trace_file_reader *reader, struct trace_file_cursor *cursor)
{
    struct trace_file_event *event = &cursor->event;

    while (cursor->records.left) {
        struct trace_file_record record;
        int err = trace_file_record_take(&cursor->records, &record);

        if (!err && record.number == CORE_RECORD_CONTROL) {
            err = apply_control(reader, cursor, record.c);
            if (!err)
                continue;
        }
        if (err)
            return err;
        event->descriptor = descriptor_of(reader, cursor, record.number);
        if (!event->descriptor) {
            reader->unreadable++;
            continue;
        }
        event->payload = record.c.at;
        event->payload_bytes = (uint32_t)record.c.left;
        event->time_ns = time_of(reader, cursor, cursor->base + record.time);
        return 0;
    }
    return ENODATA;
}
