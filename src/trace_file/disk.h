/* SPDX-License-Identifier: MIT */
/*
 * The trace file on disk: sizes, offsets and numbers, shared by reader and writer. Specified in
 * docs/trace-format.md, which is enough to write another reader.
 */
#ifndef TRACE_FILE_DISK_H
#define TRACE_FILE_DISK_H

#include <stdint.h>

/* The file begins with the magic, the mark of the byte order, and the version. */
#define CAIRN_TRACE_MAGIC \
    "\x89"                \
    "CAIRN\r\n"
#define CAIRN_TRACE_MAGIC_BYTES  8u
#define CAIRN_TRACE_BYTE_ORDER   0x01020304u
#define CAIRN_TRACE_VERSION      1u
#define CAIRN_TRACE_PROLOG_BYTES 16u

/* A block: header, contents, zeros up to a multiple of 8. */
#define CAIRN_TRACE_BLOCK_MAGIC        "CBLK"
#define CAIRN_TRACE_BLOCK_MAGIC_BYTES  4u
#define CAIRN_TRACE_BLOCK_HEADER_BYTES 32u
#define CAIRN_TRACE_BLOCK_MAX_BYTES    (16u << 20) /* of contents, before compression */

#define CAIRN_TRACE_BLOCK_ZSTD 1u /* flag: the contents are one frame of zstd */

enum cairn_trace_block_type {
    CAIRN_TRACE_HOST = 1,
    CAIRN_TRACE_CLOCKS = 2,
    CAIRN_TRACE_PROCESSES = 3,
    CAIRN_TRACE_NAMES = 4,
    CAIRN_TRACE_DESCRIPTORS = 5,
    CAIRN_TRACE_IDS = 6,
    CAIRN_TRACE_EVENTS = 7,
    CAIRN_TRACE_LOSSES = 8,
    CAIRN_TRACE_ROUND = 9,
    CAIRN_TRACE_INDEX = 12,
    CAIRN_TRACE_END = 13,
};

/* Entries of CLOCKS. */
#define CAIRN_TRACE_CLOCK_BYTES 48u /* with the size */

enum cairn_trace_counter {
    CAIRN_TRACE_COUNTER_NS = 0,     /* the counter is the clock, in ns */
    CAIRN_TRACE_COUNTER_CYCLES = 1, /* of a frequency that the pairs show */
};

/* Kinds of DESCRIPTORS. */
enum cairn_trace_descriptor_kind {
    CAIRN_TRACE_TRACEPOINT = 1,
    CAIRN_TRACE_EVENTHEADER = 2,
};

/* Flags of descriptors: the parts that precede the payload's fields. */
#define CAIRN_TRACE_HAS_COMMON   1u /* the common fields of the tracepoint, 8 bytes */
#define CAIRN_TRACE_HAS_ACTIVITY 2u /* an activity id, 16 bytes */
#define CAIRN_TRACE_HAS_RELATED  4u /* the related one after it */
#define CAIRN_TRACE_OTHER_ORDER  8u /* payloads have the other byte order than the file */

/* Pieces of EVENTS: a header, then records up to the piece's end. */
#define CAIRN_TRACE_PIECE_BYTES      48u
#define CAIRN_TRACE_PIECE_FILE_IDS   1u /* flag: records have the numbers of the file */
#define CAIRN_TRACE_CPU_UNKNOWN      UINT32_MAX
#define CAIRN_TRACE_RECORD_BYTES     8u /* a record's header */
#define CAIRN_TRACE_RECORD_MAX_BYTES 65535u
#define CAIRN_TRACE_LONG_BYTES       16u /* the same in the long form */

/* The first u16 of records that are not of a descriptor below 0xffff. */
#define CAIRN_TRACE_RECORD_CONTROL 0u
#define CAIRN_TRACE_RECORD_LONG    0xffffu

/* Kinds of control records: the u32 after the header. */
enum cairn_trace_control {
    CAIRN_TRACE_CONTROL_CPU = 1,  /* u32: the processor from here on */
    CAIRN_TRACE_CONTROL_BASE = 2, /* u64: the counter from which times count from here on */
    CAIRN_TRACE_CONTROL_LOST = 3, /* u32 cause, u64 events that are missing here */
};

/* Kinds of LOSSES. */
enum cairn_trace_loss_kind {
    CAIRN_TRACE_LOST_EVENTS = 1,
    CAIRN_TRACE_LOST_PROCESSES = 2,
    CAIRN_TRACE_LOST_RECORDS = 3,   /* invalid, left out by the recorder */
    CAIRN_TRACE_LOST_DIRECTORY = 4, /* the tracing directory was removed meanwhile */
};

#define CAIRN_TRACE_INDEX_BYTES       48u /* an entry of INDEX */
#define CAIRN_TRACE_INDEX_COUNT_BYTES 16u
#define CAIRN_TRACE_END_BYTES         16u

#endif
