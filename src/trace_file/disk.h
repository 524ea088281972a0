/* SPDX-License-Identifier: MIT */
/*
 * The trace file on disk: sizes, offsets and numbers, shared by reader and writer. Specified in
 * docs/trace-format.md, which is enough to write another reader.
 */
#ifndef TRACE_FILE_DISK_H
#define TRACE_FILE_DISK_H

#include <stdint.h>

/* The file begins with the magic, the mark of the byte order, and the version. */
#define CAIRN_TRACEFILE_MAGIC \
    "\x89"                    \
    "CAIRN\r\n"
#define CAIRN_TRACEFILE_MAGIC_BYTES  8u
#define CAIRN_TRACEFILE_BYTE_ORDER   0x01020304u
#define CAIRN_TRACEFILE_VERSION      1u
#define CAIRN_TRACEFILE_PROLOG_BYTES 16u

/* A block: header, contents, zeros up to a multiple of 8. */
#define CAIRN_TRACEFILE_BLOCK_MAGIC        "CBLK"
#define CAIRN_TRACEFILE_BLOCK_MAGIC_BYTES  4u
#define CAIRN_TRACEFILE_BLOCK_HEADER_BYTES 32u
#define CAIRN_TRACEFILE_BLOCK_MAX_BYTES    (16u << 20) /* of contents, before compression */

#define CAIRN_TRACEFILE_BLOCK_ZSTD 1u /* flag: the contents are one frame of zstd */

enum cairn_tracefile_block_type {
    CAIRN_TRACEFILE_HOST = 1,
    CAIRN_TRACEFILE_CLOCKS = 2,
    CAIRN_TRACEFILE_PROCESSES = 3,
    CAIRN_TRACEFILE_NAMES = 4,
    CAIRN_TRACEFILE_DESCRIPTORS = 5,
    CAIRN_TRACEFILE_IDS = 6,
    CAIRN_TRACEFILE_EVENTS = 7,
    CAIRN_TRACEFILE_LOSSES = 8,
    CAIRN_TRACEFILE_ROUND = 9,
    CAIRN_TRACEFILE_INDEX = 12,
    CAIRN_TRACEFILE_END = 13,
};

/* The meaning of a counter, in entries of CLOCKS. */
enum cairn_tracefile_counter {
    CAIRN_TRACEFILE_COUNTER_NS = 0,     /* the counter is the clock, in ns */
    CAIRN_TRACEFILE_COUNTER_CYCLES = 1, /* of a frequency that the pairs show */
};

/* Kinds of DESCRIPTORS. */
enum cairn_tracefile_descriptor_kind {
    CAIRN_TRACEFILE_TRACEPOINT = 1,
    CAIRN_TRACEFILE_EVENTHEADER = 2,
};

/* Flags of descriptors: the parts that precede the payload's fields. */
#define CAIRN_TRACEFILE_HAS_COMMON   1u /* the common fields of the tracepoint, 8 bytes */
#define CAIRN_TRACEFILE_HAS_ACTIVITY 2u /* an activity id, 16 bytes */
#define CAIRN_TRACEFILE_HAS_RELATED  4u /* the related one after it */
#define CAIRN_TRACEFILE_OTHER_ORDER  8u /* payloads have the other byte order than the file */

/* Pieces of EVENTS: a header, then records up to the piece's end. */
#define CAIRN_TRACEFILE_PIECE_BYTES      48u
#define CAIRN_TRACEFILE_PIECE_FILE_IDS   1u /* flag: records have the numbers of the file */
#define CAIRN_TRACEFILE_CPU_UNKNOWN      UINT32_MAX
#define CAIRN_TRACEFILE_RECORD_BYTES     8u /* a record's header */
#define CAIRN_TRACEFILE_RECORD_MAX_BYTES 65535u
#define CAIRN_TRACEFILE_LONG_BYTES       16u /* the same in the long form */

/* The first u16 of records that are not of a descriptor below 0xffff. */
#define CAIRN_TRACEFILE_RECORD_CONTROL 0u
#define CAIRN_TRACEFILE_RECORD_LONG    0xffffu

/* Kinds of control records: the u32 after the header. */
enum cairn_tracefile_control {
    CAIRN_TRACEFILE_CONTROL_CPU = 1,  /* u32: the processor from here on */
    CAIRN_TRACEFILE_CONTROL_BASE = 2, /* u64: the counter from which times count from here on */
    CAIRN_TRACEFILE_CONTROL_LOST = 3, /* u32 cause, u64 events that are missing here */
};

/* Kinds of LOSSES. */
enum cairn_tracefile_loss_kind {
    CAIRN_TRACEFILE_LOST_EVENTS = 1,
    CAIRN_TRACEFILE_LOST_PROCESSES = 2,
    CAIRN_TRACEFILE_LOST_RECORDS = 3,   /* invalid, left out by the recorder */
    CAIRN_TRACEFILE_LOST_DIRECTORY = 4, /* the tracing directory was removed meanwhile */
};

#define CAIRN_TRACEFILE_LOST_MAX (UINT64_C(1) << 48) /* a greater count is damage */

#define CAIRN_TRACEFILE_INDEX_BYTES       48u /* an entry of INDEX */
#define CAIRN_TRACEFILE_INDEX_COUNT_BYTES 16u

#endif
