/* SPDX-License-Identifier: MIT */
/* Test of the tracepoint core's rings in one thread: writing, overwriting, dropping, snapshots,
 * consuming. */
#include "trace_ring.h"

static void events_are_read_in_order_and_once(void **state)
{
    struct ring r;
    struct cairn_trace_cursor cursor;

    (void)state;
    ring_make(&r, 1, RING_CPU_BYTES, CAIRN_TRACE_OVERWRITE);
    cursor = ring_open(&r, 0, true);
    assert_int_equal(ring_next(&cursor), -1);
    for (uint32_t i = 0; i < 300; i++)
        assert_true(ring_put(&r.buffer.cpus[0], i, i));
    for (uint32_t i = 0; i < 300; i++)
        assert_int_equal(ring_next(&cursor), i);
    assert_int_equal(ring_next(&cursor), -1);
    assert_int_equal(ring_stats(&r, 0).read_events, 300);
    assert_int_equal(ring_stats(&r, 0).entries, 0);
    ring_unmake(&r);
}

static void in_overwrite_mode_the_newest_stay_and_overruns_are_counted(void **state)
{
    struct ring r;
    struct cairn_trace_cursor cursor;
    struct cairn_trace_stats stats;
    uint32_t first;

    (void)state;
    ring_make(&r, 1, RING_CPU_BYTES, CAIRN_TRACE_OVERWRITE);
    for (uint32_t i = 0; i < 5000; i++)
        assert_true(ring_put(&r.buffer.cpus[0], i, i));
    stats = ring_stats(&r, 0);
    assert_int_equal(stats.entries + stats.overruns, 5000);
    assert_int_equal(stats.dropped, 0);
    assert_in_range(stats.entries, 9 * RING_CHUNK_RECORDS, 10 * RING_CHUNK_RECORDS);
    assert_int_equal(stats.bytes, stats.entries * RING_RECORD_BYTES);
    first = (uint32_t)stats.overruns;
    assert_int_equal(stats.oldest_ns, first);
    cursor = ring_open(&r, 0, false);
    for (uint32_t i = first; i < 5000; i++)
        assert_int_equal(ring_next(&cursor), i);
    assert_int_equal(ring_next(&cursor), -1);
    ring_unmake(&r);
}

static void in_discard_mode_the_oldest_stay_and_drops_are_counted(void **state)
{
    struct ring r;
    struct cairn_trace_cursor cursor;
    uint32_t written = 0;

    (void)state;
    ring_make(&r, 1, RING_CPU_BYTES, CAIRN_TRACE_DISCARD);
    while (ring_put(&r.buffer.cpus[0], written, written))
        written++;
    assert_int_equal(written, 10 * RING_CHUNK_RECORDS);
    for (int i = 0; i < 9; i++)
        assert_false(ring_put(&r.buffer.cpus[0], 1000, 0));
    assert_int_equal(ring_stats(&r, 0).dropped, 10);
    assert_int_equal(ring_stats(&r, 0).entries, written);
    assert_int_equal(ring_stats(&r, 0).overruns, 0);
    cursor = ring_open(&r, 0, true);
    for (uint32_t i = 0; i < written; i++)
        assert_int_equal(ring_next(&cursor), i);
    assert_int_equal(ring_next(&cursor), -1);
    assert_true(ring_put(&r.buffer.cpus[0], 2000, 7));
    assert_int_equal(ring_next(&cursor), 7);
    ring_unmake(&r);
}

static void the_mode_can_be_changed(void **state)
{
    struct ring r;
    uint32_t written = 0;

    (void)state;
    ring_make(&r, 1, RING_CPU_BYTES, CAIRN_TRACE_DISCARD);
    while (ring_put(&r.buffer.cpus[0], written, written))
        written++;
    cairn_trace_buffer_set_mode(&r.buffer, CAIRN_TRACE_OVERWRITE);
    assert_true(ring_put(&r.buffer.cpus[0], written, written));
    assert_int_equal(ring_stats(&r, 0).overruns, RING_CHUNK_RECORDS);
    cairn_trace_buffer_set_mode(&r.buffer, CAIRN_TRACE_DISCARD);
    for (uint32_t i = 1; i < RING_CHUNK_RECORDS; i++)
        assert_true(ring_put(&r.buffer.cpus[0], written, written));
    assert_false(ring_put(&r.buffer.cpus[0], written, written));
    ring_unmake(&r);
}

