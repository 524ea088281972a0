/* SPDX-License-Identifier: MIT */
/* Records of the kernel's perf events, which a trace file contains as they are; and their attrs. */
#ifndef TRACE_FILE_PERF_H
#define TRACE_FILE_PERF_H

#include "perf_data/sample_layout.h"
#include "trace_file/blocks.h"
#include "trace_file/tables.h"
#include "trace_file/writer.h"

/* The attr of a perf event: which tracepoint its samples are of, and how they look. */
struct trace_file_perf_attr {
    const struct trace_file_descriptor *tracepoint; /* NULL: none, as of the dummy event */
    uint32_t domain;                                /* of the clock */
    struct cairn_slice bytes;                       /* the kernel's struct perf_event_attr */
    struct cairn_perf_attr of_samples; /* what is needed to parse samples: no name, no format */
    struct perf_data_sample_layout layout;
};

/* A piece: records of one ring, in its order. */
struct trace_file_perf_piece {
    struct core_cursor records;
    uint32_t cpu;
    uint32_t domain;
    uint32_t events; /* samples, as the head says */
    uint64_t first_ns;
    uint64_t last_ns;
};

/* Takes a piece from a block. Returns 0; EBADMSG. */
int trace_file_perf_piece_take(struct core_cursor *c, struct trace_file_perf_piece *ret_piece);

/* A record of a piece. */
struct trace_file_perf_record {
    const uint8_t *data;
    uint16_t size_bytes;
    uint32_t type;                           /* PERF_RECORD_ */
    uint64_t time_ns;                        /* 0: it has none */
    const struct trace_file_perf_attr *attr; /* NULL: unknown */
};

/* Takes a record from a piece. Returns 0; EBADMSG its size is impossible. */
int trace_file_perf_record_take(const struct trace_file_tables *tables, struct core_cursor *records,
                                struct trace_file_perf_record *ret_record);

/* As trace_file_extent_of and trace_file_extent_of_heads, for a block of such records. */
int trace_file_perf_extent_of(const struct trace_file_tables *tables,
                              const struct trace_file_block *block, bool swap,
                              struct trace_file_extent *ret_extent);
int trace_file_perf_extent_of_heads(const struct trace_file_block *block, bool swap,
                                    struct trace_file_extent *ret_extent);

#endif
