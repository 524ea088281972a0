/* SPDX-License-Identifier: MIT */
/* Records of the kernel in a trace file that is made of others. */
#include "convert/output.h"

#include "core/load.h"
#include "perf_data/disk.h"

#include <errno.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>

/* Enough for a block. */
#define FLUSH_BYTES ((size_t)1 << 20)

struct convert_ring {
    uint32_t cpu;
    uint32_t domain;
    struct cairn_bytes records;
};

int convert_output_begin(struct convert_output *out, int fd, int level)
{
    int err;

    *out = (struct convert_output){0};
    err = trace_file_samples_begin(&out->samples, fd, level);
    trace_file_perf_writer_begin(&out->perf, &out->samples.writer, &out->samples.tables);
    return err;
}

void convert_output_free(struct convert_output *out)
{
    for (uint32_t n = 0; n < out->ring_count; n++)
        perf_data_bytes_free(&out->rings[n].records);
    free(out->rings);
    perf_data_map_free(&out->ring_of);
    perf_data_bytes_free(&out->record);
    trace_file_perf_writer_free(&out->perf);
    trace_file_samples_free(&out->samples);
    *out = (struct convert_output){0};
}

/* ---- attrs ---- */

int convert_output_attr(struct convert_output *out, const struct convert_attr *attr,
                        uint64_t *ret_id)
{
    struct perf_event_attr bytes = {0};
    struct cairn_slice slice = {(const char *)&bytes, sizeof(bytes)};
    size_t known_bytes = attr->bytes.length < sizeof(bytes) ? attr->bytes.length : sizeof(bytes);
    uint64_t id = ++out->last_id;
    int err;

    if (known_bytes)
        memcpy(&bytes, attr->bytes.text, known_bytes);
    bytes.type = CAIRN_PERF_TYPE_TRACEPOINT;
    bytes.size = sizeof(bytes);
    bytes.config = attr->config;
    bytes.sample_type = (attr->sample_type & ~CONVERT_FIXED_FIELDS) |
                        (CAIRN_RECORD_SAMPLE_TYPE & CONVERT_FIXED_FIELDS);
    bytes.read_format = attr->read_format;
    bytes.sample_id_all = 1;
    out->perf.domain = attr->domain;
    err = trace_file_perf_writer_attr(&out->perf, attr->descriptor, slice, &id, 1);
    if (!err)
        *ret_id = id;
    return err;
}

size_t convert_tail_bytes(uint64_t sample_type)
{
    const uint64_t in_tail = PERF_DATA_SAMPLE_TID | PERF_DATA_SAMPLE_TIME | PERF_DATA_SAMPLE_ID |
                             PERF_DATA_SAMPLE_STREAM_ID | PERF_DATA_SAMPLE_CPU |
                             PERF_DATA_SAMPLE_IDENTIFIER;

    return sizeof(uint64_t) * (size_t)__builtin_popcountll(sample_type & in_tail);
}

/* ---- records ---- */

void convert_record_take_tail(struct convert_record *record,
                              const struct perf_data_sample_layout *layout, size_t size_bytes)
{
    const uint8_t *end = record->header + size_bytes;
    size_t most_bytes = size_bytes - PERF_DATA_RECORD_HEADER_BYTES;

    if (layout->tail_tid && layout->tail_tid <= most_bytes) {
        record->pid = core_load32(end - layout->tail_tid, false);
        record->tid = core_load32(end - layout->tail_tid + sizeof(uint32_t), false);
    }
    if (layout->tail_cpu && layout->tail_cpu <= most_bytes)
        record->cpu = core_load32(end - layout->tail_cpu, false);
}

static int find_ring(struct convert_output *out, const struct convert_record *record,
                     struct convert_ring **ret_ring)
{
    uint64_t key = (uint64_t)record->domain << 32 | record->cpu;
    uint32_t index = perf_data_map_get(&out->ring_of, key);
    void *bigger;
    int err;

    if (index != PERF_DATA_MAP_NONE) {
        *ret_ring = &out->rings[index];
        return 0;
    }
    bigger = realloc(out->rings, (out->ring_count + 1) * sizeof(*out->rings));
    if (!bigger)
        return ENOMEM;
    out->rings = (struct convert_ring *)bigger;
    err = perf_data_map_set(&out->ring_of, key, out->ring_count);
    if (err)
        return err;
    out->rings[out->ring_count] = (struct convert_ring){record->cpu, record->domain, {0}};
    *ret_ring = &out->rings[out->ring_count++];
    return 0;
}

static void put_fixed(struct cairn_bytes *to, const struct convert_record *record, bool is_sample)
{
    if (is_sample)
        perf_data_bytes_put_u64(to, record->id);
    perf_data_bytes_put_u32(to, record->pid);
    perf_data_bytes_put_u32(to, record->tid);
    perf_data_bytes_put_u64(to, record->time_ns);
    perf_data_bytes_put_u32(to, record->cpu);
    perf_data_bytes_put_u32(to, 0);
    if (!is_sample)
        perf_data_bytes_put_u64(to, record->id);
}

static int make_record(struct convert_output *out, const struct convert_record *record,
                       bool is_sample)
{
    struct cairn_bytes *to = &out->record;
    uint16_t size_bytes;

    to->size = 0;
    perf_data_bytes_put(to, record->header, PERF_DATA_RECORD_HEADER_BYTES);
    if (is_sample)
        put_fixed(to, record, true);
    perf_data_bytes_put(to, record->body, record->body_bytes);
    perf_data_bytes_align(to);
    if (!is_sample)
        put_fixed(to, record, false);
    if (to->error)
        return to->error;
    if (to->size > CAIRN_RECORD_MAX_BYTES)
        return E2BIG;
    size_bytes = (uint16_t)to->size;
    memcpy(to->data + 6, &size_bytes, sizeof(size_bytes));
    return 0;
}

/* Records that were added so far come before a round up to the latest of them. */
static int write_rings(struct convert_output *out)
{
    struct trace_file_perf_added added = {0};
    int err = 0;

    for (uint32_t n = 0; n < out->ring_count && !err; n++) {
        struct convert_ring *ring = &out->rings[n];

        out->perf.domain = ring->domain;
        err = trace_file_perf_writer_put(&out->perf, ring->cpu, ring->records.data,
                                         ring->records.size, &added);
        ring->records.size = 0;
    }
    out->waiting_bytes = 0;
    err = err ? err : trace_file_perf_writer_flush(&out->perf);
    return err ? err : trace_file_pieces_round(&out->samples.pieces, out->latest_ns);
}

int convert_output_record(struct convert_output *out, const struct convert_record *record)
{
    uint32_t type;
    struct convert_ring *ring;
    int err;

    memcpy(&type, record->header, sizeof(type));
    err = make_record(out, record, type == CAIRN_PERF_RECORD_SAMPLE);
    err = err ? err : find_ring(out, record, &ring);
    if (err)
        return err;
    perf_data_bytes_put(&ring->records, out->record.data, out->record.size);
    if (ring->records.error)
        return ring->records.error;
    out->samples.pieces.has_rounds = true;
    out->waiting_bytes += out->record.size;
    if (record->time_ns > out->latest_ns)
        out->latest_ns = record->time_ns;
    return out->waiting_bytes < FLUSH_BYTES ? 0 : write_rings(out);
}

int convert_output_finish(struct convert_output *out)
{
    int err = out->waiting_bytes ? write_rings(out) : 0;
    int finish_err = trace_file_samples_finish(&out->samples);

    return err ? err : finish_err;
}