static void consumed_events_are_not_counted_as_overruns(void **state)
{
    struct ring r;
    struct cairn_trace_cursor cursor;
    struct cairn_trace_stats stats;
    uint64_t read = 0;

    (void)state;
    ring_make(&r, 1, RING_CPU_BYTES, CAIRN_TRACE_OVERWRITE);
    cursor = ring_open(&r, 0, true);
    for (uint32_t i = 0; i < 20000; i++) {
        assert_true(ring_put(&r.buffer.cpus[0], i, i));
        if (i % 3 == 0)
            read += ring_next(&cursor) >= 0;
    }
    stats = ring_stats(&r, 0);
    assert_int_equal(stats.read_events, read);
    assert_int_equal(stats.read_events + stats.overruns + stats.entries, 20000);
    for (; ring_next(&cursor) >= 0; read++)
        ;
    assert_int_equal(read + ring_stats(&r, 0).overruns, 20000);
    assert_int_equal(ring_stats(&r, 0).entries, 0);
    ring_unmake(&r);
}

static void a_cursor_reports_how_many_events_it_lost_and_where(void **state)
{
    struct ring r;
    struct cairn_trace_cursor cursor;
    const struct cairn_record_head *record;
    uint64_t lost = 0;
    int64_t expected = 10;

    (void)state;
    ring_make(&r, 1, RING_CPU_BYTES, CAIRN_TRACE_OVERWRITE);
    cursor = ring_open(&r, 0, true);
    for (uint32_t i = 0; i < 20; i++)
        assert_true(ring_put(&r.buffer.cpus[0], i, i));
    for (uint32_t i = 0; i < 10; i++)
        assert_int_equal(ring_next(&cursor), i);
    assert_int_equal(cairn_trace_cursor_lost(&cursor), 0);
    for (uint32_t i = 20; i < 3000; i++)
        assert_true(ring_put(&r.buffer.cpus[0], i, i));
    assert_int_equal(cairn_trace_cursor_peek(&cursor, &record), 0);
    lost = cairn_trace_cursor_lost(&cursor);
    assert_int_equal(lost, ring_stats(&r, 0).overruns);
    expected += (int64_t)lost;
    assert_int_equal(ring_next(&cursor), expected);
    assert_int_equal(cairn_trace_cursor_peek(&cursor, &record), 0);
    assert_int_equal(cairn_trace_cursor_lost(&cursor), 0);
    assert_int_equal(ring_next(&cursor), expected + 1);
    ring_unmake(&r);
}

static void peeking_consumes_nothing(void **state)
{
    struct ring r;
    struct cairn_trace_cursor cursor;
    const struct cairn_record_head *record;

    (void)state;
    ring_make(&r, 1, RING_CPU_BYTES, CAIRN_TRACE_OVERWRITE);
    assert_true(ring_put(&r.buffer.cpus[0], 5, 1));
    cursor = ring_open(&r, 0, true);
    assert_int_equal(cairn_trace_cursor_pop(&cursor), EAGAIN);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(cairn_trace_cursor_peek(&cursor, &record), 0);
        assert_int_equal(ring_number(record), 1);
        assert_int_equal(record->time_ns, 5);
    }
    cairn_trace_cursor_close(&cursor);
    assert_int_equal(cairn_trace_cursor_peek(&cursor, &record), EAGAIN);
    assert_int_equal(cairn_trace_cursor_pop(&cursor), EAGAIN);
    assert_int_equal(ring_stats(&r, 0).entries, 1);
    cursor = ring_open(&r, 0, true);
    assert_int_equal(ring_next(&cursor), 1);
    ring_unmake(&r);
}

static void an_event_overwritten_between_peek_and_pop_is_not_popped(void **state)
{
    struct ring r;
    struct cairn_trace_cursor cursor;
    const struct cairn_record_head *record;

    (void)state;
    ring_make(&r, 1, RING_CPU_BYTES, CAIRN_TRACE_OVERWRITE);
    assert_true(ring_put(&r.buffer.cpus[0], 0, 0));
    cursor = ring_open(&r, 0, true);
    assert_int_equal(cairn_trace_cursor_peek(&cursor, &record), 0);
    for (uint32_t i = 1; i < 2000; i++)
        assert_true(ring_put(&r.buffer.cpus[0], i, i));
    assert_int_equal(ring_number(record), 0); /* the record is a copy that the reader owns */
    assert_int_equal(cairn_trace_cursor_pop(&cursor), EAGAIN);
    assert_int_equal(ring_stats(&r, 0).read_events, 0);
    assert_int_equal(cairn_trace_cursor_peek(&cursor, &record), 0);
    assert_int_equal(ring_number(record), ring_stats(&r, 0).overruns);
    assert_int_equal(cairn_trace_cursor_lost(&cursor), ring_stats(&r, 0).overruns);
    ring_unmake(&r);
}

