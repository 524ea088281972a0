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
    cursor->at = c->at;
    if (size < TRACE_FILE_PIECE_BYTES || record_bytes > size - TRACE_FILE_PIECE_BYTES ||
        !core_cursor_take(c, size - TRACE_FILE_PIECE_BYTES)) {
        free(cursor);
        return EBADMSG;
    }
    cursor->end = cursor->at + record_bytes;
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

struct record {
    uint32_t number;      /* TRACE_FILE_RECORD_CONTROL, or a descriptor's */
    uint32_t time;        /* after the base */
    struct core_cursor c; /* what follows the header */
};

/* Takes a record with its padding. Returns 0; EBADMSG. */
static int take_record(struct trace_file_cursor *cursor, bool swap, struct record *ret_record)
{
    struct core_cursor c = core_cursor(cursor->at, (size_t)(cursor->end - cursor->at), swap);
    uint32_t head = TRACE_FILE_RECORD_BYTES;
    uint32_t size;
    size_t padded;

    ret_record->number = core_cursor_u16(&c);
    size = core_cursor_u16(&c);
    ret_record->time = core_cursor_u32(&c);
    if (ret_record->number == TRACE_FILE_RECORD_LONG) {
        ret_record->number = core_cursor_u32(&c);
        size = core_cursor_u32(&c);
        head = TRACE_FILE_LONG_BYTES;
    }
    padded = ((size_t)size + 3) & ~(size_t)3;
    if (c.error || size < head || padded > (size_t)(cursor->end - cursor->at))
        return EBADMSG;
    ret_record->c = core_cursor(cursor->at + head, size - head, swap);
    cursor->at += padded;
    return 0;
}

static int apply_control(struct trace_file_reader *reader, struct trace_file_cursor *cursor,
                         struct core_cursor c)
{
    uint32_t kind = core_cursor_u32(&c);
    uint64_t lost;

    switch (kind) {
    case TRACE_FILE_CONTROL_CPU:
        cursor->event.cpu = core_cursor_u32(&c);
        break;
    case TRACE_FILE_CONTROL_BASE:
        cursor->base = core_cursor_u64(&c);
        break;
    case TRACE_FILE_CONTROL_LOST:
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

int trace_file_cursor_next(struct trace_file_reader *reader, struct trace_file_cursor *cursor)
{
    struct trace_file_event *event = &cursor->event;

    while (cursor->at < cursor->end) {
        struct record record;
        int err = take_record(cursor, reader->blocks.swap, &record);

        if (!err && record.number == TRACE_FILE_RECORD_CONTROL) {
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
        event->time_ns = trace_file_clocks_time(&reader->tables.clocks, event->domain,
                                                cursor->base + record.time);
        return 0;
    }
    return ENODATA;
}
