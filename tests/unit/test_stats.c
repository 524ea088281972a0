/* SPDX-License-Identifier: MIT */
/* Test of sketches and groups: errors of quantiles, and limits of memory. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <cmocka.h>

#include "perf_recording.h"
#include "stats/groups.h"
#include "stats/sketch.h"

#include <cairn/reader.h>
#include <cairn/select.h>
#include <errno.h>
#include <float.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COUNT 20000u

static int compare(const void *a, const void *b)
{
    double x = *(const double *)a;
    double y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Compares the quantiles of a sketch with those of the sorted numbers. */
static void assert_quantiles(double *numbers)
{
    static const double parts[] = {0, 0.01, 0.25, 0.5, 0.9, 0.99, 0.999, 1};
    struct stats_sketch sketch = {0};

    for (size_t n = 0; n < COUNT; n++)
        assert_int_equal(stats_sketch_add(&sketch, (long double)numbers[n]), 0);
    qsort(numbers, COUNT, sizeof(*numbers), compare);
    assert_int_equal(sketch.count, COUNT);
    for (size_t n = 0; n < sizeof(parts) / sizeof(*parts); n++) {
        double exact = numbers[stats_rank(parts[n], COUNT)];

        assert_true(fabs(stats_sketch_quantile(&sketch, parts[n]) - exact) <=
                    CAIRN_STATS_QUANTILE_ERROR * fabs(exact));
    }
    stats_sketch_free(&sketch);
}

static void quantiles_have_a_relative_error(void **state)
{
    double *numbers = (double *)malloc(COUNT * sizeof(*numbers));
    uint64_t random = 1;

    (void)state;
    assert_non_null(numbers);
    for (unsigned kind = 0; kind < 4; kind++) {
        for (size_t n = 0; n < COUNT; n++) {
            random = random * 6364136223846793005u + 1442695040888963407u;
            numbers[n] = (double)(random >> 40);
            if (kind == 1)
                numbers[n] = exp((double)(random >> 40) / 1e6);
            if (kind == 2)
                numbers[n] = -numbers[n] / 1e9 + 0.004;
            if (kind == 3)
                numbers[n] = (double)(random >> 62);
        }
        assert_quantiles(numbers);
    }
    free(numbers);
}

static void a_sketch_accepts_the_extremes_of_doubles(void **state)
{
    static const double numbers[] = {0, -DBL_MAX, DBL_MAX, DBL_MIN, -DBL_MIN, 5e-324, 1};
    struct stats_sketch sketch = {0};

    (void)state;
    assert_true(stats_sketch_quantile(&sketch, 0.5) == 0);
    for (size_t n = 0; n < sizeof(numbers) / sizeof(*numbers); n++)
        assert_int_equal(stats_sketch_add(&sketch, (long double)numbers[n]), 0);
    assert_true(stats_sketch_quantile(&sketch, 0) <= -DBL_MAX * (1 - CAIRN_STATS_QUANTILE_ERROR));
    assert_true(stats_sketch_quantile(&sketch, 0.5) == 0);
    assert_true(stats_sketch_quantile(&sketch, 1) >= DBL_MAX * (1 - CAIRN_STATS_QUANTILE_ERROR));
    stats_sketch_free(&sketch);
}

static void check_bucket(void *context, double low, double high, uint64_t count)
{
    assert_true(isfinite(low) && isfinite(high) && low < high);
    *(uint64_t *)context += count;
}

static void the_ends_of_buckets_are_finite(void **state)
{
    struct stats_sketch sketch = {0};
    uint64_t count = 0;

    (void)state;
    assert_int_equal(stats_sketch_add(&sketch, (long double)DBL_MAX), 0);
    assert_int_equal(stats_sketch_add(&sketch, (long double)-DBL_MAX), 0);
    stats_sketch_each(&sketch, check_bucket, &count);
    assert_int_equal(count, 2);
    stats_sketch_free(&sketch);
}

static void a_quantile_is_the_number_at_the_nearest_rank(void **state)
{
    struct stats_sketch sketch = {0};

    (void)state;
    assert_int_equal(stats_sketch_add_integer(&sketch, 10), 0);
    assert_int_equal(stats_sketch_add_integer(&sketch, 1000), 0);
    assert_true(stats_sketch_quantile(&sketch, 0.99) > 990);
    assert_true(stats_sketch_quantile(&sketch, 0.51) > 990);
    assert_true(stats_sketch_quantile(&sketch, 0.5) < 11);
    stats_sketch_free(&sketch);
    assert_int_equal(stats_rank(0, 10), 0);
    assert_int_equal(stats_rank(0.07, 100), 6);
    assert_int_equal(stats_rank(0.99, 100), 98);
    assert_int_equal(stats_rank(0.99, 101), 99);
    assert_int_equal(stats_rank(1, 10), 9);
    assert_int_equal(stats_rank(0.5, UINT64_C(1) << 40), (UINT64_C(1) << 39) - 1);
}