static void two_consuming_readers_share_the_events(void **state)
{
    struct ring r;
    struct cairn_trace_cursor one;
    struct cairn_trace_cursor other;
    void *memory;

    (void)state;
    ring_make(&r, 1, RING_CPU_BYTES, CAIRN_TRACE_OVERWRITE);
    memory = ring_aligned(cairn_trace_cursor_memory_bytes(&r.buffer));
    one = ring_open(&r, 0, true);
    assert_int_equal(cairn_trace_cursor_open(&other, &r.buffer, 0, true, memory,
                                             cairn_trace_cursor_memory_bytes(&r.buffer)),
                     0);
    for (uint32_t i = 0; i < 400; i++)
        assert_true(ring_put(&r.buffer.cpus[0], i, i));
    for (uint32_t i = 0; i < 400; i += 4) {
        assert_int_equal(ring_next(&one), i);
        assert_int_equal(ring_next(&one), i + 1);
        assert_int_equal(ring_next(&other), i + 2);
        assert_int_equal(ring_next(&other), i + 3);
    }
    assert_int_equal(ring_next(&one), -1);
    assert_int_equal(ring_next(&other), -1);
    free(memory);
    ring_unmake(&r);
}

static void a_snapshot_consumes_nothing_and_ends_at_the_newest_event_of_its_start(void **state)
{
    struct ring r;
    struct cairn_trace_cursor cursor;
    struct cairn_trace_stats before;
    struct cairn_trace_stats after;

    (void)state;
    ring_make(&r, 2, RING_CPU_BYTES, CAIRN_TRACE_OVERWRITE);
    for (uint32_t i = 0; i < 200; i++)
        assert_true(ring_put(&r.buffer.cpus[i % 2], i, i));
    before = ring_stats(&r, 0);
    for (int times = 0; times < 2; times++) {
        cursor = ring_open(&r, CAIRN_TRACE_ALL_CPUS, false);
        for (uint32_t i = 0; i < 200; i++)
            assert_int_equal(ring_next(&cursor), i);
        assert_int_equal(ring_next(&cursor), -1);
    }
    after = ring_stats(&r, 0);
    assert_memory_equal(&before, &after, sizeof(before));
    cursor = ring_open(&r, CAIRN_TRACE_ALL_CPUS, false);
    for (uint32_t i = 200; i < 210; i++)
        assert_true(ring_put(&r.buffer.cpus[i % 2], i, i));
    for (uint32_t i = 0; i < 200; i++)
        assert_int_equal(ring_next(&cursor), i);
    assert_int_equal(ring_next(&cursor), -1);
    ring_unmake(&r);
}

static void a_snapshot_begins_after_the_consumed_events(void **state)
{
    struct ring r;
    struct cairn_trace_cursor cursor;

    (void)state;
    ring_make(&r, 1, RING_CPU_BYTES, CAIRN_TRACE_OVERWRITE);
    for (uint32_t i = 0; i < 100; i++)
        assert_true(ring_put(&r.buffer.cpus[0], i, i));
    cursor = ring_open(&r, 0, true);
    for (uint32_t i = 0; i < 80; i++)
        assert_int_equal(ring_next(&cursor), i);
    cursor = ring_open(&r, 0, false);
    for (uint32_t i = 80; i < 100; i++)
        assert_int_equal(ring_next(&cursor), i);
    assert_int_equal(ring_next(&cursor), -1);
    ring_unmake(&r);
}

