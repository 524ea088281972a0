/* SPDX-License-Identifier: MIT */
/* Records of a piece. */
#include "trace_file/piece_cursor.h"

#include <errno.h>
#include <stdlib.h>

int cairn_tracefile_cursor_begin(struct cairn_tracefile_reader *reader,
                                 struct cairn_tracefile_block *block, struct cairn_cursor *c,
                                 struct cairn_tracefile_cursor **ret_cursor)
{
    struct cairn_tracefile_cursor *cursor =
        (struct cairn_tracefile_cursor *)calloc(1, sizeof(*cursor));
    uint32_t size = cairn_cursor_u32(c);
    uint32_t record_bytes = cairn_cursor_u32(c);

    if (!cursor)
        return ENOMEM;
    cursor->process = cairn_cursor_u32(c);
    cursor->event.tid = cairn_cursor_u32(c);
    cursor->event.cpu = cairn_cursor_u32(c);
    cursor->event.domain = cairn_cursor_u32(c);
    cursor->base = cairn_cursor_u64(c);
    cairn_cursor_u64(c); /* the last event's counter */
    cairn_cursor_u32(c); /* the number of events */
    cursor->flags = cairn_cursor_u32(c);
    cursor->at = c->at;
    if (size < CAIRN_TRACEFILE_PIECE_BYTES || record_bytes > size - CAIRN_TRACEFILE_PIECE_BYTES ||
        !cairn_cursor_take(c, size - CAIRN_TRACEFILE_PIECE_BYTES)) {
        free(cursor);
        return EBADMSG;
    }
    cursor->end = cursor->at + record_bytes;
    cursor->event.process = cairn_tracefile_tables_process(&reader->tables, cursor->process);
    cursor->event.offset = block->offset;
    cursor->sequence = reader->piece_sequence++;
    cursor->block = block;
    block->references++;
    *ret_cursor = cursor;
    return 0;
}

void cairn_tracefile_cursor_end(struct cairn_tracefile_reader *reader,
                                struct cairn_tracefile_cursor *cursor)
{
    cairn_tracefile_block_release(&reader->blocks, cursor->block);
    free(cursor);
}

struct record {
    uint32_t number;       /* CAIRN_TRACEFILE_RECORD_CONTROL, or a descriptor's */
    uint32_t time;         /* after the base */
    struct cairn_cursor c; /* what follows the header */
};

/* Takes a record with its padding. Returns 0; EBADMSG. */
static int take_record(struct cairn_tracefile_cursor *cursor, bool swap, struct record *ret_record)
{
    struct cairn_cursor c = cairn_cursor(cursor->at, (size_t)(cursor->end - cursor->at), swap);
    uint32_t head = CAIRN_TRACEFILE_RECORD_BYTES;
    uint32_t size;
    size_t padded;

    ret_record->number = cairn_cursor_u16(&c);
    size = cairn_cursor_u16(&c);
    ret_record->time = cairn_cursor_u32(&c);
    if (ret_record->number == CAIRN_TRACEFILE_RECORD_LONG) {
        ret_record->number = cairn_cursor_u32(&c);
        size = cairn_cursor_u32(&c);
        head = CAIRN_TRACEFILE_LONG_BYTES;
    }
    padded = ((size_t)size + 3) & ~(size_t)3;
    if (c.error || size < head || padded > (size_t)(cursor->end - cursor->at))
        return EBADMSG;
    ret_record->c = cairn_cursor(cursor->at + head, size - head, swap);
    cursor->at += padded;
    return 0;
}

static int apply_control(struct cairn_tracefile_reader *reader,
                         struct cairn_tracefile_cursor *cursor, struct cairn_cursor c)
{
    uint32_t kind = cairn_cursor_u32(&c);
    uint64_t lost;

    switch (kind) {
    case CAIRN_TRACEFILE_CONTROL_CPU:
        cursor->event.cpu = cairn_cursor_u32(&c);
        break;
    case CAIRN_TRACEFILE_CONTROL_BASE:
        cursor->base = cairn_cursor_u64(&c);
        break;
    case CAIRN_TRACEFILE_CONTROL_LOST:
        cairn_cursor_u32(&c); /* the cause */
        lost = cairn_cursor_u64(&c);
        if (c.error || lost > CAIRN_TRACEFILE_LOST_MAX)
            return EBADMSG;
        reader->lost_in_records += lost;
        break;
    default: /* of a later version */
        break;
    }
    return c.error;
}

static const struct cairn_tracefile_descriptor *
descriptor_of(const struct cairn_tracefile_reader *reader,
              const struct cairn_tracefile_cursor *cursor, uint32_t number)
{
    if (!(cursor->flags & CAIRN_TRACEFILE_PIECE_FILE_IDS))
        number = cairn_tracefile_tables_number(&reader->tables, cursor->process, number);
    return cairn_tracefile_tables_descriptor(&reader->tables, number);
}

int cairn_tracefile_cursor_next(struct cairn_tracefile_reader *reader,
                                struct cairn_tracefile_cursor *cursor)
{
    struct cairn_tracefile_event *event = &cursor->event;

    while (cursor->at < cursor->end) {
        struct record record;
        int err = take_record(cursor, reader->blocks.swap, &record);

        if (!err && record.number == CAIRN_TRACEFILE_RECORD_CONTROL) {
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
        event->time_ns = cairn_tracefile_clocks_time(&reader->tables.clocks, event->domain,
                                                     cursor->base + record.time);
        return 0;
    }
    return ENODATA;
}
