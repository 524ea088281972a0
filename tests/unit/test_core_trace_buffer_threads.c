/* SPDX-License-Identifier: MIT */
/* Test of rings that two CPUs write to while other threads consume, snapshot and reset them. */
#include "trace_ring.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

#define CPUS 2u
#define EACH 60000u

struct scene {
    struct ring ring;
    atomic_uint next_ns;
    atomic_uint running; /* number of running writers */
    uint32_t written[CPUS];
    uint8_t seen[CPUS][EACH];
};

struct writer {
    struct scene *scene;
    uint32_t cpu;
    pthread_t thread;
};

/* Numbers contain the CPU. Each third event is interrupted by the next one. */
static void *write_all(void *arg)
{
    struct writer *writer = arg;
    struct scene *scene = writer->scene;
    struct cairn_trace_cpu *cpu = &scene->ring.buffer.cpus[writer->cpu];
    uint32_t written = 0;

    for (uint32_t i = 0; i < EACH; i++) {
        uint32_t level = i % 3 ? 0 : cairn_trace_cpu_enter(cpu);
        uint32_t size = 64 + i % 5 * 40;
        uint64_t now_ns = atomic_fetch_add(&scene->next_ns, 1);

        if (ring_put_sized(cpu, now_ns, writer->cpu << 24 | i, size))
            written++;
        if (i % 3 == 0)
            cairn_trace_cpu_leave(cpu, level);
        if (i % 4096 == 0)
            sched_yield();
    }
    scene->written[writer->cpu] = written;
    atomic_fetch_sub(&scene->running, 1);
    return NULL;
}

static void begin(struct scene *scene, struct writer *writers, enum cairn_trace_mode mode)
{
    memset(scene, 0, sizeof(*scene));
    ring_make(&scene->ring, CPUS, 2 * RING_CPU_BYTES, mode);
    atomic_store(&scene->running, CPUS);
    for (uint32_t i = 0; i < CPUS; i++) {
        writers[i] = (struct writer){.scene = scene, .cpu = i};
        assert_int_equal(pthread_create(&writers[i].thread, NULL, write_all, &writers[i]), 0);
    }
}

static void end(struct scene *scene, struct writer *writers)
{
    for (uint32_t i = 0; i < CPUS; i++)
        assert_int_equal(pthread_join(writers[i].thread, NULL), 0);
    ring_unmake(&scene->ring);
}

struct order {
    uint64_t last_ns;
    int64_t last;
};

/* Checks that numbers and times of each CPU increase. Returns the number, and its CPU in
 * *ret_cpu. */
static uint32_t expect_order(struct order *orders, const struct cairn_record_head *record,
                             uint32_t *ret_cpu)
{
    uint32_t number = ring_number(record);
    uint32_t cpu = number >> 24;

    assert_true(cpu < CPUS);
    number &= 0xffffff;
    assert_true(record->size_bytes == 64 + number % 5 * 40);
    assert_true(record->time_ns >= orders[cpu].last_ns);
    assert_true(number > orders[cpu].last);
    orders[cpu] = (struct order){record->time_ns, number};
    *ret_cpu = cpu;
    return number;
}

/* Consumes all visible events; returns their number, and adds the lost ones to the count. */
static uint64_t consume(struct scene *scene, struct cairn_trace_cursor *cursor,
                        struct order *orders, uint64_t *lost)
{
    const struct cairn_record_head *record;
    uint64_t count = 0;

    while (!cairn_trace_cursor_peek(cursor, &record)) {
        struct order before[CPUS];
        uint32_t cpu;
        uint32_t number;
        uint64_t gap = cairn_trace_cursor_lost(cursor);

        memcpy(before, orders, sizeof(before));
        number = expect_order(orders, record, &cpu);
        if (cairn_trace_cursor_pop(cursor)) {
            memcpy(orders, before, sizeof(before)); /* overwritten: the ring has counted it */
            continue;
        }
        assert_int_equal(scene->seen[cpu][number]++, 0);
        *lost += gap;
        count++;
    }
    return count;
}

static void each_event_is_consumed_or_counted_as_lost(enum cairn_trace_mode mode)
{
    static struct scene scene;
    struct writer writers[CPUS];
    struct order orders[CPUS] = {{0, -1}, {0, -1}};
    struct cairn_trace_cursor cursor;
    uint64_t consumed = 0;
    uint64_t lost = 0;

    begin(&scene, writers, mode);
    cursor = ring_open(&scene.ring, CAIRN_TRACE_ALL_CPUS, true);
    while (atomic_load(&scene.running))
        consumed += consume(&scene, &cursor, orders, &lost);
    consumed += consume(&scene, &cursor, orders, &lost);
    for (uint32_t i = 0; i < CPUS; i++) {
        struct cairn_trace_stats stats = ring_stats(&scene.ring, i);

        assert_int_equal(stats.entries, 0);
        assert_int_equal(stats.read_events + stats.overruns, scene.written[i]);
        assert_int_equal(scene.written[i] + stats.dropped, EACH);
        consumed -= stats.read_events;
        lost -= stats.overruns;
        assert_true(mode == CAIRN_TRACE_DISCARD ? !stats.overruns : !stats.dropped);
        /* The newest event is never lost. */
        assert_true(mode == CAIRN_TRACE_DISCARD || scene.seen[i][EACH - 1] == 1);
    }
    assert_int_equal(consumed, 0);
    assert_int_equal(lost, 0);
    end(&scene, writers);
}

