/* SPDX-License-Identifier: MIT */
/*
 * A trace file that is made of other recordings. Events are added in the order of time. Records of
 * the kernel keep all fields of varying size, such as call chains; their fixed fields become those
 * of CAIRN_RECORD_SAMPLE_TYPE, and their ids unique in the output.
 */
#ifndef CONVERT_OUTPUT_H
#define CONVERT_OUTPUT_H

#include "perf_data/sample_layout.h"
#include "trace_file/perf_writer.h"
#include "trace_file/samples.h"

#include <cairn/perf_data.h>

/* The records of a CPU, for the next block. */
struct convert_ring;

/* All zeros: not begun. */
struct convert_output {
    struct trace_file_samples samples;
    struct trace_file_perf_writer perf;
    struct convert_ring *rings;
    uint32_t ring_count;
    struct perf_data_map ring_of; /* domain and CPU to index */
    uint64_t last_id;             /* of the attrs that were added */
    size_t waiting_bytes;         /* of records in the rings */
    uint64_t latest_ns;           /* of them */
    struct cairn_bytes record;
};

/* Arguments and codes as trace_file_writer_begin. */
int convert_output_begin(struct convert_output *out, int fd, int level);

/* The fields of fixed size, which each sample has, and each other record at its end. */
#define CONVERT_FIXED_FIELDS                                                    \
    (PERF_DATA_SAMPLE_IDENTIFIER | PERF_DATA_SAMPLE_IP | PERF_DATA_SAMPLE_TID | \
     PERF_DATA_SAMPLE_TIME | PERF_DATA_SAMPLE_ADDR | PERF_DATA_SAMPLE_ID |      \
     PERF_DATA_SAMPLE_STREAM_ID | PERF_DATA_SAMPLE_CPU | PERF_DATA_SAMPLE_PERIOD)

/* A kind of samples. */
struct convert_attr {
    uint32_t descriptor; /* number of its tracepoint's, with the common fields; 0: none */
    uint32_t domain;
    uint64_t config;      /* id of the tracepoint */
    uint64_t sample_type; /* its fixed fields have no effect */
    uint64_t read_format;
    struct cairn_slice bytes; /* the kernel's struct, for what else it has; "" if unknown */
};

/* Adds a kind of samples. Returns 0; ENOMEM. */
int convert_output_attr(struct convert_output *out, const struct convert_attr *attr,
                        uint64_t *ret_id);

/* A record of the kernel. */
struct convert_record {
    const uint8_t *header; /* its first 8 bytes: type, misc, size */
    const uint8_t *body;   /* without fixed fields: of a sample those of varying size, of another */
    size_t body_bytes;     /* record what precedes the fixed ones */
    uint64_t id;           /* of convert_output_attr */
    uint64_t time_ns;
    uint32_t pid;
    uint32_t tid;
    uint32_t cpu;
    uint32_t domain;
};

/* Adds a record. Returns 0; E2BIG it would be too large; ENOMEM; or as trace_file_writer_block. */
int convert_output_record(struct convert_output *out, const struct convert_record *record);

/* The size of the fields at the end of a record that is no sample. */
size_t convert_tail_bytes(uint64_t sample_type);

/* Takes the thread and the CPU of a record that is no sample from its end, if they are there: a
 * switch of threads has them nowhere else. */
void convert_record_take_tail(struct convert_record *record,
                              const struct perf_data_sample_layout *layout, size_t size_bytes);

/* Writes what was collected, the index and the end. Returns as trace_file_writer_block. */
int convert_output_finish(struct convert_output *out);

void convert_output_free(struct convert_output *out);

#endif
