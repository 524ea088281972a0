/* SPDX-License-Identifier: MIT */
/*
 * Writes the kernel's records as they are: samples to blocks of their own, and other records, which
 * readers need before them, to others.
 */
#ifndef TRACE_FILE_PERF_WRITER_H
#define TRACE_FILE_PERF_WRITER_H

#include "trace_file/counting.h"
#include "trace_file/write_tables.h"

/* A block that is being filled. */
struct trace_file_perf_block {
    struct cairn_bytes bytes;
    struct trace_file_extent extent;
    size_t piece_at; /* of the piece that grows: the position of its head */
    uint32_t cpu;    /* its CPU, */
    uint32_t domain; /* that of its clock, */
    uint32_t events; /* and its samples */
    uint64_t first_ns;
    uint64_t last_ns;
    bool is_open; /* there is one */
};

struct trace_file_perf_writer {
    struct trace_file_writer *writer;
    struct trace_file_tables_writer *tables; /* written before records */
    struct trace_file_perf_block samples;
    struct trace_file_perf_block others;
    struct trace_file_counting counting;
    struct perf_data_map descriptor_of; /* sample id to the number of its tracepoint's descriptor */
    uint64_t last_id;                   /* of the last sample, */
    uint32_t last_number;
    uint64_t waiting;   /* number of samples that are not counted by descriptor yet */
    uint32_t domain;    /* of the records that are put next */
    uint32_t tail_time; /* the position of the time of other records than samples, from the end */
    uint32_t time_at;   /* and in samples */
    uint64_t latest_ns;
    uint64_t unstored; /* samples that could not be written */
};

/* Numbers that a call has added. */
struct trace_file_perf_added {
    uint64_t samples;
    uint64_t lost; /* by the kernel, as its records say */
};

void trace_file_perf_writer_begin(struct trace_file_perf_writer *perf,
                                  struct trace_file_writer *writer,
                                  struct trace_file_tables_writer *tables);

/*
 * Adds an attr. All of a file have the same fields at the same positions, sample_id_all and the
 * IDENTIFIER.
 *
 * descriptor  of its tracepoint; 0: none
 *
 * Returns 0; ENOMEM.
 */
int trace_file_perf_writer_attr(struct trace_file_perf_writer *perf, uint32_t descriptor,
                                struct cairn_slice attr, const uint64_t *ids, uint32_t id_count);

/*
 * Adds whole records of a ring. Returns 0; EBADMSG a size is impossible; ENOMEM.
 *
 * ret_added  added to
 */
int trace_file_perf_writer_put(struct trace_file_perf_writer *perf, uint32_t cpu,
                               const uint8_t *records, size_t size_bytes,
                               struct trace_file_perf_added *ret_added);

/* True if a block is to be written. */
static inline bool trace_file_perf_writer_is_enough(const struct trace_file_perf_writer *perf)
{
    return perf->samples.bytes.size >= (size_t)1 << 20 || perf->others.bytes.size >= 1u << 20;
}

/* Writes the tables and the blocks. Returns as trace_file_writer_block. */
int trace_file_perf_writer_flush(struct trace_file_perf_writer *perf);

void trace_file_perf_writer_free(struct trace_file_perf_writer *perf);

#endif