static void in_overwrite_mode_each_event_is_consumed_or_an_overrun(void **state)
{
    (void)state;
    each_event_is_consumed_or_counted_as_lost(CAIRN_TRACE_OVERWRITE);
}

static void in_discard_mode_each_event_is_consumed_or_a_drop(void **state)
{
    (void)state;
    each_event_is_consumed_or_counted_as_lost(CAIRN_TRACE_DISCARD);
}

static void snapshots_contain_whole_records_in_order_and_consume_nothing(void **state)
{
    static struct scene scene;
    struct writer writers[CPUS];
    uint64_t shown = 0;

    (void)state;
    begin(&scene, writers, CAIRN_TRACE_OVERWRITE);
    /* The last pass reads the events that the writers have left. */
    for (bool looked_last = false; !looked_last;) {
        bool last = !atomic_load(&scene.running);
        struct cairn_trace_cursor cursor = ring_open(&scene.ring, CAIRN_TRACE_ALL_CPUS, false);
        struct order orders[CPUS] = {{0, -1}, {0, -1}};
        const struct cairn_record_head *record;

        for (; !cairn_trace_cursor_peek(&cursor, &record); shown++) {
            uint32_t cpu;

            (void)expect_order(orders, record, &cpu);
            assert_int_equal(cairn_trace_cursor_pop(&cursor), 0);
        }
        cairn_trace_cursor_close(&cursor);
        looked_last = last;
    }
    assert_true(shown > 0);
    for (uint32_t i = 0; i < CPUS; i++) {
        struct cairn_trace_stats stats = ring_stats(&scene.ring, i);

        assert_int_equal(stats.read_events, 0);
        assert_int_equal(stats.dropped, 0);
        assert_int_equal(stats.entries + stats.overruns, scene.written[i]);
    }
    end(&scene, writers);
}

/* Takes raw records, as a second consuming reader. */
static void *read_raw(void *arg)
{
    struct scene *scene = arg;
    static uint8_t bytes[4096] __attribute__((aligned(8)));

    while (atomic_load(&scene->running)) {
        size_t got = 0;

        if (cairn_trace_buffer_read(&scene->ring.buffer, 0, bytes, sizeof(bytes), &got))
            sched_yield();
        for (size_t at = 0; at < got;) {
            const struct cairn_record_head *record = (void *)(bytes + at);
            uint32_t size = cairn_record_check(record, got - at);
            uint32_t number = ring_number(record);

            /* Not an assertion of cmocka: that would end this thread, not the test. */
            if (!size || number >= EACH || scene->seen[0][number]++)
                abort();
            at += size;
        }
    }
    return NULL;
}

static void readers_and_resets_may_run_concurrently(void **state)
{
    static struct scene scene;
    struct writer writers[CPUS];
    struct order orders[CPUS] = {{0, -1}, {0, -1}};
    struct cairn_trace_cursor cursor;
    pthread_t raw;
    uint64_t lost = 0;
    uint64_t gone;

    (void)state;
    begin(&scene, writers, CAIRN_TRACE_OVERWRITE);
    assert_int_equal(pthread_create(&raw, NULL, read_raw, &scene), 0);
    cursor = ring_open(&scene.ring, 1, true);
    while (atomic_load(&scene.running)) {
        (void)consume(&scene, &cursor, orders, &lost);
        assert_int_equal(cairn_trace_buffer_reset(&scene.ring.buffer, CAIRN_TRACE_ALL_CPUS), 0);
    }
    assert_int_equal(pthread_join(raw, NULL), 0);
    for (uint32_t i = 0; i < CPUS; i++) {
        const struct cairn_trace_cpu *cpu = &scene.ring.buffer.cpus[i];

        gone = cpu->read_events + cpu->cleared + cpu->pool.header->overwritten;
        assert_int_equal(ring_stats(&scene.ring, i).entries, scene.written[i] - gone);
        assert_int_equal(cpu->damaged, 0);
    }
    assert_int_equal(cairn_trace_buffer_reset(&scene.ring.buffer, CAIRN_TRACE_ALL_CPUS), 0);
    assert_int_equal(ring_next(&cursor), -1);
    end(&scene, writers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(in_overwrite_mode_each_event_is_consumed_or_an_overrun),
        cmocka_unit_test(in_discard_mode_each_event_is_consumed_or_a_drop),
        cmocka_unit_test(snapshots_contain_whole_records_in_order_and_consume_nothing),
        cmocka_unit_test(readers_and_resets_may_run_concurrently),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