static void sums_of_integers_are_exact(void **state)
{
    struct stats_group group = {0};
    char text[CAIRN_STATS_SUM_BYTES];

    (void)state;
    assert_true(cairn_stats_group_exact_sum(&group.result, text));
    assert_string_equal(text, "0");
    for (unsigned n = 0; n < 3; n++)
        assert_int_equal(stats_sketch_add_integer(&group.sketch, UINT64_MAX), 0);
    assert_true(cairn_stats_group_exact_sum(&group.result, text));
    assert_string_equal(text, "55340232221128654845");
    for (unsigned n = 0; n < 8; n++)
        assert_int_equal(stats_sketch_add_integer(&group.sketch, INT64_MIN), 0);
    assert_true(cairn_stats_group_exact_sum(&group.result, text));
    assert_string_equal(text, "-18446744073709551619");
    assert_int_equal(stats_sketch_add(&group.sketch, 0.5L), 0);
    assert_false(cairn_stats_group_exact_sum(&group.result, text));
    stats_sketch_free(&group.sketch);
}

static void too_many_keys_are_counted_together(void **state)
{
    struct stats_groups groups = {0};
    struct stats_group *group;
    struct stats_group **list;
    size_t count;
    char key[16];

    (void)state;
    for (unsigned n = 0; n < CAIRN_STATS_GROUPS_MAX + 10; n++) {
        (void)snprintf(key, sizeof(key), "key %u", n);
        assert_int_equal(stats_groups_find(&groups, key, strlen(key), &group), 0);
        group->result.count++;
    }
    assert_int_equal(stats_groups_find(&groups, "key 7", 5, &group), 0);
    assert_int_equal(group->result.count, 1);
    assert_int_equal(groups.others->result.count, 10);
    assert_int_equal(stats_groups_list(&groups, &list, &count), 0);
    assert_int_equal(count, CAIRN_STATS_GROUPS_MAX + 1);
    assert_string_equal(list[count - 1]->key, CAIRN_STATS_OTHERS);
    free((void *)list);
    stats_groups_free(&groups);
}

static void options_that_contradict_each_other_are_refused(void **state)
{
    struct cairn_stats_options options = CAIRN_STATS_OPTIONS_INIT;
    struct cairn_stats *stats = NULL;

    (void)state;
    options.key = CAIRN_STATS_BY_FIELD;
    assert_int_equal(cairn_stats_create(&options, &stats), EINVAL);
    options.key = (enum cairn_stats_key)6;
    assert_int_equal(cairn_stats_create(&options, &stats), EINVAL);
    options.key = CAIRN_STATS_BY_CPU;
    options.value_field = "port";
    options.durations = true;
    assert_int_equal(cairn_stats_create(&options, &stats), EINVAL);
    options.durations = false;
    options.size = 1;
    assert_int_equal(cairn_stats_create(&options, &stats), EINVAL);
    assert_null(stats);
    cairn_stats_destroy(NULL);
}

/* Adds events of two kinds, ports 1 to 4 at 1000 to 4000 ns and one that closes, to statistics. */
static void add_events(struct cairn_stats *stats)
{
    int fd = memory_file();
    struct cairn_perf_writer *writer;
    const struct cairn_event *event;
    struct cairn_reader *reader;

    assert_int_equal(cairn_perf_writer_create(fd, CAIRN_PERF_FILE, &writer), 0);
    assert_int_equal(add_tracepoint(writer, "net", "conn_open", 1701, FORMAT_OPEN, 1), 0);
    assert_int_equal(add_tracepoint(writer, "net", "conn_close", 1702, FORMAT_CLOSE, 2), 0);
    for (uint32_t port = 1; port <= 4; port++) {
        struct conn_open open = {port, "a"};

        assert_int_equal(write_event(writer, 1, 1701, 1000 * port, &open, sizeof(open)), 0);
    }
    assert_int_equal(write_close(writer, 2, 5000), 0);
    assert_int_equal(cairn_perf_writer_finish(writer), 0);
    cairn_perf_writer_destroy(writer);
    assert_int_equal(lseek(fd, 0, SEEK_SET), 0);
    assert_int_equal(cairn_reader_open_fd(fd, NULL, NULL, &reader), 0);
    while (!cairn_reader_next(reader, &event))
        assert_int_equal(cairn_stats_event(stats, event), 0);
    cairn_reader_close(reader);
    close(fd);
}

