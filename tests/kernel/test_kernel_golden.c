/* SPDX-License-Identifier: MIT */
/*
 * Every row of the field table, and every option, through both backends: what perf records of the
 * kernel's decodes to the same events as what cairn records of the local engine's.
 */
#include "guest.h"

#include <stdlib.h>

#define BACKENDS(how)                                                                           \
    "python3 " GOLDEN_FOLDER "/backends.py " how " ./cairn " GOLDEN_FOLDER "/golden_write_" how \
    " /tmp >/tmp/" how ".out 2>&1 || { cat /tmp/" how ".out >&2; false; }"

static int name_a_tracing_folder(void **state)
{
    (void)state;
    return setenv("CAIRN_TRACING_DIR", "/tmp/cairn", 1);
}

static void events_of_macros_are_the_same_through_both_backends(void **state)
{
    (void)state;
    guest_go_to_build_folder();
    guest_run(BACKENDS("macros"));
}

static void events_of_the_builder_are_the_same_through_both_backends(void **state)
{
    (void)state;
    guest_go_to_build_folder();
    guest_run(BACKENDS("builder"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(events_of_macros_are_the_same_through_both_backends),
        cmocka_unit_test(events_of_the_builder_are_the_same_through_both_backends),
    };

    return cmocka_run_group_tests(tests, name_a_tracing_folder, NULL);
}
