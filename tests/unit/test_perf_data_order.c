/* SPDX-License-Identifier: MIT */
/* Test of sorting by time, and of the maps, both compared with simple implementations. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <stdlib.h>
#include <string.h>

#include "perf_data/map.h"
#include "perf_data/order.h"

static uint64_t seed = 88172645463325252u;

static uint64_t random_number(void)
{
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed;
}

static const uint8_t pool[1 << 16]; /* addresses that distinguish entries, in the order of adding */

static int add_entry(struct perf_data_order *order, uint64_t time_ns, const uint8_t *data)
{
    const struct perf_data_order_entry entry = {.time_ns = time_ns, .data = data};

    return perf_data_order_add(order, &entry);
}

static void expect_sorted_and_stable(struct perf_data_order *order, size_t count)
{
    struct perf_data_order_entry entry;
    struct perf_data_order_entry last = {0};
    size_t seen = 0;

    while (perf_data_order_next(order, &entry)) {
        assert_true(last.time_ns <= entry.time_ns);
        if (last.time_ns == entry.time_ns)
            assert_true(last.data < entry.data);
        last = entry;
        seen++;
    }
    assert_int_equal(seen, count);
}

/* Runs of the given mean length, as the buffers of CPUs have them. */
static void sort_runs(size_t count, uint64_t run_length, uint64_t times)
{
    struct perf_data_order order = {0};
    uint64_t time_ns = 1;

    for (size_t i = 0; i < count; i++) {
        time_ns = random_number() % run_length ? time_ns + random_number() % 3
                                               : 1 + random_number() % times;
        assert_int_equal(add_entry(&order, time_ns, pool + i), 0);
    }
    perf_data_order_all(&order);
    expect_sorted_and_stable(&order, count);
    perf_data_order_free(&order);
}

static void mixed_runs_are_sorted_stably(void **state)
{
    static const uint64_t lengths[] = {1, 2, 10, 1000, 1000000};

    (void)state;
    for (size_t i = 0; i < sizeof(lengths) / sizeof(*lengths); i++) {
        sort_runs(0, lengths[i], 10);
        sort_runs(1, lengths[i], 10);
        sort_runs(2, lengths[i], 2);
        sort_runs(5000, lengths[i], 20);
        sort_runs(20000, lengths[i], 1000000000);
    }
}

static void decreasing_times_are_sorted(void **state)
{
    struct perf_data_order order = {0};

    (void)state;
    for (size_t i = 0; i < 3000; i++)
        assert_int_equal(add_entry(&order, 5000 - i, pool + i), 0);
    perf_data_order_all(&order);
    expect_sorted_and_stable(&order, 3000);
    perf_data_order_free(&order);
}

static void add(struct perf_data_order *order, uint64_t time_ns)
{
    assert_int_equal(add_entry(order, time_ns, pool + order->count), 0);
}

static void expect_times(struct perf_data_order *order, const uint64_t *times, size_t count)
{
    struct perf_data_order_entry entry;

    for (size_t i = 0; i < count; i++) {
        assert_true(perf_data_order_next(order, &entry));
        assert_int_equal(entry.time_ns, times[i]);
    }
    assert_false(perf_data_order_next(order, &entry));
}

static void a_round_releases_what_was_added_before_the_previous_round(void **state)
{
    struct perf_data_order order = {0};

    (void)state;
    perf_data_order_end_round(&order); /* nothing yet */
    add(&order, 30);
    add(&order, 10);
    perf_data_order_end_round(&order);
    expect_times(&order, NULL, 0);
    add(&order, 20);
    add(&order, 50);
    add(&order, 30);
    perf_data_order_end_round(&order);
    expect_times(&order, (uint64_t[]){10, 20, 30, 30}, 4);
    add(&order, 40);
    perf_data_order_end_round(&order);
    expect_times(&order, (uint64_t[]){40, 50}, 2);
    perf_data_order_end_round(&order);
    add(&order, 5); /* an event older than the limit: released late */
    add(&order, 70);
    perf_data_order_end_round(&order);
    expect_times(&order, (uint64_t[]){5}, 1);
    perf_data_order_all(&order);
    expect_times(&order, (uint64_t[]){70}, 1);
    perf_data_order_free(&order);
}

static void the_earlier_half_is_released(void **state)
{
    struct perf_data_order order = {0};

    (void)state;
    perf_data_order_half(&order);
    expect_times(&order, NULL, 0);
    for (uint64_t t = 0; t < 10; t++)
        add(&order, 100 - 10 * t);
    perf_data_order_half(&order);
    expect_times(&order, (uint64_t[]){10, 20, 30, 40, 50}, 5);
    add(&order, 1);
    perf_data_order_all(&order);
    expect_times(&order, (uint64_t[]){1, 60, 70, 80, 90, 100}, 6);
    perf_data_order_free(&order);
}

