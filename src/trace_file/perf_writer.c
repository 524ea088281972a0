/* SPDX-License-Identifier: MIT */
/* Blocks of the kernel's records. */
#include "trace_file/perf_writer.h"

#include "core/load.h"
#include "perf_data/disk.h"
#include "perf_data/sample_layout.h"

#include <errno.h>
#include <string.h>

#define ID_AT   8u  /* of a sample */
#define LOST_AT 16u /* of LOST, after the sample id; LOST_SAMPLES has the number at 8 */

void trace_file_perf_writer_begin(struct trace_file_perf_writer *perf,
                                  struct trace_file_writer *writer,
                                  struct trace_file_tables_writer *tables)
{
    *perf = (struct trace_file_perf_writer){.writer = writer, .tables = tables};
}

void trace_file_perf_writer_free(struct trace_file_perf_writer *perf)
{
    perf_data_bytes_free(&perf->samples.bytes);
    perf_data_bytes_free(&perf->samples.extent.counts);
    perf_data_bytes_free(&perf->others.bytes);
    trace_file_counting_free(&perf->counting);
    perf_data_map_free(&perf->descriptor_of);
}

int trace_file_perf_writer_attr(struct trace_file_perf_writer *perf, uint32_t descriptor,
                                struct cairn_slice attr, const uint64_t *ids, uint32_t id_count)
{
    const uint8_t *bytes = (const uint8_t *)attr.text;
    struct perf_data_sample_layout layout = perf_data_sample_layout_of(
        core_load64(bytes + 24, false), perf_data_attr_load_flags(bytes + 40, false));
    int err = 0;

    perf->time_at = layout.time_at;
    perf->tail_time = layout.tail_time;
    for (uint32_t n = 0; n < id_count && !err; n++)
        err = perf_data_map_set(&perf->descriptor_of, ids[n], descriptor);
    trace_file_put_perf_attr(perf->tables, descriptor, perf->domain, attr, ids, id_count);
    return err;
}

/* ---- pieces ---- */

struct perf_writer_piece_header {
    uint32_t size;
    uint32_t cpu;
    uint32_t domain;
    uint32_t events;
    uint64_t first_ns;
    uint64_t last_ns;
};

_Static_assert(sizeof(struct perf_writer_piece_header) == TRACE_FILE_PERF_PIECE_BYTES,
               "no padding");

static void end_piece(struct trace_file_perf_writer *perf, struct trace_file_perf_block *block)
{
    struct trace_file_extent *extent = &block->extent;
    struct perf_writer_piece_header header = {
        .size = (uint32_t)(block->bytes.size - block->piece_at),
        .cpu = block->cpu,
        .domain = block->domain,
        .events = block->events,
        .first_ns = block->first_ns < block->last_ns ? block->first_ns : block->last_ns,
        .last_ns = block->last_ns,
    };

    if (!block->is_open)
        return;
    block->is_open = false;
    memcpy(block->bytes.data + block->piece_at, &header, sizeof(header));
    if (!block->events)
        return;
    if (!extent->events || block->first_ns < extent->first_ns)
        extent->first_ns = block->first_ns;
    if (block->last_ns > extent->last_ns)
        extent->last_ns = block->last_ns;
    extent->events += block->events;
    if (block->last_ns > perf->latest_ns)
        perf->latest_ns = block->last_ns;
}

static void begin_piece(struct trace_file_perf_writer *perf, struct trace_file_perf_block *block,
                        uint32_t cpu)
{
    if (block->is_open && block->cpu == cpu && block->domain == perf->domain)
        return;
    end_piece(perf, block);
    block->cpu = cpu;
    block->domain = perf->domain;
    block->events = 0;
    block->first_ns = UINT64_MAX;
    block->last_ns = 0;
    block->piece_at = block->bytes.size;
    perf_data_bytes_put_zeros(&block->bytes, TRACE_FILE_PERF_PIECE_BYTES);
    block->is_open = !block->bytes.error;
}

/* Counts the samples of the last id. */
static int count(struct trace_file_perf_writer *perf)
{
    uint64_t waiting = perf->waiting;

    perf->waiting = 0;
    return waiting ? trace_file_counting_add(&perf->counting, &perf->samples.extent, 0,
                                             perf->last_number, waiting)
                   : 0;
}

static int note_sample(struct trace_file_perf_writer *perf, const uint8_t *record)
{
    struct trace_file_perf_block *block = &perf->samples;
    uint64_t id = core_load64(record + ID_AT, false);
    uint64_t time_ns = core_load64(record + perf->time_at, false);
    int err = 0;

    if (id != perf->last_id) {
        uint32_t number = perf_data_map_get(&perf->descriptor_of, id);

        number = number == PERF_DATA_MAP_NONE ? 0 : number;
        if (number != perf->last_number)
            err = count(perf);
        perf->last_id = id;
        perf->last_number = number;
    }
    perf->waiting++;
    block->events++;
    if (time_ns < block->first_ns)
        block->first_ns = time_ns;
    if (time_ns > block->last_ns)
        block->last_ns = time_ns;
    return err;
}

