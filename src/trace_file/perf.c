/* SPDX-License-Identifier: MIT */
/* Reads the attrs of perf events, and the records of a piece one by one. */
#include "trace_file/perf.h"

#include "perf_data/disk.h"
#include "trace_file/counting.h"
#include "trace_file/entry.h"

#include <errno.h>
#include <string.h>

#define RECORD_ID_AT 8u /* of a sample, with PERF_SAMPLE_IDENTIFIER */
#define SAMPLE_NEEDS (PERF_DATA_SAMPLE_IDENTIFIER | PERF_DATA_SAMPLE_TIME)

/* ---- attrs ---- */

static int parse_attr(struct trace_file_tables *tables, struct trace_file_perf_attr *attr,
                      const uint8_t *bytes, uint32_t size_bytes, bool swap)
{
    struct cairn_perf_attr *p = &attr->of_samples;
    const char *copy = perf_data_arena_text(&tables->arena, (const char *)bytes, size_bytes);

    if (!copy)
        return ENOMEM;
    attr->bytes = (struct cairn_slice){copy, size_bytes};
    p->type = core_load32(bytes, swap);
    p->config = core_load64(bytes + 8, swap);
    p->sample_type = core_load64(bytes + 24, swap);
    p->read_format = core_load64(bytes + 32, swap);
    p->flags = perf_data_attr_load_flags(bytes + 40, swap);
    attr->layout = perf_data_sample_layout_of(p->sample_type, p->flags);
    /* Without these a record's attr and time cannot be found. */
    return (p->sample_type & SAMPLE_NEEDS) == SAMPLE_NEEDS &&
                   p->flags & PERF_DATA_ATTR_SAMPLE_ID_ALL
               ? 0
               : EBADMSG;
}

static int add_ids(struct trace_file_tables *tables, struct core_cursor *entry, uint32_t count)
{
    uint32_t index = tables->perf_attr_count;
    int err = 0;

    if (entry->error || count > entry->left / sizeof(uint64_t))
        return EBADMSG;
    for (uint32_t n = 0; n < count && !err; n++)
        err = perf_data_map_set(&tables->perf_attr_of_id, core_cursor_u64(entry), index);
    return err;
}

static int add_attr(void *context, struct core_cursor entry)
{
    struct trace_file_tables *tables = (struct trace_file_tables *)context;
    uint32_t descriptor = core_cursor_u32(&entry);
    uint32_t domain = core_cursor_u32(&entry);
    uint32_t attr_bytes = core_cursor_u32(&entry);
    uint32_t id_count = core_cursor_u32(&entry);
    const uint8_t *bytes = (const uint8_t *)core_cursor_take(&entry, attr_bytes);
    struct trace_file_perf_attr *attr;
    int err;

    if (!bytes || attr_bytes < PERF_DATA_ATTR_MIN_BYTES)
        return EBADMSG;
    attr = (struct trace_file_perf_attr *)perf_data_arena_alloc(&tables->arena, sizeof(*attr));
    err = attr ? perf_data_array_grow((void ***)&tables->perf_attrs, tables->perf_attr_count)
               : ENOMEM;
    if (err)
        return err;
    *attr = (struct trace_file_perf_attr){
        .tracepoint = descriptor ? trace_file_tables_descriptor(tables, descriptor) : NULL,
        .domain = domain,
        .of_samples.index = tables->perf_attr_count,
    };
    if (attr->tracepoint && attr->tracepoint->kind != TRACE_FILE_TRACEPOINT)
        return EBADMSG;
    err = parse_attr(tables, attr, bytes, attr_bytes, entry.swap);
    err = err ? err : add_ids(tables, &entry, id_count);
    if (!err)
        tables->perf_attrs[tables->perf_attr_count++] = attr;
    return err;
}

int trace_file_tables_perf_attrs(struct trace_file_tables *tables, struct core_cursor c)
{
    return trace_file_each_entry(c, add_attr, tables);
}

static const struct trace_file_perf_attr *attr_of(const struct trace_file_tables *tables,
                                                  uint64_t id)
{
    uint32_t index = perf_data_map_get(&tables->perf_attr_of_id, id);

    return index < tables->perf_attr_count ? tables->perf_attrs[index] : NULL;
}

/* ---- records ---- */

