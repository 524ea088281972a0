/* SPDX-License-Identifier: MIT */
/*
 * Fuzzes the rings of a CPU with any sequence of writes, nested or not, reads of all kinds, and
 * corrupted bytes: records that are read are well formed, and every read ends.
 *
 * The input is a program of operations: a byte with the kind, and its operands.
 */
#include "core/pool.h"

#include <cairn/kernel/trace_buffer.h>
#include <cairn/schema.h>

#include <assert.h>
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define CPU_BYTES (48u << 10)

/* A record may be read twice if its chunk's descriptor is corrupted, but not without end. */
#define READ_MAX 20000u

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct program {
    const uint8_t *at;
    size_t left;
    struct cairn_trace_buffer buffer;
    void *cursor_memory;
    uint64_t now_ns;
    uint64_t written;
    bool corrupted;
};

static uint32_t operand(struct program *p, unsigned bytes)
{
    uint32_t value = 0;

    for (; bytes && p->left; bytes--, p->left--)
        value = value << 8 | *p->at++;
    return value;
}

static void write_one(struct program *p, uint32_t payload_bytes)
{
    struct cairn_trace_cpu *cpu = &p->buffer.cpus[0];
    uint32_t level = cairn_trace_cpu_enter(cpu);
    uint32_t raw_bytes = CAIRN_COMMON_BYTES + payload_bytes;
    struct cairn_trace_stamp stamp = {.id = 1, .pid = payload_bytes % 3};
    void *raw = NULL;

    if (level < CAIRN_TRACE_LEVELS)
        raw = cairn_trace_cpu_reserve(cpu, level, raw_bytes);
    if (raw) {
        memset(raw, 0x5a, raw_bytes);
        stamp.time_ns = p->now_ns++;
        cairn_trace_cpu_commit(cpu, level, &stamp, raw_bytes);
        p->written++;
    }
    cairn_trace_cpu_leave(cpu, level);
}

static void write_many(struct program *p)
{
    struct cairn_trace_cpu *cpu = &p->buffer.cpus[0];
    uint32_t depth = operand(p, 1) % (CAIRN_TRACE_LEVELS + 2);
    uint32_t count = operand(p, 1);
    uint32_t payload_bytes = operand(p, 2) % 5000;

    for (uint32_t i = 0; i < depth; i++)
        cairn_trace_cpu_enter(cpu);
    while (count--)
        write_one(p, payload_bytes);
    for (uint32_t i = depth; i-- > 0;)
        cairn_trace_cpu_leave(cpu, i);
}

static void read_cursor(struct program *p, bool consume, uint32_t count)
{
    struct cairn_trace_cursor cursor;
    const struct cairn_record_head *record;
    uint64_t last_ns = 0;
    uint32_t shown = 0;
    int err = cairn_trace_cursor_open(&cursor, &p->buffer, 0, consume, p->cursor_memory,
                                      cairn_trace_cursor_memory_bytes(&p->buffer));

    assert(!err);
    while (shown < count && !cairn_trace_cursor_peek(&cursor, &record)) {
        assert(cairn_record_check(record, cairn_trace_buffer_record_max_bytes(&p->buffer)));
        assert(p->corrupted || record->time_ns >= last_ns);
        last_ns = record->time_ns;
        err = cairn_trace_cursor_pop(&cursor);
        assert(!err || p->corrupted);
        shown++;
    }
    assert(shown < READ_MAX);
    cairn_trace_cursor_close(&cursor);
}

static void read_raw(struct program *p)
{
    size_t size = operand(p, 2);
    uint8_t *bytes = malloc(size + 1); /* exact, so that an overflow is reported */
    size_t got = 0;

    assert(bytes);
    if (!cairn_trace_buffer_read(&p->buffer, 0, bytes, size, &got))
        assert(got <= size);
    for (size_t at = 0; at < got;) {
        uint32_t record_bytes = cairn_record_check(bytes + at, got - at);

        assert(record_bytes);
        at += record_bytes;
    }
    free(bytes);
}

static void check_counts(struct program *p)
{
    const struct cairn_trace_cpu *cpu = &p->buffer.cpus[0];
    struct cairn_trace_stats stats;

    assert(!cairn_trace_buffer_stats(&p->buffer, 0, &stats));
    assert(p->corrupted ||
           stats.entries + cpu->pool.header->overwritten + cpu->read_events + cpu->cleared ==
               p->written);
    assert(p->corrupted || !stats.damaged);
}

static void corrupt(struct program *p)
{
    const struct cairn_pool *pool = &p->buffer.cpus[0].pool;
    size_t bytes = core_pool_size(pool->chunk_bytes, pool->chunk_count);
    size_t at = operand(p, 2) % bytes;
    uint32_t count = operand(p, 1) % 17;

    for (; count && at < bytes; count--, at++)
        ((uint8_t *)pool->header)[at] = (uint8_t)operand(p, 1);
    p->corrupted = true;
}

static void one_step(struct program *p)
{
    switch (operand(p, 1) % 9) {
    case 0:
    case 1:
        write_many(p);
        break;
    case 2:
        read_cursor(p, true, READ_MAX);
        break;
    case 3:
        read_cursor(p, true, operand(p, 1));
        break;
    case 4:
        read_cursor(p, false, READ_MAX);
        break;
    case 5:
        read_raw(p);
        break;
    case 6:
        (void)cairn_trace_buffer_reset(&p->buffer, CAIRN_TRACE_ALL_CPUS);
        break;
    case 7:
        cairn_trace_buffer_set_mode(&p->buffer, operand(p, 1) % 2);
        break;
    default:
        corrupt(p);
    }
    check_counts(p);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct program p = {.at = data, .left = size < 400 ? size : 400};
    size_t bytes = cairn_trace_buffer_memory_bytes(1, CPU_BYTES);
    void *memory = NULL;

    assert(!posix_memalign(&memory, 4096, bytes));
    memset(memory, 0xa5, bytes);
    assert(!cairn_trace_buffer_init(&p.buffer, memory, bytes, 1, CAIRN_TRACE_OVERWRITE));
    assert(!posix_memalign(&p.cursor_memory, 16, cairn_trace_cursor_memory_bytes(&p.buffer)));
    while (p.left)
        one_step(&p);
    free(p.cursor_memory);
    free(memory);
    return 0;
}