/* A piece without samples has the times of its records, for those that have none of their own. */
static void note_other(struct trace_file_perf_writer *perf, const uint8_t *record, uint32_t type,
                       uint16_t size, struct trace_file_perf_added *added)
{
    struct trace_file_perf_block *block = &perf->others;
    uint64_t time_ns =
        size > perf->tail_time + ID_AT ? core_load64(record + size - perf->tail_time, false) : 0;

    if (time_ns && time_ns < block->first_ns)
        block->first_ns = time_ns;
    if (time_ns > block->last_ns)
        block->last_ns = time_ns;
    if (type == CAIRN_PERF_RECORD_LOST && size >= LOST_AT + sizeof(uint64_t))
        added->lost += core_load64(record + LOST_AT, false);
    else if (type == CAIRN_PERF_RECORD_LOST_SAMPLES && size >= ID_AT + sizeof(uint64_t))
        added->lost += core_load64(record + ID_AT, false);
}

/* The size of a record; 0: it is impossible. */
static uint16_t size_of(const uint8_t *record, size_t left)
{
    uint16_t size = left < PERF_DATA_RECORD_HEADER_BYTES ? 0 : core_load16(record + 6, false);

    return size < PERF_DATA_RECORD_HEADER_BYTES || size % 8 || size > left ? 0 : size;
}

/* Adds samples up to the first record that is none. Returns their size. */
static size_t put_samples(struct trace_file_perf_writer *perf, const uint8_t *records,
                          size_t size_bytes, struct trace_file_perf_added *added, int *ret_err)
{
    size_t at = 0;
    uint16_t size;

    while (at < size_bytes && (size = size_of(records + at, size_bytes - at)) != 0 &&
           core_load32(records + at, false) == CAIRN_PERF_RECORD_SAMPLE &&
           size >= perf->time_at + sizeof(uint64_t) && !*ret_err) {
        *ret_err = note_sample(perf, records + at);
        added->samples++;
        at += size;
    }
    perf_data_bytes_put(&perf->samples.bytes, records, at);
    return at;
}

int trace_file_perf_writer_put(struct trace_file_perf_writer *perf, uint32_t cpu,
                               const uint8_t *records, size_t size_bytes,
                               struct trace_file_perf_added *ret_added)
{
    int err = 0;

    for (size_t at = 0; at < size_bytes && !err;) {
        uint16_t size = size_of(records + at, size_bytes - at);
        uint32_t type = size ? core_load32(records + at, false) : 0;

        if (!size || (type == CAIRN_PERF_RECORD_SAMPLE && size < perf->time_at + sizeof(uint64_t)))
            return EBADMSG;
        if (type == CAIRN_PERF_RECORD_SAMPLE) {
            begin_piece(perf, &perf->samples, cpu);
            at += put_samples(perf, records + at, size_bytes - at, ret_added, &err);
        } else {
            begin_piece(perf, &perf->others, cpu);
            note_other(perf, records + at, type, size, ret_added);
            perf_data_bytes_put(&perf->others.bytes, records + at, size);
            at += size;
        }
    }
    err = err ? err : perf->samples.bytes.error;
    return err ? err : perf->others.bytes.error;
}

/* ---- blocks ---- */

static void begin_block(struct trace_file_perf_block *block)
{
    block->bytes.size = 0;
    block->extent.counts.size = 0;
    block->extent = (struct trace_file_extent){.counts = block->extent.counts};
}

/* Names and losses come first, for readers that read forward. */
int trace_file_perf_writer_flush(struct trace_file_perf_writer *perf)
{
    int err = count(perf);

    end_piece(perf, &perf->samples);
    end_piece(perf, &perf->others);
    err = err ? err : trace_file_tables_write(perf->tables, perf->writer);
    if (!err && perf->others.bytes.size)
        err = trace_file_writer_block(perf->writer, TRACE_FILE_PERF, &perf->others.bytes,
                                      &perf->others.extent);
    if (!err && perf->samples.bytes.size)
        err = trace_file_writer_block(perf->writer, TRACE_FILE_PERF, &perf->samples.bytes,
                                      &perf->samples.extent);
    if (err)
        perf->unstored += perf->samples.extent.events;
    begin_block(&perf->samples);
    begin_block(&perf->others);
    trace_file_counting_free(&perf->counting);
    return err;
}
