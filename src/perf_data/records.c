/* SPDX-License-Identifier: MIT */
/* The stream of records: one after the other, or in the order of time. */
#include "perf_data/file.h"

#include <errno.h>

/* Processors prefetch by themselves, but not across a page's end. */
#define AHEAD_BYTES 4096

static void record_header(const struct cairn_perf_file *file, const uint8_t *data,
                          struct cairn_perf_record *ret_record)
{
    ret_record->data = data;
    ret_record->type = core_load32(data, file->swap);
    ret_record->misc = core_load16(data + 4, file->swap);
    ret_record->size_bytes = core_load16(data + 6, file->swap);
}

/* The offset of a record's time, or 0. That of a sample may be known although its attr (NULL) is
 * not. */
static inline size_t offset_of_time(const struct cairn_perf_file *file,
                                    const struct perf_data_attr *attr,
                                    const struct cairn_perf_record *record)
{
    uint16_t tail;

    if (record->type == CAIRN_PERF_RECORD_SAMPLE)
        return file->shared.time_at || !attr ? file->shared.time_at : attr->layout.time_at;
    tail = attr ? attr->layout.tail_time : 0;
    return tail && record->size_bytes >= tail ? (size_t)record->size_bytes - tail : 0;
}

/* The record's time, or 0. */
static inline uint64_t time_of(const struct cairn_perf_file *file,
                               const struct perf_data_attr *attr,
                               const struct cairn_perf_record *record)
{
    size_t at = offset_of_time(file, attr, record);
    uint64_t time_ns;

    if (at < PERF_DATA_RECORD_HEADER_BYTES || at + 8 > record->size_bytes)
        return 0;
    time_ns = core_load64(record->data + at, file->swap);
    return time_ns == UINT64_MAX ? 0 : time_ns; /* perf's mark for "no time" */
}

void perf_data_record_fill(struct cairn_perf_file *file, const uint8_t *data, uint64_t offset,
                           struct cairn_perf_record *ret_record)
{
    struct perf_data_attr *attr = NULL;

    record_header(file, data, ret_record);
    ret_record->offset = offset;
    ret_record->time_ns = 0;
    if (ret_record->type < CAIRN_PERF_RECORD_USER_FIRST) {
        attr = perf_data_attr_of_record(file, ret_record->type, data, ret_record->size_bytes);
        ret_record->time_ns = time_of(file, attr, ret_record);
    }
    ret_record->attr = attr ? &attr->public : NULL;
}

void perf_data_record_refill(const struct cairn_perf_file *file,
                             const struct perf_data_order_entry *entry, uint64_t offset,
                             struct cairn_perf_record *ret_record)
{
    record_header(file, entry->data, ret_record);
    ret_record->offset = offset;
    ret_record->time_ns = entry->time_ns;
    ret_record->attr = entry->attr ? &entry->attr->public : NULL;
}

/* Ends reading. Returns the first error, or ENODATA if there was none. */
static int stop(struct cairn_perf_file *file, int code, uint64_t offset, const char *text)
{
    file->stopped = true;
    if (file->error.code)
        return file->error.code;
    if (code != ENODATA)
        perf_data_file_fail(file, code, offset, text);
    return code;
}

/* The same for the result of peeking: the end of a file may be too early. */
static int stop_short(struct cairn_perf_file *file, int code, uint64_t offset, const char *text)
{
    if (file->cut && (code == ENODATA || code == EBADMSG))
        return stop(file, EBADMSG, file->source.end, "the file is cut short");
    return stop(file, code, offset, text);
}

/* Reads the next record of the file. */
static int next_stored(struct cairn_perf_file *file, struct cairn_perf_record *ret_record)
{
    struct perf_data_source *source = &file->source;
    uint64_t offset = source->offset;
    const uint8_t *data;
    uint16_t size;
    int err = perf_data_source_peek(source, &file->blocks, PERF_DATA_RECORD_HEADER_BYTES, &data);

    if (err)
        return stop_short(file, err, offset, "cut short in a record's header");
    size = core_load16(data + 6, file->swap);
    if (size < PERF_DATA_RECORD_HEADER_BYTES)
        return stop(file, EBADMSG, offset, "a record's size is below that of its header");
    err = perf_data_source_peek(source, &file->blocks, size, &data);
    if (err)
        return stop_short(file, err, offset, "cut short in a record");
    __builtin_prefetch(data + AHEAD_BYTES);
    perf_data_source_take(source, size);
    perf_data_record_fill(file, data, offset, ret_record);
    return 0;
}

static bool is_compressed(uint32_t type)
{
    return type == CAIRN_PERF_RECORD_COMPRESSED || type == CAIRN_PERF_RECORD_COMPRESSED2;
}