static void cpus_are_merged_by_time(void **state)
{
    struct ring r;
    struct cairn_trace_cursor cursor;
    uint64_t random = 1;

    (void)state;
    ring_make(&r, 5, 4 * RING_CPU_BYTES, CAIRN_TRACE_OVERWRITE);
    for (uint32_t i = 0; i < 2000; i++) {
        random = random * 6364136223846793005u + 1442695040888963407u;
        assert_true(ring_put(&r.buffer.cpus[(random >> 33) % 5], i, i));
    }
    cursor = ring_open(&r, CAIRN_TRACE_ALL_CPUS, true);
    for (uint32_t i = 0; i < 2000; i++)
        assert_int_equal(ring_next(&cursor), i);
    assert_int_equal(ring_next(&cursor), -1);
    ring_unmake(&r);
}

static void a_raw_read_returns_as_many_whole_records_as_fit(void **state)
{
    struct ring r;
    uint8_t bytes[64 * 10 + 63];
    size_t got = 0;
    uint32_t next = 0;

    (void)state;
    ring_make(&r, 1, RING_CPU_BYTES, CAIRN_TRACE_OVERWRITE);
    assert_int_equal(cairn_trace_buffer_read(&r.buffer, 0, bytes, sizeof(bytes), &got), EAGAIN);
    for (uint32_t i = 0; i < 205; i++)
        assert_true(ring_put(&r.buffer.cpus[0], i, i));
    assert_int_equal(cairn_trace_buffer_read(&r.buffer, 0, bytes, 63, &got), ENOSPC);
    assert_int_equal(cairn_trace_buffer_read(&r.buffer, 1, bytes, sizeof(bytes), &got), EINVAL);
    assert_int_equal(got, 0);
    while (!cairn_trace_buffer_read(&r.buffer, 0, bytes + 1, sizeof(bytes) - 1, &got)) {
        assert_int_equal(got, next < 200 ? 640 : 320);
        for (size_t at = 0; at < got; at += 64) {
            struct cairn_record_head record[2];

            memcpy(record, bytes + 1 + at, 64);
            assert_int_equal(cairn_record_check(record, 64), 64);
            assert_int_equal(ring_number(record), next++);
        }
    }
    assert_int_equal(next, 205);
    ring_unmake(&r);
}

static void a_reset_removes_events_and_clears_counts(void **state)
{
    struct ring r;
    struct cairn_trace_cursor cursor;
    const struct cairn_record_head *record;
    struct cairn_trace_stats stats;
    static const struct cairn_trace_stats none;

    (void)state;
    ring_make(&r, 2, RING_CPU_BYTES, CAIRN_TRACE_OVERWRITE);
    cursor = ring_open(&r, 0, true);
    for (uint32_t i = 0; i < 3000; i++)
        assert_true(ring_put(&r.buffer.cpus[i % 2], i, i));
    assert_false(ring_put_sized(&r.buffer.cpus[0], 3000, 0, 4096));
    assert_true(ring_next(&cursor) > 0);
    assert_int_equal(cairn_trace_buffer_reset(&r.buffer, 2), EINVAL);
    assert_int_equal(cairn_trace_buffer_reset(&r.buffer, 0), 0);
    stats = ring_stats(&r, 0);
    assert_memory_equal(&stats, &none, sizeof(none));
    assert_true(ring_stats(&r, 1).overruns > 0);
    assert_int_equal(cairn_trace_buffer_reset(&r.buffer, CAIRN_TRACE_ALL_CPUS), 0);
    stats = ring_stats(&r, 1);
    assert_memory_equal(&stats, &none, sizeof(none));
    assert_true(ring_put(&r.buffer.cpus[0], 4000, 1));
    assert_int_equal(cairn_trace_cursor_peek(&cursor, &record), 0);
    assert_int_equal(cairn_trace_cursor_lost(&cursor), 0);
    assert_int_equal(ring_next(&cursor), 1);
    assert_int_equal(ring_stats(&r, 0).read_events, 1);
    ring_unmake(&r);
}

static void records_of_all_sizes_up_to_the_largest_fit(void **state)
{
    struct ring r;
    struct cairn_trace_cursor cursor;
    const struct cairn_record_head *record;
    uint32_t largest;

    (void)state;
    ring_make(&r, 1, 4u << 20, CAIRN_TRACE_DISCARD);
    largest = cairn_trace_buffer_record_max_bytes(&r.buffer);
    assert_true(largest % 8 == 0 && largest >= 32704);
    cursor = ring_open(&r, 0, true);
    for (uint32_t size = 64; size <= largest; size += 488) {
        assert_true(ring_put_sized(&r.buffer.cpus[0], size, size, size));
        assert_int_equal(cairn_trace_cursor_peek(&cursor, &record), 0);
        assert_int_equal(record->size_bytes, size);
        assert_int_equal(ring_next(&cursor), size);
    }
    assert_true(ring_put_sized(&r.buffer.cpus[0], 1 << 20, 1, largest));
    assert_int_equal(ring_next(&cursor), 1);
    assert_false(ring_put_sized(&r.buffer.cpus[0], 1 << 20, 1, largest + 8));
    assert_int_equal(ring_stats(&r, 0).dropped, 1);
    ring_unmake(&r);
}

