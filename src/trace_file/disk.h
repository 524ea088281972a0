/* SPDX-License-Identifier: MIT */
/*
 * The trace file on disk: sizes, offsets and numbers, shared by reader and writer. Specified in
 * docs/trace-format.md, which is enough to write another reader.
 */
#ifndef TRACE_FILE_DISK_H
#define TRACE_FILE_DISK_H

#include "core/compact_record.h"

#include <stdbool.h>
#include <stdint.h>

/* The file begins with the magic, the mark of the byte order, and the version. */
#define TRACE_FILE_MAGIC \
    "\x89"               \
    "CAIRN\r\n"
#define TRACE_FILE_MAGIC_BYTES  8u
#define TRACE_FILE_BYTE_ORDER   0x01020304u
#define TRACE_FILE_VERSION      1u
#define TRACE_FILE_PROLOG_BYTES 16u

/* The limit of all texts of KERNEL_STRINGS together: others are left out. */
#define TRACE_FILE_KERNEL_STRINGS_MAX_BYTES (4u << 20)

/* A block: header, contents, zeros up to a multiple of 8. */
#define TRACE_FILE_BLOCK_MAGIC        "CBLK"
#define TRACE_FILE_BLOCK_MAGIC_BYTES  4u
#define TRACE_FILE_BLOCK_HEADER_BYTES 32u
#define TRACE_FILE_BLOCK_MAX_BYTES    (16u << 20) /* of contents, before compression */

#define TRACE_FILE_BLOCK_ZSTD 1u /* flag: the contents are one frame of zstd */

enum trace_file_block_type {
    TRACE_FILE_HOST = 1,
    TRACE_FILE_CLOCKS = 2,
    TRACE_FILE_PROCESSES = 3,
    TRACE_FILE_NAMES = 4,
    TRACE_FILE_DESCRIPTORS = 5,
    TRACE_FILE_IDS = 6,
    TRACE_FILE_EVENTS = 7,
    TRACE_FILE_LOSSES = 8,
    TRACE_FILE_ROUND = 9,
    TRACE_FILE_PERF_ATTRS = 10,
    TRACE_FILE_PERF = 11,
    TRACE_FILE_INDEX = 12,
    TRACE_FILE_END = 13,
    TRACE_FILE_KERNEL_STRINGS = 14,
};

/* The meaning of a counter, in entries of CLOCKS. */
enum trace_file_counter {
    TRACE_FILE_COUNTER_NS = 0,     /* the counter is the clock, in ns */
    TRACE_FILE_COUNTER_CYCLES = 1, /* its frequency follows from the pairs, or their rates */
};

/* Kinds of DESCRIPTORS. */
enum trace_file_descriptor_kind {
    TRACE_FILE_TRACEPOINT = 1,
    TRACE_FILE_EVENTHEADER = 2,
};

/* Flags of descriptors: the parts that precede the payload's fields. */
#define TRACE_FILE_HAS_COMMON   1u /* the common fields of the tracepoint, 8 bytes */
#define TRACE_FILE_HAS_ACTIVITY 2u /* an activity id, 16 bytes */
#define TRACE_FILE_HAS_RELATED  4u /* the related one after it */
#define TRACE_FILE_OTHER_ORDER  8u /* payloads have the opposite byte order of the file */

/* Pieces of EVENTS: a header, then records up to the piece's end. */
#define TRACE_FILE_PIECE_BYTES      48u
#define TRACE_FILE_PIECE_FILE_IDS   1u /* flag: records have the numbers of the file */
#define TRACE_FILE_PIECE_NS         2u /* flag: times are ns, whatever the domain's counter is */
#define TRACE_FILE_CPU_UNKNOWN      UINT32_MAX
#define TRACE_FILE_RECORD_MAX_BYTES 65535u

#define TRACE_FILE_PERF_PIECE_BYTES 32u /* the header of a piece of PERF */

/* True of blocks whose events the index counts. */
static inline bool trace_file_has_events(uint32_t type)
{
    return type == TRACE_FILE_EVENTS || type == TRACE_FILE_PERF;
}

/* Kinds of LOSSES. */
enum trace_file_loss_kind {
    TRACE_FILE_LOST_EVENTS = 1,
    TRACE_FILE_LOST_PROCESSES = 2,
    TRACE_FILE_LOST_RECORDS = 3,   /* invalid, left out by the recorder */
    TRACE_FILE_LOST_DIRECTORY = 4, /* the tracing directory was removed meanwhile */
    TRACE_FILE_LOST_KERNEL = 5,    /* events of the kernel between a killed recorder and the next */
    TRACE_FILE_LOST_SILENCES =
        6,                    /* times that programs stopped writing: the recorder did not run */
    TRACE_FILE_LOST_CPUS = 7, /* went offline or online: the kernel's events on them are missing */
    TRACE_FILE_LOST_LEFT_OUT = 8, /* tracing directories that were not recorded */
};

#define TRACE_FILE_RATE_MAX (UINT64_C(1) << 62) /* of a counter; a greater one is damage */
#define TRACE_FILE_LOST_MAX (UINT64_C(1) << 48) /* a greater count is damage */

#define TRACE_FILE_INDEX_BYTES       48u /* an entry of INDEX */
#define TRACE_FILE_INDEX_COUNT_BYTES 16u

#endif
