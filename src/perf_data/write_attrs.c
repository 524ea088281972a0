/* SPDX-License-Identifier: MIT */
/* Writes attrs, and the records that describe an event in a stream. */
#include "perf_data/writer.h"

#include <string.h>

void cairn_put_attr(struct cairn_bytes *b, const struct cairn_perf_writer *writer,
                    const struct cairn_written_event *event, uint32_t size_bytes)
{
    bool use_clockid = writer->clock.clockid >= 0;

    cairn_bytes_put_u32(b, event->type);
    cairn_bytes_put_u32(b, size_bytes);
    cairn_bytes_put_u64(b, event->config);
    cairn_bytes_put_u64(b, 1); /* sample period: each event */
    cairn_bytes_put_u64(b, event->sample_type);
    cairn_bytes_put_u64(b, 0); /* read format */
    cairn_bytes_put_u64(b, event->flags | (use_clockid ? CAIRN_ATTR_USE_CLOCKID : 0));
    cairn_bytes_put_zeros(b, 44); /* from wakeup_events to sample_stack_user */
    cairn_bytes_put_u32(b, use_clockid ? (uint32_t)writer->clock.clockid : 0);
    cairn_bytes_put_zeros(b, size_bytes - CAIRN_ATTR_FILE_BYTES);
}

void cairn_put_attr_record(struct cairn_bytes *b, const struct cairn_perf_writer *writer,
                           const struct cairn_written_event *event)
{
    size_t record = cairn_bytes_begin_record(b, CAIRN_PERF_RECORD_HEADER_ATTR);

    cairn_put_attr(b, writer, event, CAIRN_ATTR_STREAM_BYTES);
    cairn_bytes_put(b, event->ids, event->id_count * sizeof(*event->ids));
    cairn_bytes_end_record(b, record);
}

/* perf finds the attr by one of its ids. */
void cairn_put_name_record(struct cairn_bytes *b, const struct cairn_written_event *event)
{
    size_t record = cairn_bytes_begin_record(b, CAIRN_PERF_RECORD_EVENT_UPDATE);

    cairn_bytes_put_u64(b, CAIRN_UPDATE_NAME);
    cairn_bytes_put_u64(b, event->ids[0]);
    cairn_bytes_put(b, event->name, strlen(event->name) + 1);
    cairn_bytes_end_record(b, record);
}

/* The name at its fixed size, truncated if it is too long: the complete one follows. */
static void put_short_name(struct cairn_bytes *b, const char *name)
{
    size_t length = strnlen(name, CAIRN_EVENT_TYPE_NAME_BYTES - 1);

    cairn_bytes_put(b, name, length);
    cairn_bytes_put_zeros(b, CAIRN_EVENT_TYPE_NAME_BYTES - length);
}

void cairn_put_description(struct cairn_bytes *b, const struct cairn_written_event *event)
{
    size_t record = cairn_bytes_begin_record(b, CAIRN_PERF_RECORD_HEADER_EVENT_TYPE);
    const char *name = event->name + event->system_bytes + 1;

    cairn_bytes_put_u64(b, event->config);
    put_short_name(b, event->name);
    cairn_bytes_put_u64(b, CAIRN_DESCRIBE_MAGIC);
    cairn_bytes_put_u32(b, event->id_count);
    cairn_bytes_put_u32(b, event->system_bytes);
    cairn_bytes_put_u32(b, (uint32_t)strlen(name));
    cairn_bytes_put_u32(b, event->format_bytes);
    cairn_bytes_put(b, event->ids, event->id_count * sizeof(*event->ids));
    cairn_bytes_put(b, event->name, event->system_bytes);
    cairn_bytes_put(b, name, strlen(name));
    cairn_bytes_put(b, event->format, event->format_bytes);
    cairn_bytes_end_record(b, record);
}
