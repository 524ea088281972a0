/* SPDX-License-Identifier: MIT */
/* Rings for the tests of cairn/kernel/trace_buffer.h: functions that create them, write to them as
 * the core does, and read them. */
#ifndef TRACE_RING_H
#define TRACE_RING_H

#include <cairn/kernel/trace_buffer.h>
#include <cairn/schema.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RING_CPU_BYTES (48u << 10) /* ten chunks of 4096 bytes */

/* Readers get records of 64 bytes, of which 20 are the raw part: in a chunk they have 28. It has 64
 * bytes of slack, two control records, and as much space for two more. */
#define RING_RECORD_BYTES  28u
#define RING_CHUNK_RECORDS 141u

#define RING_RAW_AT ((uint32_t)offsetof(struct cairn_record_head, common_type))

struct ring {
    struct cairn_trace_buffer buffer;
    void *memory;
    size_t memory_bytes;
    void *cursor_memory;
    uint64_t now_ns;
};

static inline void *ring_aligned(size_t bytes)
{
    void *memory = NULL;

    assert_int_equal(posix_memalign(&memory, 4096, bytes), 0);
    memset(memory, 0xa5, bytes); /* init must not rely on zeros */
    return memory;
}

static inline void ring_make(struct ring *r, uint32_t cpus, size_t cpu_bytes,
                             enum cairn_trace_mode mode)
{
    memset(r, 0, sizeof(*r));
    r->memory_bytes = cairn_trace_buffer_memory_bytes(cpus, cpu_bytes);
    assert_int_not_equal(r->memory_bytes, 0);
    r->memory = ring_aligned(r->memory_bytes);
    assert_int_equal(cairn_trace_buffer_init(&r->buffer, r->memory, r->memory_bytes, cpus, mode),
                     0);
    r->cursor_memory = ring_aligned(cairn_trace_cursor_memory_bytes(&r->buffer));
}

static inline void ring_unmake(struct ring *r)
{
    free(r->memory);
    free(r->cursor_memory);
}

/* Payload of the tests' records: a number, and its complement to detect a torn record. */
struct ring_payload {
    uint32_t number;
    uint32_t complement;
};

/* Reserves memory for a record of which readers get size_bytes. Returns its raw part. */
static inline void *ring_reserve(struct cairn_trace_cpu *cpu, uint32_t level, uint32_t size_bytes)
{
    return cairn_trace_cpu_reserve(cpu, level, size_bytes - RING_RAW_AT);
}

static inline void ring_commit(struct cairn_trace_cpu *cpu, uint32_t level, void *raw,
                               uint32_t size_bytes, uint64_t time_ns, uint32_t number)
{
    struct cairn_trace_stamp stamp = {.time_ns = time_ns, .id = 1};
    struct ring_payload payload = {number, ~number};

    memset(raw, 0, size_bytes - RING_RAW_AT);
    memcpy((char *)raw + CAIRN_COMMON_BYTES, &payload, sizeof(payload));
    cairn_trace_cpu_commit(cpu, level, &stamp, size_bytes - RING_RAW_AT);
}

/* Writes one event, from enter to leave. Returns false if it was dropped. */
static inline bool ring_put_sized(struct cairn_trace_cpu *cpu, uint64_t time_ns, uint32_t number,
                                  uint32_t size_bytes)
{
    uint32_t level = cairn_trace_cpu_enter(cpu);
    void *raw = NULL;

    if (level < CAIRN_TRACE_LEVELS)
        raw = ring_reserve(cpu, level, size_bytes);
    else
        cairn_trace_cpu_drop(cpu);
    if (raw)
        ring_commit(cpu, level, raw, size_bytes, time_ns, number);
    cairn_trace_cpu_leave(cpu, level);
    return raw;
}

static inline bool ring_put(struct cairn_trace_cpu *cpu, uint64_t time_ns, uint32_t number)
{
    return ring_put_sized(cpu, time_ns, number, cairn_record_size(sizeof(struct ring_payload)));
}

/* The number in a record; fails if the record is torn. */
static inline uint32_t ring_number(const struct cairn_record_head *record)
{
    struct ring_payload payload;

    memcpy(&payload, record + 1, sizeof(payload));
    assert_int_equal(payload.number, ~payload.complement);
    return payload.number;
}

static inline struct cairn_trace_stats ring_stats(const struct ring *r, uint32_t cpu)
{
    struct cairn_trace_stats stats;

    assert_int_equal(cairn_trace_buffer_stats(&r->buffer, cpu, &stats), 0);
    return stats;
}

static inline struct cairn_trace_cursor ring_open(struct ring *r, uint32_t cpu, bool consume)
{
    struct cairn_trace_cursor cursor;

    assert_int_equal(cairn_trace_cursor_open(&cursor, &r->buffer, cpu, consume, r->cursor_memory,
                                             cairn_trace_cursor_memory_bytes(&r->buffer)),
                     0);
    return cursor;
}

/* Consumes the next record and returns its number; -1: there is none. */
static inline int64_t ring_next(struct cairn_trace_cursor *cursor)
{
    const struct cairn_record_head *record;
    uint32_t number;

    if (cairn_trace_cursor_peek(cursor, &record))
        return -1;
    number = ring_number(record);
    assert_int_equal(cairn_trace_cursor_pop(cursor), 0);
    return number;
}

#endif