int trace_file_perf_piece_take(struct core_cursor *c, struct trace_file_perf_piece *ret_piece)
{
    uint32_t size = core_cursor_u32(c);
    const void *records;

    ret_piece->cpu = core_cursor_u32(c);
    ret_piece->domain = core_cursor_u32(c);
    ret_piece->events = core_cursor_u32(c);
    ret_piece->first_ns = core_cursor_u64(c);
    ret_piece->last_ns = core_cursor_u64(c);
    if (c->error || size < TRACE_FILE_PERF_PIECE_BYTES)
        return EBADMSG;
    size -= TRACE_FILE_PERF_PIECE_BYTES;
    records = core_cursor_take(c, size);
    if (!records)
        return EBADMSG;
    ret_piece->records = core_cursor(records, size, c->swap);
    return 0;
}

/* The time of a sample is at its layout's place, that of another record before its end. */
static void find_attr(const struct trace_file_tables *tables, struct trace_file_perf_record *record,
                      bool swap)
{
    const uint8_t *id_at = record->type == CAIRN_PERF_RECORD_SAMPLE
                               ? record->data + RECORD_ID_AT
                               : record->data + record->size_bytes - sizeof(uint64_t);
    const struct trace_file_perf_attr *attr;
    size_t time_at;

    record->attr = NULL;
    record->time_ns = 0;
    if (record->size_bytes < RECORD_ID_AT + sizeof(uint64_t))
        return;
    attr = attr_of(tables, core_load64(id_at, swap));
    if (!attr)
        return;
    time_at = attr->layout.time_at;
    if (record->type != CAIRN_PERF_RECORD_SAMPLE) {
        if (record->size_bytes < attr->layout.tail_time + PERF_DATA_RECORD_HEADER_BYTES)
            return;
        time_at = record->size_bytes - (size_t)attr->layout.tail_time;
    }
    if (time_at + sizeof(uint64_t) > record->size_bytes)
        return;
    record->attr = attr;
    record->time_ns = core_load64(record->data + time_at, swap);
}

int trace_file_perf_record_take(const struct trace_file_tables *tables, struct core_cursor *records,
                                struct trace_file_perf_record *ret_record)
{
    const uint8_t *data = records->at;

    if (records->left < PERF_DATA_RECORD_HEADER_BYTES)
        return EBADMSG;
    ret_record->data = data;
    ret_record->type = core_load32(data, records->swap);
    ret_record->size_bytes = core_load16(data + 6, records->swap);
    if (ret_record->size_bytes < PERF_DATA_RECORD_HEADER_BYTES || ret_record->size_bytes % 8 ||
        !core_cursor_take(records, ret_record->size_bytes))
        return EBADMSG;
    find_attr(tables, ret_record, records->swap);
    return 0;
}

/* ---- the contents of a block ---- */

static void add_times(struct trace_file_extent *extent, uint64_t first_ns, uint64_t last_ns)
{
    if (!extent->events || first_ns < extent->first_ns)
        extent->first_ns = first_ns;
    if (!extent->events || last_ns > extent->last_ns)
        extent->last_ns = last_ns;
}

int trace_file_perf_extent_of_heads(const struct trace_file_block *block, bool swap,
                                    struct trace_file_extent *ret_extent)
{
    struct core_cursor c = core_cursor(block->data, block->size_bytes, swap);

    while (c.left) {
        struct trace_file_perf_piece piece;
        int err = trace_file_perf_piece_take(&c, &piece);

        if (err)
            return err;
        if (piece.events)
            add_times(ret_extent, piece.first_ns, piece.last_ns);
        ret_extent->events += piece.events;
    }
    return 0;
}

static int count_piece(const struct trace_file_tables *tables, struct trace_file_counting *counting,
                       struct core_cursor records, struct trace_file_extent *extent)
{
    int err = 0;

    while (records.left && !err) {
        struct trace_file_perf_record record;
        uint32_t number = 0;

        err = trace_file_perf_record_take(tables, &records, &record);
        if (err || record.type != CAIRN_PERF_RECORD_SAMPLE)
            continue;
        if (record.attr && record.attr->tracepoint)
            number = record.attr->tracepoint->number;
        add_times(extent, record.time_ns, record.time_ns);
        extent->events++;
        err = trace_file_counting_add(counting, extent, 0, number, 1);
    }
    return err;
}

int trace_file_perf_extent_of(const struct trace_file_tables *tables,
                              const struct trace_file_block *block, bool swap,
                              struct trace_file_extent *ret_extent)
{
    struct core_cursor c = core_cursor(block->data, block->size_bytes, swap);
    struct trace_file_counting counting = {0};
    int err = 0;

    while (c.left && !err) {
        struct trace_file_perf_piece piece;

        err = trace_file_perf_piece_take(&c, &piece);
        err = err ? err : count_piece(tables, &counting, piece.records, ret_extent);
    }
    trace_file_counting_free(&counting);
    return err;
}
