/* SPDX-License-Identifier: MIT */
/* Parts of recording the kernel's events that need no permission: lists of CPUs, arguments of
 * static probes, presets. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include <string.h>

#include "perf_events/internal.h"
#include "perf_events/probes.h"

static void cpus_are_parsed_as_the_kernel_writes_them(void **state)
{
    static const uint32_t expected[] = {0, 1, 2, 8, 10, 11};
    struct cairn_bytes cpus = {0};

    (void)state;
    assert_true(perf_events_parse_cpus("0-2,8,10-11\n", &cpus));
    assert_int_equal(perf_events_count_of(&cpus), 6);
    for (size_t n = 0; n < 6; n++)
        assert_int_equal(perf_events_number(&cpus, n), expected[n]);
    assert_false(perf_events_parse_cpus("0-", &cpus));
    assert_false(perf_events_parse_cpus("2-1", &cpus));
    assert_false(perf_events_parse_cpus("0;1", &cpus));
    assert_false(perf_events_parse_cpus("0-99999999", &cpus));
    perf_data_bytes_free(&cpus);
}

static void a_cpu_that_goes_or_comes_is_counted(void **state)
{
    static const struct {
        const char *before;
        const char *now;
        uint32_t changed;
    } cases[] = {{"0-3", "0-3", 0}, {"0-3", "0-1,3", 1}, {"0-3", "0-4", 1},
                 {"0,2", "1,3", 4}, {"0", "0-2", 2},     {"0-2", "0", 2}};

    (void)state;
    for (size_t n = 0; n < sizeof(cases) / sizeof(*cases); n++) {
        struct cairn_bytes before = {0};
        struct cairn_bytes now = {0};

        assert_true(perf_events_parse_cpus(cases[n].before, &before));
        assert_true(perf_events_parse_cpus(cases[n].now, &now));
        assert_int_equal(perf_events_count_changed(&before, &now), cases[n].changed);
        perf_data_bytes_free(&before);
        perf_data_bytes_free(&now);
    }
}

static void check_argument(const char *text, const char *expected)
{
    struct cairn_bytes fetch = {0};

    assert_int_equal(perf_events_put_static_argument(&fetch, 2, text, strlen(text)), 3);
    perf_data_bytes_put(&fetch, "", 1);
    assert_string_equal((const char *)fetch.data, expected);
    perf_data_bytes_free(&fetch);
}

static void arguments_of_static_probes_become_those_of_the_kernel(void **state)
{
    (void)state;
    check_argument("-4@%edi", " arg3=%di:s32");
    check_argument("8@%rax", " arg3=%ax:u64");
    check_argument("1@%r8b", " arg3=%r8:u8");
    check_argument("-2@%r12w", " arg3=%r12:s16");
    check_argument("8@-16(%rbp)", " arg3=-16(%bp):u64");
    check_argument("4@(%rsp)", " arg3=+0(%sp):u32");
    check_argument("-4@$-1", " arg3=\\-1:s32");
}

static void arguments_that_the_kernel_cannot_fetch_are_left_out(void **state)
{
    (void)state;
    check_argument("8@8(%rax,%rbx,4)", "");
    check_argument("8@symbol(%rip)", "");
    check_argument("8f@%xmm0", "");
    check_argument("3@%rax", "");
    check_argument("4@%rzz", "");
    check_argument("4@", "");
    check_argument("", "");
    check_argument("8@%raxraxraxraxraxraxraxraxraxraxraxraxraxraxraxraxraxraxraxraxraxrax", "");
}

static void presets_end_and_their_patterns_have_a_system(void **state)
{
    static const char *const names[] = {"@sched", "@syscalls", "@io", "@memory"};

    (void)state;
    for (size_t n = 0; n < 4; n++) {
        const char *const *patterns = perf_events_preset(names[n]);

        assert_non_null(patterns);
        for (; *patterns; patterns++)
            assert_non_null(strchr(*patterns, ':'));
    }
    assert_null(perf_events_preset("sched"));
    assert_null(perf_events_preset("@other"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(cpus_are_parsed_as_the_kernel_writes_them),
        cmocka_unit_test(a_cpu_that_goes_or_comes_is_counted),
        cmocka_unit_test(arguments_of_static_probes_become_those_of_the_kernel),
        cmocka_unit_test(arguments_that_the_kernel_cannot_fetch_are_left_out),
        cmocka_unit_test(presets_end_and_their_patterns_have_a_system),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
