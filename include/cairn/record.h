/* SPDX-License-Identifier: MIT */
/*
 * The record: an event as bytes, the same in a buffer and in a file.
 *
 * A record is a PERF_RECORD_SAMPLE with sample type CAIRN_RECORD_SAMPLE_TYPE. Its raw part begins
 * with the common fields of tracefs; the payload follows; zeros fill it up to a multiple of 8.
 * Specified by perf_event_open(2) and by the kernel's
 * tools/perf/Documentation/perf.data-file-format.txt.
 */
#ifndef CAIRN_RECORD_H
#define CAIRN_RECORD_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

#define CAIRN_RECORD_SAMPLE 9u /* PERF_RECORD_SAMPLE */
#define CAIRN_RECORD_LOST   2u /* PERF_RECORD_LOST */

#define CAIRN_RECORD_MISC_USER 2u /* PERF_RECORD_MISC_USER */

/* PERF_SAMPLE_ TID | TIME | CPU | RAW | IDENTIFIER */
#define CAIRN_RECORD_SAMPLE_TYPE 0x10486u

/* A record's size is a u16 and a multiple of 8. */
#define CAIRN_RECORD_MAX_BYTES 65528u

struct cairn_record_head {
    uint32_t type; /* CAIRN_RECORD_SAMPLE */
    uint16_t misc; /* PERF_RECORD_MISC_USER */
    uint16_t size_bytes;
    uint64_t id; /* identifies the tracepoint and its generation */
    uint32_t pid;
    uint32_t tid;
    uint64_t time_ns; /* CLOCK_MONOTONIC */
    uint32_t cpu;
    uint32_t reserved;
    uint32_t raw_size_bytes; /* common fields, payload and padding */
    uint16_t common_type;    /* the tracepoint's id in `format` text */
    uint8_t common_flags;
    uint8_t common_preempt_count;
    int32_t common_pid; /* the thread */
    /* the payload follows */
} __attribute__((packed, aligned(4)));

/* Bytes of head and payload, filled up to the multiple of 8. */
static inline uint32_t cairn_record_size(uint32_t payload_bytes)
{
    return ((uint32_t)sizeof(struct cairn_record_head) + payload_bytes + 7u) & ~7u;
}

/* The largest payload that a record can hold. */
#define CAIRN_PAYLOAD_MAX_BYTES \
    (CAIRN_RECORD_MAX_BYTES - (uint32_t)sizeof(struct cairn_record_head))

struct cairn_record_lost {
    uint32_t type; /* CAIRN_RECORD_LOST */
    uint16_t misc;
    uint16_t size_bytes;
    uint64_t id;
    uint64_t lost; /* number of lost events */
};

#ifdef __cplusplus
#define CAIRN_I_STATIC_ASSERT static_assert
#else
#define CAIRN_I_STATIC_ASSERT _Static_assert
#endif

CAIRN_I_STATIC_ASSERT(sizeof(struct cairn_record_head) == 52, "the payload is at 52");
CAIRN_I_STATIC_ASSERT(offsetof(struct cairn_record_head, time_ns) == 24, "time at 24");
CAIRN_I_STATIC_ASSERT(offsetof(struct cairn_record_head, raw_size_bytes) == 40, "raw size at 40");
CAIRN_I_STATIC_ASSERT(offsetof(struct cairn_record_head, common_type) == 44, "raw part at 44");
CAIRN_I_STATIC_ASSERT(sizeof(struct cairn_record_lost) == 24, "lost record of 24");

/*
 * The size of the well-formed record at the start of `left` bytes, or 0: too few bytes, not a
 * sample, or inconsistent sizes. The `left` bytes are a private copy that does not change
 * meanwhile.
 */
static inline uint32_t cairn_record_check(const void *bytes, size_t left)
{
    const char *head = (const char *)bytes;
    uint32_t type;
    uint16_t size_bytes;
    uint32_t raw_size_bytes;

    if (left < sizeof(struct cairn_record_head))
        return 0;
    __builtin_memcpy(&type, head, sizeof(type));
    __builtin_memcpy(&size_bytes, head + offsetof(struct cairn_record_head, size_bytes),
                     sizeof(size_bytes));
    __builtin_memcpy(&raw_size_bytes, head + offsetof(struct cairn_record_head, raw_size_bytes),
                     sizeof(raw_size_bytes));
    if (type != CAIRN_RECORD_SAMPLE || size_bytes % 8 != 0 ||
        size_bytes < sizeof(struct cairn_record_head) || size_bytes > left ||
        raw_size_bytes != size_bytes - (uint32_t)offsetof(struct cairn_record_head, common_type))
        return 0;
    return size_bytes;
}

#ifdef __cplusplus
}
#endif

#endif