/* Each record needs control records, also the last one of a chunk: their space is kept free. */
static void records_have_the_time_and_process_that_they_were_written_with(void **state)
{
    const uint64_t pause_ns = UINT64_C(1) << 32;
    struct ring r;
    struct cairn_trace_cursor cursor;
    const struct cairn_record_head *record;

    (void)state;
    ring_make(&r, 2, 1u << 20, CAIRN_TRACE_DISCARD);
    for (uint32_t i = 0; i < 5000; i++) {
        struct cairn_trace_stamp stamp = {.time_ns = i * (pause_ns - i % 3), .pid = i / 2, .id = 9};
        const uint32_t raw_words[5] = {9, i + 7, i, ~i, 0};
        struct cairn_trace_cpu *cpu = &r.buffer.cpus[1];
        uint32_t level = cairn_trace_cpu_enter(cpu);
        uint32_t raw_bytes = 16 + i % 5;
        void *raw = cairn_trace_cpu_reserve(cpu, level, raw_bytes);

        assert_non_null(raw);
        memcpy(raw, raw_words, raw_bytes);
        cairn_trace_cpu_commit(cpu, level, &stamp, raw_bytes);
        cairn_trace_cpu_leave(cpu, level);
    }
    cursor = ring_open(&r, CAIRN_TRACE_ALL_CPUS, true);
    for (uint32_t i = 0; i < 5000; i++) {
        assert_int_equal(cairn_trace_cursor_peek(&cursor, &record), 0);
        assert_int_equal(record->time_ns, i * (pause_ns - i % 3));
        assert_int_equal(record->pid, i / 2);
        assert_int_equal(record->tid, i + 7);
        assert_int_equal(record->cpu, 1);
        assert_int_equal(record->id, 9);
        assert_int_equal(record->common_type, 9);
        assert_int_equal(ring_next(&cursor), i);
    }
    assert_int_equal(ring_next(&cursor), -1);
    assert_int_equal(ring_stats(&r, 1).damaged, 0);
    ring_unmake(&r);
}

static void a_chunk_of_128_kib_holds_the_largest_record(void **state)
{
    struct ring r;

    (void)state;
    ring_make(&r, 1, 17u << 20, CAIRN_TRACE_OVERWRITE);
    assert_int_equal(cairn_trace_buffer_record_max_bytes(&r.buffer), CAIRN_RECORD_MAX_BYTES);
    for (uint32_t i = 0; i < 1000; i++)
        assert_true(ring_put_sized(&r.buffer.cpus[0], i, i, CAIRN_RECORD_MAX_BYTES));
    assert_int_equal(ring_stats(&r, 0).entries + ring_stats(&r, 0).overruns, 1000);
    assert_int_equal(ring_stats(&r, 0).dropped, 0);
    ring_unmake(&r);
}