static void events_are_counted_by_their_key(void **state)
{
    const struct cairn_stats_group *const *groups;
    const struct cairn_stats_totals *totals;
    struct cairn_stats *stats;
    size_t count;

    (void)state;
    assert_int_equal(cairn_stats_create(NULL, &stats), 0);
    assert_int_equal(cairn_stats_list(stats, &groups, &count), 0);
    assert_int_equal(count, 0);
    add_events(stats);
    assert_int_equal(cairn_stats_list(stats, &groups, &count), 0);
    assert_int_equal(count, 2);
    assert_string_equal(groups[0]->key, "net:conn_open");
    assert_int_equal(groups[0]->count, 4);
    assert_string_equal(groups[1]->key, "net:conn_close");
    assert_int_equal(groups[1]->count, 1);
    totals = cairn_stats_totals(stats);
    assert_int_equal(totals->events, 5);
    assert_int_equal(totals->bytes, groups[0]->bytes + groups[1]->bytes);
    assert_int_equal(totals->first_ns, 1000);
    assert_int_equal(totals->last_ns, 5000);
    cairn_stats_destroy(stats);
}

static void losses_are_in_the_group_of_their_key(void **state)
{
    static const struct {
        enum cairn_stats_key key;
        const char *text;
    } keys[] = {{CAIRN_STATS_BY_EVENT, "Web:Hit"},
                {CAIRN_STATS_BY_PROVIDER, "Web"},
                {CAIRN_STATS_BY_PROCESS, "7"},
                {CAIRN_STATS_BY_THREAD, "cat-8"},
                {CAIRN_STATS_BY_CPU, CAIRN_STATS_UNKNOWN}};
    const struct cairn_stats_loss loss = {"Web", "Hit", "cat", 7, 8, 3};
    const struct cairn_stats_loss unknown = {.count = 2};

    (void)state;
    for (size_t n = 0; n < sizeof(keys) / sizeof(*keys); n++) {
        struct cairn_stats_options options = {.size = sizeof(options), .key = keys[n].key};
        const struct cairn_stats_group *const *groups;
        struct cairn_stats *stats;
        size_t count;

        assert_int_equal(cairn_stats_create(&options, &stats), 0);
        assert_int_equal(cairn_stats_lost(stats, &loss), 0);
        assert_int_equal(cairn_stats_lost(stats, &unknown), 0);
        assert_int_equal(cairn_stats_list(stats, &groups, &count), 0);
        assert_int_equal(count, keys[n].key == CAIRN_STATS_BY_CPU ? 1 : 2);
        assert_string_equal(groups[0]->key, keys[n].text);
        assert_int_equal(groups[0]->lost, count == 1 ? 5 : 3);
        cairn_stats_destroy(stats);
    }
}

static void values_of_a_field_are_described(void **state)
{
    struct cairn_stats_options options = CAIRN_STATS_OPTIONS_INIT;
    const struct cairn_stats_group *const *groups;
    struct cairn_stats *stats;
    uint64_t numbers = 0;
    size_t count;

    (void)state;
    options.key = CAIRN_STATS_BY_FIELD;
    options.key_field = "peer";
    options.value_field = "port";
    assert_int_equal(cairn_stats_create(&options, &stats), 0);
    add_events(stats);
    assert_int_equal(cairn_stats_list(stats, &groups, &count), 0);
    assert_int_equal(count, 1);
    assert_string_equal(groups[0]->key, "a");
    assert_int_equal(groups[0]->count, 4);
    assert_true(groups[0]->sum == 10 && groups[0]->min == 1 && groups[0]->max == 4);
    assert_true(fabs(cairn_stats_group_quantile(groups[0], 1) - 4) <=
                4 * CAIRN_STATS_QUANTILE_ERROR);
    cairn_stats_group_each_bucket(groups[0], check_bucket, &numbers);
    assert_int_equal(numbers, 4);
    assert_true(cairn_stats_totals(stats)->value_was_number);
    assert_true(cairn_stats_totals(stats)->key_was_found);
    cairn_stats_destroy(stats);
}

static void a_filter_is_checked_before_any_event_is_known(void **state)
{
    struct cairn_filter_error error;

    (void)state;
    assert_true(cairn_filter_is_valid("port > 1 && peer == \"a\"", &error));
    assert_false(cairn_filter_is_valid("port >", &error));
    assert_int_equal(error.position, 7);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quantiles_have_a_relative_error),
        cmocka_unit_test(a_sketch_accepts_the_extremes_of_doubles),
        cmocka_unit_test(the_ends_of_buckets_are_finite),
        cmocka_unit_test(a_quantile_is_the_number_at_the_nearest_rank),
        cmocka_unit_test(sums_of_integers_are_exact),
        cmocka_unit_test(too_many_keys_are_counted_together),
        cmocka_unit_test(options_that_contradict_each_other_are_refused),
        cmocka_unit_test(events_are_counted_by_their_key),
        cmocka_unit_test(losses_are_in_the_group_of_their_key),
        cmocka_unit_test(values_of_a_field_are_described),
        cmocka_unit_test(a_filter_is_checked_before_any_event_is_known),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