/* Reads the next decompressed record. EAGAIN: there is none left. */
static int next_unpacked(struct cairn_perf_file *file, struct cairn_perf_record *ret_record)
{
    struct perf_data_unpack *unpack = &file->unpack;
    const uint8_t *data;
    uint16_t size = 0;
    int err = perf_data_unpack_peek(unpack, &file->blocks, PERF_DATA_RECORD_HEADER_BYTES, &data);

    if (!err) {
        size = core_load16(data + 6, file->swap);
        if (size < PERF_DATA_RECORD_HEADER_BYTES || is_compressed(core_load32(data, file->swap)))
            return stop(file, EBADMSG, unpack->offset, "a compressed record is invalid");
        err = perf_data_unpack_peek(unpack, &file->blocks, size, &data);
    }
    if (err == EAGAIN)
        return EAGAIN;
    if (err)
        return stop(file, err, unpack->offset, "compressed data are damaged");
    perf_data_unpack_take(unpack, size);
    perf_data_record_fill(file, data, unpack->offset, ret_record);
    return 0;
}

/* Begins with a compressed record. Returns EAGAIN: its records come next. */
static int unpack_record(struct cairn_perf_file *file, const struct cairn_perf_record *record)
{
    struct core_cursor c = core_cursor(record->data, record->size_bytes, file->swap);
    size_t size_bytes;
    const uint8_t *packed;
    int err;

    core_cursor_take(&c, PERF_DATA_RECORD_HEADER_BYTES);
    size_bytes = c.left;
    if (record->type == CAIRN_PERF_RECORD_COMPRESSED2)
        size_bytes = core_cursor_u64(&c); /* the rest is padding */
    packed = core_cursor_take(&c, size_bytes);
    if (c.error)
        return stop(file, EBADMSG, record->offset, "a compressed record has a wrong size");
    if (packed)
        packed = perf_data_source_in_map(&file->source, packed);
    err = perf_data_spans_give_up(file); /* what is unpacked has no place in the file */
    if (err)
        return stop(file, err, record->offset, "no memory to sort records");
    err = perf_data_unpack_begin(&file->unpack, packed, size_bytes, record->offset);
    if (err == EOPNOTSUPP)
        return stop(file, err, record->offset, "compressed records, and built without zstd");
    return err ? stop(file, err, record->offset, "no memory to decompress") : EAGAIN;
}

/* Reads the next record of the file itself. EAGAIN: it was a compressed one. */
static int next_of_file(struct cairn_perf_file *file, struct cairn_perf_record *ret_record)
{
    int err = next_stored(file, ret_record);

    if (err == ENODATA && file->unpack.window.left)
        return stop(file, EBADMSG, file->unpack.offset, "compressed data end in a record");
    if (err)
        return err;
    if (is_compressed(ret_record->type))
        return unpack_record(file, ret_record);
    if (ret_record->type < CAIRN_PERF_RECORD_USER_FIRST)
        return 0;
    err = perf_data_metadata_apply(file, ret_record);
    return err ? stop_short(file, err, ret_record->offset, "cut short after a record") : 0;
}

int perf_data_record_next(struct cairn_perf_file *file, struct cairn_perf_record *ret_record)
{
    int err;

    if (file->stopped)
        return file->error.code ? file->error.code : ENODATA;
    do {
        err = file->unpack.pending ? next_unpacked(file, ret_record) : EAGAIN;
        if (err == EAGAIN)
            err = next_of_file(file, ret_record);
    } while (err == EAGAIN);
    return err;
}

/* More events than a machine writes in days: a larger count is invalid. */
#define LOST_MAX (UINT64_C(1) << 48)

/* Adds the count of a LOST record at `at`. An impossible count is damage. */
static void count_lost(struct cairn_perf_file *file, const struct cairn_perf_record *record,
                       uint16_t at, uint64_t *sum)
{
    uint64_t lost = UINT64_MAX;

    if (record->size_bytes >= at + 8u)
        lost = core_load64(record->data + at, file->swap);
    if (lost > LOST_MAX || *sum > UINT64_MAX / 4 - lost)
        perf_data_file_fail(file, EBADMSG, record->offset, "a count of lost events is invalid");
    else
        *sum += lost;
}

int perf_data_record_hand_out(struct cairn_perf_file *file, const struct cairn_perf_record *record)
{
    file->counts.records++;
    switch (record->type) {
    case CAIRN_PERF_RECORD_SAMPLE:
        file->counts.samples++;
        return 0;
    case CAIRN_PERF_RECORD_LOST:
        count_lost(file, record, 16, &file->counts.lost_events);
        return 0;
    case CAIRN_PERF_RECORD_LOST_SAMPLES:
        count_lost(file, record, 8, &file->counts.lost_samples);
        return 0;
    case CAIRN_PERF_RECORD_FINISHED_ROUND:
        file->counts.rounds++;
        return 0;
    case CAIRN_PERF_RECORD_COMM:
    case CAIRN_PERF_RECORD_FORK:
        return perf_data_comm_apply(file, record);
    default:
        return 0;
    }
}

int cairn_perf_file_next(struct cairn_perf_file *file, struct cairn_perf_record *ret_record)
{
    int err;

    perf_data_record_release(file);
    err = perf_data_record_next(file, ret_record);
    return err ? err : perf_data_record_hand_out(file, ret_record);
}
