/* SPDX-License-Identifier: MIT */
/* Reads the header of a file, with its attrs and features. In a pipe stream these are records. */
#include "perf_data/file.h"

#include <errno.h>

struct header_section {
    uint64_t offset;
    uint64_t size_bytes;
};

struct header {
    uint64_t size_bytes;
    uint64_t attr_bytes; /* of an attr and the section of its ids */
    struct header_section attrs;
    struct header_section data;
    uint64_t flags[4]; /* features */
};

static int fail(struct cairn_perf_file *file, uint64_t offset, const char *text)
{
    return perf_data_file_fail(file, EBADMSG, offset, text);
}

/*
 * Checks magic and size. Today's magic implies the byte order; with the old one, the byte order
 * follows from the header's size, which is small.
 */
static int read_beginning(struct cairn_perf_file *file, struct header *h)
{
    const uint8_t *data;
    uint64_t magic;
    int err =
        perf_data_source_peek(&file->source, &file->blocks, PERF_DATA_PIPE_HEADER_BYTES, &data);

    if (err == ENODATA)
        return fail(file, 0, "the file is empty");
    if (err == EBADMSG)
        return fail(file, 0, "not a perf.data file: too short");
    if (err)
        return perf_data_file_fail(file, err, 0, "cannot be read");
    magic = core_load64(data, false);
    h->size_bytes = core_load64(data + 8, false);
    if (magic == __builtin_bswap64(PERF_DATA_MAGIC) || !memcmp(data, "PERFFILE", 8))
        file->swap = magic == __builtin_bswap64(PERF_DATA_MAGIC) || h->size_bytes > UINT32_MAX;
    else if (magic != PERF_DATA_MAGIC)
        return fail(file, 0, "not a perf.data file: no magic");
    h->size_bytes = core_load64(data + 8, file->swap);
    if (h->size_bytes != PERF_DATA_PIPE_HEADER_BYTES &&
        h->size_bytes != PERF_DATA_HEADER_OLD_BYTES && h->size_bytes < PERF_DATA_HEADER_BYTES)
        return fail(file, 8, "the header's size is invalid");
    return 0;
}

/*
 * The flags are an array of longs. A 32-bit machine of the other byte order wrote the halves in
 * reverse; the feature of the host's name, which every such file has, shows that.
 */
static void mend_flags(uint64_t flags[4])
{
    if (flags[0] >> CAIRN_PERF_FEATURE_HOSTNAME & 1 ||
        !(flags[0] >> (32 + CAIRN_PERF_FEATURE_HOSTNAME) & 1))
        return;
    for (int i = 0; i < 4; i++)
        flags[i] = flags[i] << 32 | flags[i] >> 32;
}

static int read_file_header(struct cairn_perf_file *file, struct header *h)
{
    struct core_cursor c = core_cursor(file->source.map, file->source.map_bytes, file->swap);

    core_cursor_take(&c, PERF_DATA_PIPE_HEADER_BYTES);
    h->attr_bytes = core_cursor_u64(&c);
    h->attrs.offset = core_cursor_u64(&c);
    h->attrs.size_bytes = core_cursor_u64(&c);
    h->data.offset = core_cursor_u64(&c);
    h->data.size_bytes = core_cursor_u64(&c);
    core_cursor_u64(&c); /* old event types: their names are in the features, too */
    core_cursor_u64(&c);
    for (int i = 0; i < 4 && h->size_bytes >= PERF_DATA_HEADER_BYTES; i++)
        h->flags[i] = core_cursor_u64(&c);
    if (c.error)
        return fail(file, file->source.map_bytes, "cut short in the header");
    if (file->swap)
        mend_flags(h->flags);
    return 0;
}

static bool is_in_file(const struct cairn_perf_file *file, struct header_section s)
{
    return s.offset <= file->source.map_bytes && s.size_bytes <= file->source.map_bytes - s.offset;
}

