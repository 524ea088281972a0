/* SPDX-License-Identifier: MIT */
/* Writes attrs, and the records that describe an event in a stream. */
#include "perf_data/writer.h"

#include <string.h>

void perf_data_put_attr(struct cairn_bytes *b, const struct cairn_perf_writer *writer,
                        const struct perf_data_written_event *event, uint32_t size_bytes)
{
    bool use_clockid = writer->clock.clockid >= 0;

    perf_data_bytes_put_u32(b, event->type);
    perf_data_bytes_put_u32(b, size_bytes);
    perf_data_bytes_put_u64(b, event->config);
    perf_data_bytes_put_u64(b, 1); /* sample period: each event */
    perf_data_bytes_put_u64(b, event->sample_type);
    perf_data_bytes_put_u64(b, 0); /* read format */
    perf_data_bytes_put_u64(b, event->flags | (use_clockid ? PERF_DATA_ATTR_USE_CLOCKID : 0));
    perf_data_bytes_put_zeros(b, 32); /* from wakeup_events to branch_sample_type */
    perf_data_bytes_put_u64(b, event->sample_type & PERF_DATA_SAMPLE_REGS_USER ? writer->regs_user
                                                                               : 0);
    perf_data_bytes_put_u32(
        b, event->sample_type & PERF_DATA_SAMPLE_STACK_USER ? writer->stack_user_bytes : 0);
    perf_data_bytes_put_u32(b, use_clockid ? (uint32_t)writer->clock.clockid : 0);
    perf_data_bytes_put_zeros(b, size_bytes - PERF_DATA_ATTR_FILE_BYTES);
}

void perf_data_put_attr_record(struct cairn_bytes *b, const struct cairn_perf_writer *writer,
                               const struct perf_data_written_event *event)
{
    size_t record = perf_data_bytes_begin_record(b, CAIRN_PERF_RECORD_HEADER_ATTR);

    perf_data_put_attr(b, writer, event, PERF_DATA_ATTR_STREAM_BYTES);
    perf_data_bytes_put(b, event->ids, event->id_count * sizeof(*event->ids));
    perf_data_bytes_end_record(b, record);
}

/* perf finds the attr by one of its ids. */
void perf_data_put_name_record(struct cairn_bytes *b, const struct perf_data_written_event *event)
{
    size_t record = perf_data_bytes_begin_record(b, CAIRN_PERF_RECORD_EVENT_UPDATE);

    perf_data_bytes_put_u64(b, PERF_DATA_UPDATE_NAME);
    perf_data_bytes_put_u64(b, event->ids[0]);
    perf_data_bytes_put(b, event->name, strlen(event->name) + 1);
    perf_data_bytes_end_record(b, record);
}

/* The name at its fixed size, truncated if it is too long: the complete one follows. */
static void put_short_name(struct cairn_bytes *b, const char *name)
{
    size_t length = strnlen(name, PERF_DATA_EVENT_TYPE_NAME_BYTES - 1);

    perf_data_bytes_put(b, name, length);
    perf_data_bytes_put_zeros(b, PERF_DATA_EVENT_TYPE_NAME_BYTES - length);
}

void perf_data_put_description(struct cairn_bytes *b, const struct perf_data_written_event *event)
{
    size_t record = perf_data_bytes_begin_record(b, CAIRN_PERF_RECORD_HEADER_EVENT_TYPE);
    const char *name = event->name + event->system_bytes + 1;

    perf_data_bytes_put_u64(b, event->config);
    put_short_name(b, event->name);
    perf_data_bytes_put_u64(b, PERF_DATA_DESCRIBE_MAGIC);
    perf_data_bytes_put_u32(b, event->id_count);
    perf_data_bytes_put_u32(b, event->system_bytes);
    perf_data_bytes_put_u32(b, (uint32_t)strlen(name));
    perf_data_bytes_put_u32(b, event->format_bytes);
    perf_data_bytes_put(b, event->ids, event->id_count * sizeof(*event->ids));
    perf_data_bytes_put(b, event->name, event->system_bytes);
    perf_data_bytes_put(b, name, strlen(name));
    perf_data_bytes_put(b, event->format, event->format_bytes);
    perf_data_bytes_end_record(b, record);
}
