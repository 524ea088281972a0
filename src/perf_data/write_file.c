/* SPDX-License-Identifier: MIT */
/*
 * Converts a stream that was written to a file into a file. In this order, so that it can be read
 * at any time: features and attrs after the data; the header over that of the stream and over the
 * record that reserved its place; then the metadata among the records become records that readers
 * skip. The stream's first metadata stay where they are, between header and data (disk.h).
 */
#include "perf_data/writer.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

static const enum cairn_perf_feature file_features[] = {
    CAIRN_PERF_FEATURE_TRACING_DATA, CAIRN_PERF_FEATURE_HOSTNAME,   CAIRN_PERF_FEATURE_OSRELEASE,
    CAIRN_PERF_FEATURE_VERSION,      CAIRN_PERF_FEATURE_ARCH,       CAIRN_PERF_FEATURE_NRCPUS,
    CAIRN_PERF_FEATURE_CPUDESC,      CAIRN_PERF_FEATURE_CPUID,      CAIRN_PERF_FEATURE_TOTAL_MEM,
    CAIRN_PERF_FEATURE_CMDLINE,      CAIRN_PERF_FEATURE_EVENT_DESC, CAIRN_PERF_FEATURE_CLOCKID,
    CAIRN_PERF_FEATURE_CLOCK_DATA,
};
#define FEATURES (sizeof(file_features) / sizeof(*file_features))

/* The parts after the data: the table of the features, the features, and the attrs. */
struct tail {
    struct cairn_bytes table;
    struct cairn_bytes contents;
    struct cairn_bytes attrs; /* after their ids */
    uint64_t flags;
    uint64_t table_at;
    uint64_t ids_at;
    uint64_t attrs_at; /* after all ids */
    size_t attrs_bytes;
};

static int write_at(int fd, const void *data, size_t size_bytes, uint64_t at)
{
    const uint8_t *from = data;

    while (size_bytes) {
        ssize_t done = pwrite(fd, from, size_bytes, (off_t)at);

        if (done < 0 && errno == EINTR)
            continue;
        if (done <= 0)
            return done ? errno : EIO;
        from += done;
        at += (uint64_t)done;
        size_bytes -= (size_t)done;
    }
    return 0;
}

/* Sizes first: offsets are filled in when the size of the table is known. */
static int make_features(struct tail *tail, const struct cairn_perf_writer *writer)
{
    size_t sizes[FEATURES];
    uint64_t at = tail->table_at;
    int err = 0;

    for (size_t i = 0; i < FEATURES && !err; i++) {
        size_t before = tail->contents.size;

        if (file_features[i] == CAIRN_PERF_FEATURE_TRACING_DATA)
            err = perf_data_put_tracing_data(&tail->contents, writer);
        else
            perf_data_put_feature(&tail->contents, writer, file_features[i]);
        sizes[i] = tail->contents.size - before;
        if (sizes[i]) {
            tail->flags |= UINT64_C(1) << file_features[i];
            at += PERF_DATA_SECTION_BYTES;
        }
    }
    for (size_t i = 0; i < FEATURES && !err; i++) {
        if (sizes[i]) {
            perf_data_bytes_put_u64(&tail->table, at);
            perf_data_bytes_put_u64(&tail->table, sizes[i]);
            at += sizes[i];
        }
    }
    perf_data_bytes_align(&tail->contents);
    return err ? err : tail->table.error ? tail->table.error : tail->contents.error;
}

/* The attrs come last: a file that was cut lacks them, and its reader looks for the stream. */
static int make_attrs(struct tail *tail, const struct cairn_perf_writer *writer)
{
    uint64_t ids_at = tail->table_at + tail->table.size + tail->contents.size;

    tail->ids_at = ids_at;
    for (uint32_t i = 0; i < writer->event_count; i++)
        perf_data_bytes_put(&tail->attrs, writer->events[i]->ids,
                            8 * (size_t)writer->events[i]->id_count);
    tail->attrs_at = ids_at + tail->attrs.size;
    tail->attrs_bytes =
        writer->event_count * (size_t)(PERF_DATA_ATTR_FILE_BYTES + PERF_DATA_SECTION_BYTES);
    for (uint32_t i = 0; i < writer->event_count; i++) {
        uint64_t ids_bytes = 8 * (uint64_t)writer->events[i]->id_count;

        perf_data_put_attr(&tail->attrs, writer, writer->events[i], PERF_DATA_ATTR_FILE_BYTES);
        perf_data_bytes_put_u64(&tail->attrs, ids_at);
        perf_data_bytes_put_u64(&tail->attrs, ids_bytes);
        ids_at += ids_bytes;
    }
    return tail->attrs.error;
}

static void put_header(struct cairn_bytes *b, const struct tail *tail, uint64_t data_begin)
{
    perf_data_bytes_put_u64(b, PERF_DATA_MAGIC);
    perf_data_bytes_put_u64(b, PERF_DATA_HEADER_BYTES);
    perf_data_bytes_put_u64(b, PERF_DATA_ATTR_FILE_BYTES + PERF_DATA_SECTION_BYTES);
    perf_data_bytes_put_u64(b, tail->attrs_at);
    perf_data_bytes_put_u64(b, tail->attrs_bytes);
    perf_data_bytes_put_u64(b, data_begin);
    perf_data_bytes_put_u64(b, tail->table_at - data_begin);
    perf_data_bytes_put_zeros(b, PERF_DATA_SECTION_BYTES); /* event types: not used any more */
    perf_data_bytes_put_u64(b, tail->flags);
    perf_data_bytes_put_zeros(b, 24);
}

static int write_header(const struct cairn_perf_writer *writer, const struct tail *tail)
{
    struct cairn_bytes b = {0};
    int err;

    put_header(&b, tail, writer->data_begin);
    err = b.error ? b.error : write_at(writer->fd, b.data, b.size, 0);
    perf_data_bytes_free(&b);
    return err;
}

/* In a file readers skip the metadata among the records. */
static int cover(int fd, struct perf_data_late_record late)
{
    struct {
        uint32_t type;
        uint16_t misc;
        uint16_t size_bytes;
    } record = {CAIRN_PERF_RECORD_HEADER_EVENT_TYPE, late.type, late.size_bytes};

    return write_at(fd, &record, sizeof(record), late.at);
}

/* The table comes last: without it the stream ends here, with bytes that are not a record. */
static int write_tail(const struct cairn_perf_writer *writer, const struct tail *tail)
{
    int err = write_at(writer->fd, tail->contents.data, tail->contents.size,
                       tail->table_at + tail->table.size);

    if (!err)
        err = write_at(writer->fd, tail->attrs.data, tail->attrs.size, tail->ids_at);
    if (!err)
        err = write_at(writer->fd, tail->table.data, tail->table.size, tail->table_at);
    if (err && ftruncate(writer->fd, (off_t)tail->table_at))
        return err; /* the stream has an invalid end: the write error is more important */
    return err;
}

int perf_data_writer_make_file(struct cairn_perf_writer *writer)
{
    struct tail tail = {.table_at = writer->written_bytes};
    int err = make_features(&tail, writer);

    if (!err)
        err = make_attrs(&tail, writer);
    if (!err)
        err = write_tail(writer, &tail);
    if (!err)
        err = write_header(writer, &tail);
    for (uint32_t i = 0; i < writer->late_count && !err; i++)
        err = cover(writer->fd, writer->late[i]);
    perf_data_bytes_free(&tail.table);
    perf_data_bytes_free(&tail.contents);
    perf_data_bytes_free(&tail.attrs);
    return err;
}