/* All attrs together have no more ids than fit into the file: otherwise their sections overlap. */
static int read_attrs(struct cairn_perf_file *file, const struct header *h)
{
    const uint8_t *map = file->source.map;
    uint64_t ids_left = file->source.map_bytes / 8;

    if (h->attr_bytes < PERF_DATA_ATTR_MIN_BYTES + PERF_DATA_SECTION_BYTES)
        return fail(file, 16, "the size of an attr is invalid");
    if (!is_in_file(file, h->attrs))
        return fail(file, 24, "the attrs are not in the file");
    for (uint64_t at = 0; h->attrs.size_bytes - at >= h->attr_bytes; at += h->attr_bytes) {
        const uint8_t *attr = map + h->attrs.offset + at;
        const uint8_t *section = attr + h->attr_bytes - PERF_DATA_SECTION_BYTES;
        struct header_section ids = {core_load64(section, file->swap),
                                     core_load64(section + 8, file->swap)};
        int err;

        if (!is_in_file(file, ids) || ids.size_bytes / 8 > ids_left)
            return fail(file, (uint64_t)(section - map), "an attr's ids are not in the file");
        ids_left -= ids.size_bytes / 8;
        err = perf_data_attr_add(file, attr, (size_t)h->attr_bytes - PERF_DATA_SECTION_BYTES,
                                 map + ids.offset, (size_t)(ids.size_bytes / 8));
        if (err)
            return perf_data_file_fail(file, err, (uint64_t)(attr - map), "no memory for attrs");
    }
    return 0;
}

static bool overlap(struct header_section a, struct header_section b)
{
    return a.offset < b.offset ? b.offset - a.offset < a.size_bytes
                               : a.offset - b.offset < b.size_bytes;
}

/* Finds the records. A recorder that died left 0 as the size of the data. */
static int find_data(struct cairn_perf_file *file, const struct header *h)
{
    struct perf_data_source *source = &file->source;
    uint64_t left;

    if (h->data.offset < h->size_bytes)
        return fail(file, 40, "the data begin in the header");
    if (overlap(h->attrs, h->data))
        return fail(file, 40, "attrs and data overlap");
    source->offset = h->data.offset < source->map_bytes ? h->data.offset : source->map_bytes;
    left = source->map_bytes - source->offset;
    file->cut = h->data.offset > source->map_bytes || h->data.size_bytes > left;
    if (h->data.size_bytes && !file->cut)
        left = h->data.size_bytes;
    source->end = source->offset + left;
    return 0;
}

/*
 * True if the file ends before its attrs or in its data, and contains the stream that it was made
 * of. The stream is then read from its first record, up to the end of the data or of the file.
 */
static bool find_kept_stream(struct cairn_perf_file *file, const struct header *h)
{
    struct perf_data_source *source = &file->source;
    const uint8_t *mark = source->map + PERF_DATA_KEPT_STREAM_AT;
    bool has_data = is_in_file(file, h->data);

    if (has_data && is_in_file(file, h->attrs))
        return false;
    if (file->swap || source->map_bytes < PERF_DATA_KEPT_STREAM_AT + 16 ||
        h->data.offset < PERF_DATA_KEPT_STREAM_AT + 16 ||
        core_load32(mark, false) != CAIRN_PERF_RECORD_HEADER_EVENT_TYPE ||
        core_load64(mark + 8, false) != PERF_DATA_KEPT_STREAM_MAGIC)
        return false;
    source->offset = PERF_DATA_KEPT_STREAM_AT;
    source->end = has_data ? h->data.offset + h->data.size_bytes : source->map_bytes;
    file->is_pipe = true;
    file->was_kept = true;
    file->cut = true;
    return true;
}

int perf_data_file_read_header(struct cairn_perf_file *file)
{
    struct header h = {0};
    int err = read_beginning(file, &h);

    if (!err && h.size_bytes == PERF_DATA_PIPE_HEADER_BYTES) {
        file->is_pipe = true;
        perf_data_source_take(&file->source, PERF_DATA_PIPE_HEADER_BYTES);
        return 0;
    }
    if (!err && !file->source.map) {
        err = perf_data_source_spool(&file->source, &file->blocks);
        if (err)
            perf_data_file_fail(file, err, 0, "cannot be copied to a temporary file");
    }
    if (!err)
        err = read_file_header(file, &h);
    if (!err && find_kept_stream(file, &h))
        return 0;
    if (!err)
        err = find_data(file, &h);
    if (!err)
        err = read_attrs(file, &h);
    if (!err && h.data.size_bytes && !file->cut) {
        err = perf_data_features_read(file, h.flags, h.data.offset + h.data.size_bytes);
        if (err)
            perf_data_file_fail(file, err, 0, "no memory for features");
    }
    return err;
}
