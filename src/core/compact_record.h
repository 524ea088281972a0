/* SPDX-License-Identifier: MIT */
/*
 * The compact record: an event in the buffers of programs, and in trace files. The data that all
 * events of its call site have in common are in a descriptor, to which the record refers.
 * docs/trace-format.md specifies it.
 *
 *   u16 id      of the descriptor; or CORE_RECORD_CONTROL, CORE_RECORD_LONG
 *   u16 size    of the record, without the padding up to a multiple of 4
 *   u32 time    the counter less the base
 *   payload
 *
 * A long record has size 0, and after the time: u32 id, u32 size, then the payload. In a control
 * record a u32, its kind, follows the time.
 */
#ifndef CORE_COMPACT_RECORD_H
#define CORE_COMPACT_RECORD_H

#include <stdint.h>

#define CORE_RECORD_CONTROL    0u
#define CORE_RECORD_LONG       0xffffu
#define CORE_RECORD_HEAD_BYTES 8u
#define CORE_RECORD_LONG_BYTES 16u /* the same in the long form */
#define CORE_RECORD_ALIGNMENT  4u

/* Kinds of control records. */
enum core_record_control {
    CORE_CONTROL_CPU = 1,     /* u32: the CPU of the records that follow */
    CORE_CONTROL_BASE = 2,    /* u64: times count from this value of the counter on */
    CORE_CONTROL_LOST = 3,    /* u32 cause, u64 events that are missing here; in files */
    CORE_CONTROL_BASE_NS = 4, /* u64: times count from this time in ns */
    CORE_CONTROL_PROCESS = 5, /* u32: the number of the threads' process from here on; in kernels */
    CORE_CONTROL_STACK = 6,   /* u64...: return addresses, the innermost first: of the next event */
};

#define CORE_CONTROL_CPU_BYTES     16u
#define CORE_CONTROL_BASE_BYTES    20u
#define CORE_CONTROL_PROCESS_BYTES 16u

/* As many as perf records by default. */
#define CORE_STACK_FRAMES_MAX        127u
#define CORE_CONTROL_STACK_HEAD      12u
#define CORE_CONTROL_STACK_MAX_BYTES (CORE_CONTROL_STACK_HEAD + 8u * CORE_STACK_FRAMES_MAX)

static inline uint32_t core_record_padded(uint32_t size_bytes)
{
    return (size_bytes + CORE_RECORD_ALIGNMENT - 1) & ~(CORE_RECORD_ALIGNMENT - 1);
}

/* Writes the head of a record in the short form. */
static inline void core_record_put_head(uint8_t *record, uint32_t id, uint32_t size_bytes,
                                        uint32_t time)
{
#if __BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__
    uint32_t first = id | size_bytes << 16;
#else
    uint32_t first = id << 16 | (uint16_t)size_bytes;
#endif

    __builtin_memcpy(record, &first, sizeof(first));
    __builtin_memcpy(record + sizeof(first), &time, sizeof(time));
}

#endif
