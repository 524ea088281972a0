/* SPDX-License-Identifier: MIT */
/*
 * Records by tools that describe other records: the counterpart, in a stream, of a file's header
 * and features.
 */
#include "perf_data/file.h"

#include <errno.h>

static int apply_attr(struct cairn_perf_file *file, struct core_cursor c)
{
    const uint8_t *attr = c.at;
    size_t size_bytes;

    core_cursor_u32(&c); /* type */
    size_bytes = core_cursor_u32(&c);
    if (!size_bytes)
        size_bytes = PERF_DATA_ATTR_MIN_BYTES;
    if (c.error || size_bytes < PERF_DATA_ATTR_MIN_BYTES || size_bytes - 8 > c.left)
        return EBADMSG;
    core_cursor_take(&c, size_bytes - 8);
    return perf_data_attr_add(file, attr, size_bytes, c.at, c.left / 8);
}

static int apply_update(struct cairn_perf_file *file, struct core_cursor c)
{
    uint64_t what = core_cursor_u64(&c);
    struct perf_data_attr *attr = perf_data_attr_of_id(file, core_cursor_u64(&c));

    if (c.error)
        return c.error;
    if (what != PERF_DATA_UPDATE_NAME || !attr)
        return 0;
    return perf_data_attr_set_name(file, attr, (const char *)c.at,
                                   strnlen((const char *)c.at, c.left));
}

static int apply_feature(struct cairn_perf_file *file, struct core_cursor c, uint64_t offset)
{
    struct perf_data_feature feature = {.offset = offset + PERF_DATA_RECORD_HEADER_BYTES + 8};
    uint64_t number = core_cursor_u64(&c);

    /* Tracing data have a record of their own. */
    if (c.error || number == CAIRN_PERF_FEATURE_TRACING_DATA)
        return c.error;
    feature.size_bytes = c.left;
    feature.data = perf_data_source_copy(&file->source, &file->arena, c.at, c.left);
    return feature.data ? perf_data_feature_apply(file, number, &feature) : ENOMEM;
}

/* The texts of a description, at most a record long; see disk.h. */
struct description {
    uint64_t tracepoint;
    const uint8_t *ids;
    uint32_t id_count;
    struct cairn_slice system;
    struct cairn_slice name;
    struct cairn_slice format;
};

static int take_description(struct core_cursor *c, struct description *ret_description)
{
    struct description d;

    d.id_count = core_cursor_u32(c);
    d.system.length = core_cursor_u32(c);
    d.name.length = core_cursor_u32(c);
    d.format.length = core_cursor_u32(c);
    d.ids = core_cursor_take(c, 8 * (size_t)d.id_count);
    d.system.text = core_cursor_take(c, d.system.length);
    d.name.text = core_cursor_take(c, d.name.length);
    d.format.text = core_cursor_take(c, d.format.length);
    if (!c->error)
        *ret_description = d;
    return c->error;
}

/* Applies a description to the attrs of its ids. */
static int describe(struct cairn_perf_file *file, const struct description *d)
{
    char *name = perf_data_arena_alloc(&file->arena, (size_t)d->system.length + d->name.length + 2);
    char *format = perf_data_arena_text(&file->arena, d->format.text, d->format.length);
    struct cairn_slice system = {name, d->system.length};

    if (!name || !format)
        return ENOMEM;
    memcpy(name, d->system.text, d->system.length);
    name[d->system.length] = ':';
    memcpy(name + d->system.length + 1, d->name.text, d->name.length);
    name[d->system.length + 1 + d->name.length] = '\0';
    for (uint32_t i = 0; i < d->id_count; i++) {
        struct perf_data_attr *attr =
            perf_data_attr_of_id(file, core_load64(d->ids + 8 * (size_t)i, file->swap));

        if (!attr)
            continue;
        attr->public.type = CAIRN_PERF_TYPE_TRACEPOINT;
        attr->public.config = d->tracepoint;
        attr->public.name = name;
        attr->public.system = system;
        attr->public.format = (struct cairn_slice){format, d->format.length};
    }
    return 0;
}

static int apply_event_type(struct cairn_perf_file *file, struct core_cursor c)
{
    struct description d;
    uint64_t tracepoint = core_cursor_u64(&c);
    uint64_t magic;
    int err;

    core_cursor_take(&c, PERF_DATA_EVENT_TYPE_NAME_BYTES);
    magic = core_cursor_u64(&c);
    if (magic == PERF_DATA_MISSING_MAGIC)
        return perf_data_missing_read(file, c);
    if (magic != PERF_DATA_DESCRIBE_MAGIC)
        return 0; /* perf's own old record: redundant to the attr */
    err = take_description(&c, &d);
    if (err)
        return err;
    d.tracepoint = tracepoint;
    return describe(file, &d);
}

static int apply_tracing_data(struct cairn_perf_file *file, struct core_cursor c)
{
    struct perf_data_feature blob = {.offset = file->source.offset};
    int err;

    blob.size_bytes = core_cursor_u32(&c);
    if (c.error)
        return EBADMSG;
    if (file->has_tracing_data)
        return perf_data_source_skip(&file->source, &file->blocks, blob.size_bytes);
    err = perf_data_source_collect(&file->source, &file->blocks, &file->arena, blob.size_bytes,
                                   &blob.data);
    return err ? err : perf_data_tracing_data_read(file, &blob);
}

/* The bytes after the record are not part of it. */
static int skip_auxtrace(struct cairn_perf_file *file, struct core_cursor c)
{
    uint64_t size_bytes = core_cursor_u64(&c);

    return c.error ? EBADMSG : perf_data_source_skip(&file->source, &file->blocks, size_bytes);
}

/* Damage that leaves the stream readable is recorded, and reported at its end. */
static int remember(struct cairn_perf_file *file, int err, uint64_t offset, const char *text)
{
    if (err != EBADMSG)
        return err;
    perf_data_file_fail(file, err, offset, text);
    return 0;
}

int perf_data_metadata_apply(struct cairn_perf_file *file, const struct cairn_perf_record *record)
{
    struct core_cursor c =
        core_cursor(record->data + PERF_DATA_RECORD_HEADER_BYTES,
                    record->size_bytes - PERF_DATA_RECORD_HEADER_BYTES, file->swap);
    uint64_t offset = record->offset;
    bool is_covered = file->was_kept && record->type == CAIRN_PERF_RECORD_HEADER_EVENT_TYPE;

    switch (is_covered && record->misc ? record->misc : record->type) {
    case CAIRN_PERF_RECORD_HEADER_ATTR:
        return remember(file, apply_attr(file, c), offset, "an attr is invalid");
    case CAIRN_PERF_RECORD_EVENT_UPDATE:
        return remember(file, apply_update(file, c), offset, "an event update is cut short");
    case CAIRN_PERF_RECORD_HEADER_FEATURE:
        return remember(file, apply_feature(file, c, offset), offset, "a feature is invalid");
    case CAIRN_PERF_RECORD_HEADER_EVENT_TYPE:
        return remember(file, apply_event_type(file, c), offset,
                        "a tracepoint's description has a wrong size");
    case CAIRN_PERF_RECORD_HEADER_TRACING_DATA:
        perf_data_record_hold(file, record->data);
        return apply_tracing_data(file, c);
    case CAIRN_PERF_RECORD_AUXTRACE:
        perf_data_record_hold(file, record->data);
        return skip_auxtrace(file, c);
    default:
        return 0;
    }
}