static void invalid_sizes_are_refused(void **state)
{
    struct cairn_trace_buffer buffer = {0};
    struct cairn_trace_cursor cursor;
    struct cairn_trace_stats stats;
    struct ring r;
    size_t bytes = cairn_trace_buffer_memory_bytes(3, RING_CPU_BYTES);
    uint8_t *memory = ring_aligned(bytes);

    (void)state;
    assert_int_equal(cairn_trace_buffer_memory_bytes(0, 1 << 20), 0);
    assert_int_equal(cairn_trace_buffer_memory_bytes(4097, 1 << 20), 0);
    assert_int_equal(cairn_trace_buffer_memory_bytes(1, RING_CPU_BYTES - 1), 0);
    assert_int_equal(cairn_trace_buffer_memory_bytes(1, SIZE_MAX), 0);
    assert_int_equal(cairn_trace_buffer_init(&buffer, memory, bytes - 1, 3, 0), EINVAL);
    assert_int_equal(cairn_trace_buffer_init(&buffer, memory, bytes, 0, 0), EINVAL);
    assert_int_equal(cairn_trace_buffer_init(&buffer, memory, bytes, 4, 0), EINVAL);
    assert_int_equal(cairn_trace_buffer_init(&buffer, memory, bytes, UINT32_MAX, 0), EINVAL);
    assert_int_equal(cairn_trace_buffer_init(&buffer, memory, 0, 1, 0), EINVAL);
    assert_int_equal(cairn_trace_buffer_init(&buffer, memory + 8, bytes - 8, 1, 0), EINVAL);
    assert_int_equal(cairn_trace_buffer_init(&buffer, memory, bytes, 3, 2), EINVAL);
    assert_null(buffer.cpus);
    assert_int_equal(cairn_trace_buffer_init(&buffer, memory, bytes, 3, 1), 0);
    free(memory);
    ring_make(&r, 2, RING_CPU_BYTES, CAIRN_TRACE_OVERWRITE);
    bytes = cairn_trace_cursor_memory_bytes(&r.buffer);
    assert_int_equal(
        cairn_trace_cursor_open(&cursor, &r.buffer, 0, true, r.cursor_memory, bytes - 1), EINVAL);
    assert_int_equal(cairn_trace_cursor_open(&cursor, &r.buffer, 2, true, r.cursor_memory, bytes),
                     EINVAL);
    assert_int_equal(cairn_trace_buffer_stats(&r.buffer, 2, &stats), EINVAL);
    ring_unmake(&r);
}

/* ---- nesting, written out ---- */

static void nested_events_are_visible_in_time_order_after_the_outermost_leaves(void **state)
{
    struct ring r;
    struct cairn_trace_cpu *cpu;
    struct cairn_trace_cursor cursor;
    void *raw;
    uint32_t size = cairn_record_size(sizeof(struct ring_payload));

    (void)state;
    ring_make(&r, 1, RING_CPU_BYTES, CAIRN_TRACE_OVERWRITE);
    cpu = &r.buffer.cpus[0];
    cursor = ring_open(&r, 0, true);
    assert_int_equal(cairn_trace_cpu_enter(cpu), 0);
    raw = ring_reserve(cpu, 0, size);
    assert_true(ring_put(cpu, 10, 1)); /* an interrupt */
    assert_true(ring_put(cpu, 11, 2));
    assert_int_equal(ring_next(&cursor), -1);
    ring_commit(cpu, 0, raw, size, 9, 0);
    assert_int_equal(ring_next(&cursor), -1);
    assert_true(ring_put(cpu, 12, 3));
    assert_int_equal(ring_next(&cursor), -1);
    cairn_trace_cpu_leave(cpu, 0);
    for (uint32_t i = 0; i < 4; i++)
        assert_int_equal(ring_next(&cursor), i);
    assert_int_equal(ring_next(&cursor), -1);
    /* Stamped before the interrupt, written after it. */
    assert_true(ring_put(cpu, 8, 4));
    assert_int_equal(cpu->published_ns, 12);
    assert_int_equal(ring_next(&cursor), 4);
    ring_unmake(&r);
}

static void an_interrupt_may_write_more_than_fits(void **state)
{
    for (int mode = 0; mode < 2; mode++) {
        struct ring r;
        struct cairn_trace_cpu *cpu;
        struct cairn_trace_cursor cursor;
        struct cairn_trace_stats stats;
        int64_t last = -1;
        uint64_t shown = 0;

        (void)state;
        ring_make(&r, 1, RING_CPU_BYTES, mode);
        cpu = &r.buffer.cpus[0];
        assert_true(ring_put(cpu, 0, 0));
        assert_int_equal(cairn_trace_cpu_enter(cpu), 0);
        for (uint32_t i = 1; i < 2000; i++)
            ring_put(cpu, i, i);
        cursor = ring_open(&r, 0, false);
        assert_int_equal(ring_next(&cursor), 0); /* the event stays, and no other is visible */
        assert_int_equal(ring_next(&cursor), -1);
        cairn_trace_cpu_leave(cpu, 0);
        stats = ring_stats(&r, 0);
        assert_int_equal(stats.entries + stats.overruns + stats.dropped, 2000);
        cursor = ring_open(&r, 0, true);
        for (int64_t number; (number = ring_next(&cursor)) >= 0; shown++) {
            assert_true(number > last);
            last = number;
        }
        assert_int_equal(shown, stats.entries);
        assert_true(mode || last == 1999);
        ring_unmake(&r);
    }
}

