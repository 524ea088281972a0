/* SPDX-License-Identifier: MIT */
/*
 * The same program through both backends: what perf records of the kernel's and what cairn records
 * of the local engine's decodes to the same events.
 */
#include "guest.h"

#include <cairn/eventheader_abi.h>
#include <cairn/user_events.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define TREE "/usr/include/linux"

/* perf can be asked only for events that are there: this process keeps them while it runs. */
static const char *const commands[] = {
    "Cairn_Treewalk_L4K1 " CAIRN_EVENTHEADER_FIELDS,
    "Cairn_Treewalk_L4K2 " CAIRN_EVENTHEADER_FIELDS,
};

static struct cairn_tracepoint tracepoints[] = {CAIRN_TRACEPOINT_INIT, CAIRN_TRACEPOINT_INIT};

static void both_backends_take_the_same_events(void **state)
{
    (void)state;
    guest_go_to_build_folder();
    assert_int_equal(setenv("CAIRN_TRACING_DIR", "/tmp/cairn", 1), 0);
    assert_int_equal(setenv("CAIRN_BACKEND", "kernel", 1), 0);
    for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
        assert_int_equal(cairn_user_event_register(&tracepoints[i], commands[i]), 0);
    guest_run("perf record -q -k CLOCK_MONOTONIC -e user_events:Cairn_Treewalk_L4K1 "
              "-e user_events:Cairn_Treewalk_L4K2 -o /tmp/kernel.data -- "
              "examples/treewalk " TREE " >/tmp/kernel.out 2>&1");

    assert_int_equal(setenv("CAIRN_BACKEND", "local", 1), 0);
    guest_run("./cairn record -q -e 'Cairn_Treewalk_*' -o /tmp/local.data -- "
              "examples/treewalk " TREE " >/tmp/local.out");
    guest_run("cmp /tmp/kernel.out /tmp/local.out");

    /* Times, ids of processes and of activities differ; all else is the same, in the same order. */
    guest_run(
        "for f in kernel local; do ./cairn decode -f json /tmp/$f.data | grep '\"n\":' | "
        "sed 's/,\"meta\":.*\"level\"/,\"level\"/; s/\"activity\".*//' >/tmp/$f.events; done");
    guest_run("test $(wc -l </tmp/local.events) -gt 500");
    guest_run("cmp /tmp/kernel.events /tmp/local.events");
    for (size_t i = 0; i < sizeof(commands) / sizeof(*commands); i++)
        assert_int_equal(cairn_user_event_unregister(&tracepoints[i]), 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_backends_take_the_same_events),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