/* A simple queue that works like perf's: a sorted list, released up to a limit at each round. */
struct plain {
    struct perf_data_order_entry list[4096];
    size_t count;
    uint64_t latest_ns;
    uint64_t limit_ns;
};

static void plain_add(struct plain *plain, struct perf_data_order_entry entry)
{
    size_t at = plain->count++;

    for (; at && plain->list[at - 1].time_ns > entry.time_ns; at--)
        plain->list[at] = plain->list[at - 1];
    plain->list[at] = entry;
    if (entry.time_ns > plain->latest_ns)
        plain->latest_ns = entry.time_ns;
}

static void expect_as_plain(struct perf_data_order *order, struct plain *plain, uint64_t up_to_ns)
{
    struct perf_data_order_entry entry;
    size_t gone = 0;

    while (gone < plain->count && plain->list[gone].time_ns <= up_to_ns) {
        assert_true(perf_data_order_next(order, &entry));
        assert_int_equal(entry.time_ns, plain->list[gone].time_ns);
        assert_ptr_equal(entry.data, plain->list[gone].data);
        gone++;
    }
    assert_false(perf_data_order_next(order, &entry));
    plain->count -= gone;
    memmove(plain->list, plain->list + gone, plain->count * sizeof(*plain->list));
}

static void rounds_of_any_size_are_released_as_by_perf(void **state)
{
    (void)state;
    for (int tries = 0; tries < 40; tries++) {
        struct perf_data_order order = {0};
        static struct plain plain;
        uint64_t now_ns = 1000;
        size_t added = 0;

        plain = (struct plain){0};
        while (added < 4000) {
            for (uint64_t n = random_number() % (tries + 2); n && added < 4000; n--) {
                uint64_t far = random_number() % 8 ? 100 : 100000;
                struct perf_data_order_entry e = {now_ns + random_number() % far, pool + added++,
                                                  NULL};

                plain_add(&plain, e);
                assert_int_equal(perf_data_order_add(&order, &e), 0);
                now_ns += random_number() % 10;
            }
            perf_data_order_end_round(&order);
            if (!plain.count)
                continue;
            expect_as_plain(&order, &plain, plain.limit_ns);
            plain.limit_ns = plain.latest_ns;
        }
        perf_data_order_all(&order);
        expect_as_plain(&order, &plain, UINT64_MAX);
        perf_data_order_free(&order);
    }
}

/* Entries that wait for long cost nothing meanwhile; otherwise this test would take minutes. */
static void many_rounds_with_many_waiting_entries_are_fast(void **state)
{
    const size_t waiting = 200000;
    struct perf_data_order order = {0};
    struct perf_data_order_entry entry;
    size_t gone = 0;

    (void)state;
    for (size_t i = 0; i < waiting; i++)
        assert_int_equal(add_entry(&order, UINT64_MAX - 1 - i % 100, pool), 0);
    perf_data_order_end_round(&order);
    order.limit_ns = 0; /* as if all later times were late */
    for (uint64_t i = 1; i <= waiting; i++) {
        assert_int_equal(add_entry(&order, i, pool), 0);
        perf_data_order_end_round(&order);
        order.limit_ns = i;
        while (perf_data_order_next(&order, &entry))
            gone++;
    }
    assert_int_equal(gone, waiting - 1);
    perf_data_order_all(&order);
    while (perf_data_order_next(&order, &entry))
        gone++;
    assert_int_equal(gone, 2 * waiting);
    assert_true(order.run_count < 30);
    perf_data_order_free(&order);
}

static void a_map_finds_its_entries(void **state)
{
    struct perf_data_map map = {0};

    (void)state;
    assert_int_equal(perf_data_map_get(&map, 0), PERF_DATA_MAP_NONE);
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(perf_data_map_set(&map, (uint64_t)i << 20, i), 0);
    for (uint32_t i = 0; i < 10000; i += 2)
        assert_int_equal(perf_data_map_set(&map, (uint64_t)i << 20, i + 1), 0);
    for (uint32_t i = 0; i < 10000; i++) {
        assert_int_equal(perf_data_map_get(&map, (uint64_t)i << 20), i | (i % 2 ? 0 : 1));
        assert_int_equal(perf_data_map_get(&map, ((uint64_t)i << 20) + 1), PERF_DATA_MAP_NONE);
    }
    assert_int_equal(map.count, 10000);
    perf_data_map_free(&map);
    assert_int_equal(perf_data_map_get(&map, 0), PERF_DATA_MAP_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(mixed_runs_are_sorted_stably),
        cmocka_unit_test(decreasing_times_are_sorted),
        cmocka_unit_test(a_round_releases_what_was_added_before_the_previous_round),
        cmocka_unit_test(the_earlier_half_is_released),
        cmocka_unit_test(rounds_of_any_size_are_released_as_by_perf),
        cmocka_unit_test(many_rounds_with_many_waiting_entries_are_fast),
        cmocka_unit_test(a_map_finds_its_entries),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
