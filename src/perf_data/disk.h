/* SPDX-License-Identifier: MIT */
/*
 * The format on disk: sizes, offsets and numbers, shared by reader and writer. The structs of the
 * kernel's headers are not used, because files of any age and byte order have other sizes of them.
 */
#ifndef PERF_DATA_DISK_H
#define PERF_DATA_DISK_H

#include <stdint.h>

/* The header of a file; a pipe stream has only magic and size. */
#define PERF_DATA_MAGIC             0x32454c4946524550u /* "PERFILE2" */
#define PERF_DATA_MAGIC_OLD         0x454c494646524550u /* "PERFFILE", before 2012, of no byte order */
#define PERF_DATA_HEADER_BYTES      104u
#define PERF_DATA_HEADER_OLD_BYTES  72u /* without feature flags */
#define PERF_DATA_PIPE_HEADER_BYTES 16u
#define PERF_DATA_SECTION_BYTES     16u /* offset, size */

/* The name of thread 0, the idle one, which no record has. */
#define PERF_DATA_IDLE_COMM "swapper"

#define PERF_DATA_RECORD_HEADER_BYTES 8u
#define PERF_DATA_RECORD_LIMIT_BYTES  65536u /* a record's size is a u16 */

/* An attr, by the kernel's name for it perf_event_attr. */
#define PERF_DATA_ATTR_MIN_BYTES    64u /* the first version */
/*
 * perf refuses a file whose attrs are larger than its own: files have the attrs of 2012, the first
 * with all members that are used here. From a stream it copies as many bytes as its own attrs have,
 * whatever the size says: streams have today's attrs, so that it copies zeros.
 */
#define PERF_DATA_ATTR_FILE_BYTES   96u
#define PERF_DATA_ATTR_STREAM_BYTES 136u

/* Its bit field. */
#define PERF_DATA_ATTR_COMM          (UINT64_C(1) << 9)
#define PERF_DATA_ATTR_SAMPLE_ID_ALL (UINT64_C(1) << 18)
#define PERF_DATA_ATTR_USE_CLOCKID   (UINT64_C(1) << 25)

#define PERF_DATA_TYPE_SOFTWARE 1u
#define PERF_DATA_SW_DUMMY      9u
#define PERF_DATA_SW_BPF_OUTPUT 10u

#define PERF_DATA_SAMPLE_IP         (UINT64_C(1) << 0)
#define PERF_DATA_SAMPLE_TID        (UINT64_C(1) << 1)
#define PERF_DATA_SAMPLE_TIME       (UINT64_C(1) << 2)
#define PERF_DATA_SAMPLE_ADDR       (UINT64_C(1) << 3)
#define PERF_DATA_SAMPLE_READ       (UINT64_C(1) << 4)
#define PERF_DATA_SAMPLE_CALLCHAIN  (UINT64_C(1) << 5)
#define PERF_DATA_SAMPLE_ID         (UINT64_C(1) << 6)
#define PERF_DATA_SAMPLE_CPU        (UINT64_C(1) << 7)
#define PERF_DATA_SAMPLE_PERIOD     (UINT64_C(1) << 8)
#define PERF_DATA_SAMPLE_STREAM_ID  (UINT64_C(1) << 9)
#define PERF_DATA_SAMPLE_RAW        (UINT64_C(1) << 10)
#define PERF_DATA_SAMPLE_REGS_USER  (UINT64_C(1) << 12)
#define PERF_DATA_SAMPLE_STACK_USER (UINT64_C(1) << 13)
#define PERF_DATA_SAMPLE_IDENTIFIER (UINT64_C(1) << 16)

#define PERF_DATA_READ_TIME_ENABLED (UINT64_C(1) << 0)
#define PERF_DATA_READ_TIME_RUNNING (UINT64_C(1) << 1)
#define PERF_DATA_READ_ID           (UINT64_C(1) << 2)
#define PERF_DATA_READ_GROUP        (UINT64_C(1) << 3)
#define PERF_DATA_READ_LOST         (UINT64_C(1) << 4)

/* PERF_EVENT_UPDATE__NAME */
#define PERF_DATA_UPDATE_NAME 2u

/*
 * The record that perf calls HEADER_EVENT_TYPE: an id and a name of 64 bytes. perf has not looked
 * into such records since 2013 and skips them, so after the name cairn adds what perf's own records
 * cannot contain after samples were written: a tracepoint's format text. After the name:
 *
 *   u64 magic; u32 id_count, system_bytes, name_bytes, format_bytes;
 *   u64 ids[id_count]; the three texts; zeros up to a multiple of 8
 */
#define PERF_DATA_EVENT_TYPE_NAME_BYTES 64u
#define PERF_DATA_DESCRIBE_MAGIC        0x3150544e52494143u /* "CAIRNTP1" */

/*
 * Another such record describes what is missing from the recording. All counts are since its
 * beginning; the last record is valid. After the name:
 *
 *   u64 magic; u32 cause_count, directory_gone; u64 damaged;
 *   struct { u64 lost_events, processes; } of each cause, in the order of enum cairn_loss;
 *   u32 kernel_gap, silences, changed_cpus, directories_left_out; of which earlier versions wrote
 *   none, or the first and a zero
 */
#define PERF_DATA_MISSING_MAGIC 0x31534d4e52494143u /* "CAIRNMS1" */

/*
 * A finished file contains the stream that it was made of, so that a truncated copy can be read as
 * that stream. Its first record is one that readers skip, and becomes the rest of the file's
 * header. The second is at the end of the header, is skipped, too, and marks a kept stream: after
 * its 8 bytes is the magic. Metadata among the records are skipped in a file: there they are of the
 * type HEADER_EVENT_TYPE, with their own type as `misc`.
 */
#define PERF_DATA_KEPT_STREAM_AT    PERF_DATA_HEADER_BYTES
#define PERF_DATA_KEPT_STREAM_MAGIC 0x3154534e52494143u /* "CAIRNST1" */

#endif
