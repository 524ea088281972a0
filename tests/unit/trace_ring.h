/* SPDX-License-Identifier: MIT */
/* Rings for the tests of cairn/kernel/trace_buffer.h: made, written to as the core would, and read.
 */
#ifndef TRACE_RING_H
#define TRACE_RING_H

#include <cairn/kernel/trace_buffer.h>

#include <errno.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#define RING_CPU_BYTES (48u << 10) /* ten chunks of 4096 bytes */

/* Numbers in each 4096 byte chunk: records are of 64 bytes. */
#define RING_CHUNK_RECORDS 63u

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
    memset(memory, 0xa5, bytes); /* init may not rely on zeros */
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

/* The payload of the tests' records: a number, and its complement, to see a torn one. */
struct ring_payload {
    uint32_t number;
    uint32_t complement;
};

static inline void ring_fill(struct cairn_record_head *head, uint32_t size_bytes, uint64_t time_ns,
                             uint32_t number)
{
    struct ring_payload payload = {number, ~number};

    *head = (struct cairn_record_head){
        .type = CAIRN_RECORD_SAMPLE,
        .size_bytes = (uint16_t)size_bytes,
        .time_ns = time_ns,
        .raw_size_bytes = size_bytes - (uint32_t)offsetof(struct cairn_record_head, common_type),
    };
    memcpy(head + 1, &payload, sizeof(payload));
}

/* One event, from enter to leave. False: it was dropped. */
static inline bool ring_put_sized(struct cairn_trace_cpu *cpu, uint64_t time_ns, uint32_t number,
                                  uint32_t size_bytes)
{
    uint32_t level = cairn_trace_cpu_enter(cpu);
    struct cairn_record_head *head = NULL;

    if (level < CAIRN_TRACE_LEVELS)
        head = cairn_trace_cpu_reserve(cpu, level, size_bytes);
    else
        cairn_trace_cpu_drop(cpu);
    if (head) {
        ring_fill(head, size_bytes, time_ns, number);
        cairn_trace_cpu_commit(cpu, level, size_bytes);
    }
    cairn_trace_cpu_leave(cpu, level);
    return head;
}

static inline bool ring_put(struct cairn_trace_cpu *cpu, uint64_t time_ns, uint32_t number)
{
    return ring_put_sized(cpu, time_ns, number, cairn_record_size(sizeof(struct ring_payload)));
}

/* The number in a record that nobody tore. */
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

/* The next record's number, gone behind; -1: there is none. */
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
