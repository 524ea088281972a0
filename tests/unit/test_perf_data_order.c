/* SPDX-License-Identifier: MIT */
/* Sorting by time, and the maps, compared with the plainest way to do the same. */
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

static const uint8_t pool[1 << 16]; /* addresses to tell entries apart, in the order of adding */

static void expect_sorted_and_stable(struct cairn_order *order, size_t count)
{
    const struct cairn_order_entry *entry;
    struct cairn_order_entry last = {0};
    size_t seen = 0;

    while ((entry = cairn_order_next(order))) {
        assert_true(last.time_ns <= entry->time_ns);
        if (last.time_ns == entry->time_ns)
            assert_true(last.data < entry->data);
        last = *entry;
        seen++;
    }
    assert_int_equal(seen, count);
}

/* Runs of the given mean length, as the buffers of CPUs give them. */
static void sort_runs(size_t count, uint64_t run_length, uint64_t times)
{
    struct cairn_order order = {0};
    uint64_t time_ns = 1;

    for (size_t i = 0; i < count; i++) {
        time_ns = random_number() % run_length ? time_ns + random_number() % 3
                                               : 1 + random_number() % times;
        assert_int_equal(cairn_order_add(&order, time_ns, pool + i), 0);
    }
    cairn_order_all(&order);
    expect_sorted_and_stable(&order, count);
    cairn_order_free(&order);
}

static void any_mixture_of_runs_is_sorted_stably(void **state)
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

static void falling_times_are_sorted(void **state)
{
    struct cairn_order order = {0};

    (void)state;
    for (size_t i = 0; i < 3000; i++)
        assert_int_equal(cairn_order_add(&order, 5000 - i, pool + i), 0);
    cairn_order_all(&order);
    expect_sorted_and_stable(&order, 3000);
    cairn_order_free(&order);
}

static void add(struct cairn_order *order, uint64_t time_ns)
{
    assert_int_equal(cairn_order_add(order, time_ns, pool + order->count), 0);
}

static void expect_times(struct cairn_order *order, const uint64_t *times, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct cairn_order_entry *entry = cairn_order_next(order);

        assert_non_null(entry);
        assert_int_equal(entry->time_ns, times[i]);
    }
    assert_null(cairn_order_next(order));
}

static void a_round_lets_go_what_was_there_before_the_round_before(void **state)
{
    struct cairn_order order = {0};

    (void)state;
    cairn_order_end_round(&order); /* nothing yet */
    add(&order, 30);
    add(&order, 10);
    cairn_order_end_round(&order);
    expect_times(&order, NULL, 0);
    add(&order, 20);
    add(&order, 50);
    add(&order, 30);
    cairn_order_end_round(&order);
    expect_times(&order, (uint64_t[]){10, 20, 30, 30}, 4);
    add(&order, 40);
    cairn_order_end_round(&order);
    expect_times(&order, (uint64_t[]){40, 50}, 2);
    cairn_order_end_round(&order);
    add(&order, 5); /* a promise broken: handed out late */
    add(&order, 70);
    cairn_order_end_round(&order);
    expect_times(&order, (uint64_t[]){5}, 1);
    cairn_order_all(&order);
    expect_times(&order, (uint64_t[]){70}, 1);
    cairn_order_free(&order);
}

static void the_earlier_half_is_let_go(void **state)
{
    struct cairn_order order = {0};

    (void)state;
    cairn_order_half(&order);
    expect_times(&order, NULL, 0);
    for (uint64_t t = 0; t < 10; t++)
        add(&order, 100 - 10 * t);
    cairn_order_half(&order);
    expect_times(&order, (uint64_t[]){10, 20, 30, 40, 50}, 5);
    add(&order, 1);
    cairn_order_all(&order);
    expect_times(&order, (uint64_t[]){1, 60, 70, 80, 90, 100}, 6);
    cairn_order_free(&order);
}

static void a_map_finds_what_was_put_into_it(void **state)
{
    struct cairn_map map = {0};

    (void)state;
    assert_int_equal(cairn_map_get(&map, 0), CAIRN_MAP_NONE);
    for (uint32_t i = 0; i < 10000; i++)
        assert_int_equal(cairn_map_set(&map, (uint64_t)i << 20, i), 0);
    for (uint32_t i = 0; i < 10000; i += 2)
        assert_int_equal(cairn_map_set(&map, (uint64_t)i << 20, i + 1), 0);
    for (uint32_t i = 0; i < 10000; i++) {
        assert_int_equal(cairn_map_get(&map, (uint64_t)i << 20), i | (i % 2 ? 0 : 1));
        assert_int_equal(cairn_map_get(&map, ((uint64_t)i << 20) + 1), CAIRN_MAP_NONE);
    }
    assert_int_equal(map.count, 10000);
    cairn_map_free(&map);
    assert_int_equal(cairn_map_get(&map, 0), CAIRN_MAP_NONE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(any_mixture_of_runs_is_sorted_stably),
        cmocka_unit_test(falling_times_are_sorted),
        cmocka_unit_test(a_round_lets_go_what_was_there_before_the_round_before),
        cmocka_unit_test(the_earlier_half_is_let_go),
        cmocka_unit_test(a_map_finds_what_was_put_into_it),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
