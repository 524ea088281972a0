/* SPDX-License-Identifier: MIT */
/* Parses a sample: fields at fixed positions by the attr's layout, then those of varying size. */
#include "perf_data/file.h"

#include <errno.h>

static uint64_t field_u64(const uint8_t *data, uint16_t at, bool swap)
{
    return at ? core_load64(data + at, swap) : 0;
}

static uint32_t field_u32(const uint8_t *data, uint16_t at, uint16_t more, bool swap)
{
    return at ? core_load32(data + at + more, swap) : 0;
}

/* Takes count items; an impossible count fails before the multiplication. */
static const uint8_t *take_items(struct core_cursor *c, uint64_t count, size_t item_bytes)
{
    if (count > c->left / item_bytes) {
        core_cursor_fail(c, EBADMSG);
        return NULL;
    }
    return core_cursor_take(c, (size_t)count * item_bytes);
}

/* The counter values of PERF_SAMPLE_READ. */
static void skip_read(struct core_cursor *c, uint64_t format)
{
    size_t value_bytes =
        8 + (format & PERF_DATA_READ_ID ? 8 : 0) + (format & PERF_DATA_READ_LOST ? 8 : 0);
    uint64_t count = format & PERF_DATA_READ_GROUP ? core_cursor_u64(c) : 1;

    if (format & PERF_DATA_READ_TIME_ENABLED)
        core_cursor_u64(c);
    if (format & PERF_DATA_READ_TIME_RUNNING)
        core_cursor_u64(c);
    take_items(c, count, value_bytes);
}

static int parse_varying(struct core_cursor *c, const struct cairn_perf_attr *attr,
                         struct cairn_perf_sample *s)
{
    s->callchain_count = 0;
    s->callchain = NULL;
    s->raw_size_bytes = 0;
    s->raw = NULL;
    if (attr->sample_type & PERF_DATA_SAMPLE_READ)
        skip_read(c, attr->read_format);
    if (attr->sample_type & PERF_DATA_SAMPLE_CALLCHAIN) {
        s->callchain_count = core_cursor_u64(c);
        s->callchain = take_items(c, s->callchain_count, 8);
    }
    if (attr->sample_type & PERF_DATA_SAMPLE_RAW) {
        s->raw_size_bytes = core_cursor_u32(c);
        s->raw = core_cursor_take(c, s->raw_size_bytes);
    }
    return c->error;
}

int perf_data_sample_fill(const struct cairn_perf_attr *attr,
                          const struct perf_data_sample_layout *layout, const uint8_t *data,
                          size_t size_bytes, bool swap, struct cairn_perf_sample *ret_sample)
{
    const struct perf_data_sample_layout *l = layout;
    struct cairn_perf_sample *s = ret_sample;
    struct core_cursor c;

    if (size_bytes < l->fixed_bytes)
        return EBADMSG;
    s->attr = attr;
    s->id = field_u64(data, l->id_at, swap);
    s->stream_id = field_u64(data, l->stream_id_at, swap);
    s->ip = field_u64(data, l->ip_at, swap);
    s->addr = field_u64(data, l->addr_at, swap);
    s->time_ns = field_u64(data, l->time_at, swap);
    s->period = field_u64(data, l->period_at, swap);
    s->pid = field_u32(data, l->tid_at, 0, swap);
    s->tid = field_u32(data, l->tid_at, 4, swap);
    s->cpu = field_u32(data, l->cpu_at, 0, swap);
    c = core_cursor(data + l->fixed_bytes, size_bytes - l->fixed_bytes, swap);
    return parse_varying(&c, attr, s);
}

int cairn_perf_sample_parse(const struct cairn_perf_file *file,
                            const struct cairn_perf_record *record,
                            struct cairn_perf_sample *ret_sample)
{
    const struct perf_data_attr *attr = (const struct perf_data_attr *)record->attr;

    if (record->type != CAIRN_PERF_RECORD_SAMPLE)
        return EINVAL;
    if (!attr)
        return ENOENT;
    return perf_data_sample_fill(&attr->public, &attr->layout, record->data, record->size_bytes,
                                 file->swap, ret_sample);
}
