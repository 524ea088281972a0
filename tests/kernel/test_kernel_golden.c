/* SPDX-License-Identifier: MIT */
/*
 * Test of every row of the field table, and every option, with both backends: perf's recording of
 * the kernel's events and cairn's recording of the local engine's are decoded to the same events.
 */
#include "guest.h"

#include <stdlib.h>

#define BACKENDS(how)                                                            \
    "python3 " GOLDEN_DIRECTORY "/backends.py " how " ./cairn " GOLDEN_DIRECTORY \
    "/golden_write_" how " /tmp >/tmp/" how ".out 2>&1 || { cat /tmp/" how ".out >&2; false; }"

static int name_a_tracing_directory(void **state)
{
    (void)state;
    return setenv("CAIRN_TRACING_DIR", "/tmp/cairn", 1);
}

static void events_of_macros_are_the_same_with_both_backends(void **state)
{
    (void)state;
    guest_go_to_build_directory();
    guest_run(BACKENDS("macros"));
}

static void events_of_the_builder_are_the_same_with_both_backends(void **state)
{
    (void)state;
    guest_go_to_build_directory();
    guest_run(BACKENDS("builder"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_of_macros_are_the_same_with_both_backends),
        cmocka_unit_test(events_of_the_builder_are_the_same_with_both_backends),
    };

    return cmocka_run_group_tests(tests, name_a_tracing_directory, NULL);
}
