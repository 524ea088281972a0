/* SPDX-License-Identifier: MIT */
/*
 * Writes the stream's metadata: the first, before all records, and that of events which are added
 * later.
 *
 * perf can take tracing data only once: for the second it adds up the sizes and fails. So later
 * events cannot be tracepoints for perf. They are announced as the software event "bpf-output",
 * which perf script prints with name, time and a dump of the raw bytes; a description that perf
 * skips has the tracepoint for cairn's reader. When the stream becomes a file, all of them are
 * tracepoints for every reader.
 */
#include "perf_data/writer.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* In the order of their numbers, as readers expect. Names are written with the attrs. */
static const enum cairn_perf_feature stream_features[] = {
    CAIRN_PERF_FEATURE_HOSTNAME, CAIRN_PERF_FEATURE_OSRELEASE,  CAIRN_PERF_FEATURE_VERSION,
    CAIRN_PERF_FEATURE_ARCH,     CAIRN_PERF_FEATURE_NRCPUS,     CAIRN_PERF_FEATURE_CPUDESC,
    CAIRN_PERF_FEATURE_CPUID,    CAIRN_PERF_FEATURE_TOTAL_MEM,  CAIRN_PERF_FEATURE_CMDLINE,
    CAIRN_PERF_FEATURE_CLOCKID,  CAIRN_PERF_FEATURE_CLOCK_DATA,
};

static void put_feature_record(struct cairn_bytes *b, const struct cairn_perf_writer *writer,
                               enum cairn_perf_feature feature)
{
    size_t record = perf_data_bytes_begin_record(b, CAIRN_PERF_RECORD_HEADER_FEATURE);
    size_t empty;

    perf_data_bytes_put_u64(b, feature);
    empty = b->size;
    perf_data_put_feature(b, writer, feature);
    if (b->size == empty)
        b->size = record; /* unknown: no record */
    else
        perf_data_bytes_end_record(b, record);
}

/*
 * The bytes after the record are not part of it. perf requires that their size is a multiple of 8.
 */
static int put_tracing_record(struct cairn_bytes *b, const struct cairn_perf_writer *writer)
{
    struct cairn_bytes blob = {0};
    int err = perf_data_put_tracing_data(&blob, writer);
    uint16_t record_bytes = 12;

    perf_data_bytes_align(&blob);
    err = err ? err : blob.error;
    if (!err && blob.size > INT32_MAX)
        err = E2BIG;
    if (!err) {
        perf_data_bytes_put_u32(b, CAIRN_PERF_RECORD_HEADER_TRACING_DATA);
        perf_data_bytes_put(b, &(uint16_t){0}, 2);
        perf_data_bytes_put(b, &record_bytes, 2);
        perf_data_bytes_put_u32(b, (uint32_t)blob.size);
        perf_data_bytes_put(b, blob.data, blob.size);
        /* Adds a record that readers skip, to align later records again. */
        perf_data_bytes_put_u32(b, CAIRN_PERF_RECORD_HEADER_EVENT_TYPE);
        perf_data_bytes_put(b, &(uint16_t){0}, 2);
        perf_data_bytes_put(b, &record_bytes, 2);
        perf_data_bytes_put_u32(b, 0);
    }
    perf_data_bytes_free(&blob);
    return err;
}

/*
 * Writes the record that becomes the header of a file, and the mark that a stream follows; see
 * disk.h.
 */
static void put_header_room(struct cairn_bytes *b)
{
    size_t record = perf_data_bytes_begin_record(b, CAIRN_PERF_RECORD_HEADER_EVENT_TYPE);

    perf_data_bytes_put_zeros(b, PERF_DATA_KEPT_STREAM_AT - b->size);
    perf_data_bytes_end_record(b, record);
    record = perf_data_bytes_begin_record(b, CAIRN_PERF_RECORD_HEADER_EVENT_TYPE);
    perf_data_bytes_put_u64(b, PERF_DATA_KEPT_STREAM_MAGIC);
    perf_data_bytes_end_record(b, record);
}

static int put_first_metadata(struct cairn_bytes *b, const struct cairn_perf_writer *writer)
{
    int err = 0;

    perf_data_bytes_put_u64(b, PERF_DATA_MAGIC);
    perf_data_bytes_put_u64(b, PERF_DATA_PIPE_HEADER_BYTES);
    if (writer->mode == CAIRN_PERF_FILE)
        put_header_room(b);
    for (uint32_t i = 0; i < writer->event_count; i++) {
        perf_data_put_attr_record(b, writer, writer->events[i]);
        if (writer->events[i]->id_count)
            perf_data_put_name_record(b, writer->events[i]);
    }
    for (size_t i = 0; i < sizeof(stream_features) / sizeof(*stream_features); i++)
        put_feature_record(b, writer, stream_features[i]);
    if (writer->event_count > 1)
        err = put_tracing_record(b, writer);
    return err ? err : b->error;
}

/*
 * Describes tracepoints of one id with several formats, and tracepoints whose names perf refuses.
 */
static void put_descriptions(struct cairn_bytes *b, const struct cairn_perf_writer *writer)
{
    for (uint32_t i = 0; i < writer->event_count; i++) {
        if (perf_data_event_needs_description(writer->events[i]))
            perf_data_put_description(b, writer->events[i]);
    }
}

int perf_data_writer_begin(struct cairn_perf_writer *writer)
{
    struct cairn_bytes b = {0};
    int err;

    if (writer->begun || writer->error)
        return writer->error;
    err = put_first_metadata(&b, writer);
    writer->data_begin = b.size;
    put_descriptions(&b, writer);
    err = err ? err : b.error;
    writer->begun = true;
    if (err)
        writer->error = err;
    else
        err = perf_data_writer_put(writer, b.data, b.size, true);
    perf_data_bytes_free(&b);
    return err;
}

/* The records in `b` are written next. Returns 0; ENOMEM. */
static int remember_records(struct cairn_perf_writer *writer, const struct cairn_bytes *b)
{
    uint64_t begin = cairn_perf_writer_size_bytes(writer);

    for (size_t at = 0; at < b->size;) {
        struct perf_data_late_record late = {.at = begin + at};
        uint32_t count = writer->late_count;
        uint32_t type;

        if (!(count & (count - 1))) {
            void *bigger =
                realloc(writer->late, (count ? 2 * (size_t)count : 1) * sizeof(*writer->late));

            if (!bigger)
                return ENOMEM;
            writer->late = bigger;
        }
        memcpy(&type, b->data + at, sizeof(type));
        late.type = (uint16_t)type;
        memcpy(&late.size_bytes, b->data + at + 6, sizeof(late.size_bytes));
        writer->late[writer->late_count++] = late;
        at += late.size_bytes;
    }
    return 0;
}

int perf_data_writer_announce(struct cairn_perf_writer *writer,
                              const struct perf_data_written_event *event)
{
    struct perf_data_written_event to_perf = *event;
    struct cairn_bytes b = {0};
    int err;

    to_perf.type = PERF_DATA_TYPE_SOFTWARE;
    to_perf.config = PERF_DATA_SW_BPF_OUTPUT;
    perf_data_put_attr_record(&b, writer, &to_perf);
    perf_data_put_name_record(&b, &to_perf);
    err = b.error ? b.error : remember_records(writer, &b);
    perf_data_put_description(&b, event);
    if (!err)
        err = b.error;
    if (!err)
        err = perf_data_writer_put(writer, b.data, b.size, true);
    perf_data_bytes_free(&b);
    return err;
}