static void nesting_beyond_the_limit_is_a_drop(void **state)
{
    struct ring r;
    struct cairn_trace_cpu *cpu;
    struct cairn_trace_cursor cursor;

    (void)state;
    ring_make(&r, 1, 2 * RING_CPU_BYTES, CAIRN_TRACE_OVERWRITE);
    cpu = &r.buffer.cpus[0];
    for (uint32_t i = 0; i < CAIRN_TRACE_LEVELS; i++) {
        uint32_t size = cairn_record_size(sizeof(struct ring_payload));

        assert_int_equal(cairn_trace_cpu_enter(cpu), i);
        ring_commit(cpu, i, ring_reserve(cpu, i, size), size, i, i);
    }
    assert_false(ring_put(cpu, 100, 100));
    for (uint32_t i = CAIRN_TRACE_LEVELS; i-- > 0;)
        cairn_trace_cpu_leave(cpu, i);
    assert_int_equal(cpu->nest, 0);
    assert_int_equal(ring_stats(&r, 0).dropped, 1);
    cursor = ring_open(&r, 0, true);
    for (uint32_t i = 0; i < CAIRN_TRACE_LEVELS; i++)
        assert_int_equal(ring_next(&cursor), i);
    assert_int_equal(ring_next(&cursor), -1);
    ring_unmake(&r);
}

static void events_of_a_rare_interrupt_are_overwritten_in_order_of_age(void **state)
{
    struct ring r;
    struct cairn_trace_cpu *cpu;
    struct cairn_trace_stats stats;

    (void)state;
    ring_make(&r, 1, RING_CPU_BYTES, CAIRN_TRACE_OVERWRITE);
    cpu = &r.buffer.cpus[0];
    for (uint32_t level = 0; level < 6; level++)
        cairn_trace_cpu_enter(cpu);
    for (uint32_t level = 6; level-- > 0;) {
        assert_true(ring_put(cpu, 1, level));
        cairn_trace_cpu_leave(cpu, level);
    }
    for (uint32_t i = 0; i < 7000; i++)
        assert_true(ring_put(cpu, 2 + i, i));
    stats = ring_stats(&r, 0);
    assert_true(stats.oldest_ns > 5000);
    assert_int_equal(stats.entries + stats.overruns, 7006);
    ring_unmake(&r);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_are_read_in_order_and_once),
        cmocka_unit_test(in_overwrite_mode_the_newest_stay_and_overruns_are_counted),
        cmocka_unit_test(in_discard_mode_the_oldest_stay_and_drops_are_counted),
        cmocka_unit_test(the_mode_can_be_changed),
        cmocka_unit_test(consumed_events_are_not_counted_as_overruns),
        cmocka_unit_test(a_cursor_reports_how_many_events_it_lost_and_where),
        cmocka_unit_test(peeking_consumes_nothing),
        cmocka_unit_test(an_event_overwritten_between_peek_and_pop_is_not_popped),
        cmocka_unit_test(two_consuming_readers_share_the_events),
        cmocka_unit_test(a_snapshot_consumes_nothing_and_ends_at_the_newest_event_of_its_start),
        cmocka_unit_test(a_snapshot_begins_after_the_consumed_events),
        cmocka_unit_test(cpus_are_merged_by_time),
        cmocka_unit_test(a_raw_read_returns_as_many_whole_records_as_fit),
        cmocka_unit_test(a_reset_removes_events_and_clears_counts),
        cmocka_unit_test(records_of_all_sizes_up_to_the_largest_fit),
        cmocka_unit_test(records_have_the_time_and_process_that_they_were_written_with),
        cmocka_unit_test(a_chunk_of_128_kib_holds_the_largest_record),
        cmocka_unit_test(invalid_sizes_are_refused),
        cmocka_unit_test(nested_events_are_visible_in_time_order_after_the_outermost_leaves),
        cmocka_unit_test(an_interrupt_may_write_more_than_fits),
        cmocka_unit_test(nesting_beyond_the_limit_is_a_drop),
        cmocka_unit_test(events_of_a_rare_interrupt_are_overwritten_in_order_of_age),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
