/* SPDX-License-Identifier: MIT */
/*
 * Test of order: a reader gets the records of a CPU in time order, also when a writer overwrites
 * the chunk that the reader has found and is about to enter. The test calls the writer at that
 * moment, a given number of times (-Wl,--wrap=cairn_trace_stream_enter).
 */
#include "trace_ring.h"

#include <stdio.h>

#define SECTIONS 100u
#define STORM    120u /* interrupts in one section: their events fill several chunks */

struct cairn_trace_reader;

void __real_cairn_trace_stream_enter(struct cairn_trace_reader *, struct cairn_trace_stream *,
                                     uint32_t, uint64_t);
void __wrap_cairn_trace_stream_enter(struct cairn_trace_reader *, struct cairn_trace_stream *,
                                     uint32_t, uint64_t);

static struct ring ring;
static uint32_t number;
static unsigned overwrite_next; /* number of chunks to overwrite, each when it is about to be
                                 * entered */

/* Writes one section with several interrupts, whose records are larger than its own. */
static void write_section(uint32_t interrupts)
{
    struct cairn_trace_cpu *cpu = &ring.buffer.cpus[0];

    cairn_trace_cpu_enter(cpu);
    for (uint32_t i = 0; i < interrupts; i++) {
        number++;
        ring_put_sized(cpu, number, number, 264);
    }
    number++;
    ring_commit(cpu, 0, ring_reserve(cpu, 0, 64), 64, number, number);
    cairn_trace_cpu_leave(cpu, 0);
}

void __wrap_cairn_trace_stream_enter(struct cairn_trace_reader *reader,
                                     struct cairn_trace_stream *stream, uint32_t chunk,
                                     uint64_t sequence)
{
    const uint64_t *taken = &ring.buffer.cpus[0].pool.chunks[chunk].taken;

    if (overwrite_next) {
        overwrite_next--;
        while (*taken >> CAIRN_POOL_TAKEN_BITS == sequence)
            write_section(8);
    }
    __real_cairn_trace_stream_enter(reader, stream, chunk, sequence);
}

/* Reads everything; from record `from` on, `overwritten` chunks are overwritten before they are
 * entered. */
static void read_all(bool consume, unsigned overwritten, uint32_t from)
{
    struct cairn_trace_cursor cursor = ring_open(&ring, 0, consume);
    const struct cairn_record_head *record;
    uint64_t last_ns = 0;
    uint32_t seen = 0;

    while (!cairn_trace_cursor_peek(&cursor, &record)) {
        assert_true(record->time_ns >= last_ns);
        last_ns = record->time_ns;
        (void)cairn_trace_cursor_pop(&cursor);
        if (++seen == from)
            overwrite_next = overwritten;
    }
    assert_true(seen > from);
    cairn_trace_cursor_close(&cursor);
}

static void times_do_not_decrease_when_chunks_are_overwritten_before_reading(void **state)
{
    (void)state;
    for (unsigned overwritten = 0; overwritten < 24; overwritten++) {
        for (uint32_t from = 1; from < 60; from += 7) {
            ring_make(&ring, 1, RING_CPU_BYTES, CAIRN_TRACE_OVERWRITE);
            number = 0;
            overwrite_next = 0;
            for (uint32_t i = 0; i < SECTIONS; i++)
                write_section(3);
            write_section(STORM);
            read_all(true, overwritten, from);
            ring_unmake(&ring);
        }
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(times_do_not_decrease_when_chunks_are_overwritten_before_reading),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
