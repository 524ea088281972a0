/* SPDX-License-Identifier: MIT */
/*
 * The same program through both backends: what perf records of the kernel's and what cairn records
 * of the local engine's decodes to the same events.
 */
#include "guest.h"
#include "provider_threads.h"

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
        assert_int_equal(cairn_tracepoint_register(&tracepoints[i], commands[i]), 0);
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
        assert_int_equal(cairn_tracepoint_unregister(&tracepoints[i]), 0);
}

/* ---- threads ---- */

CAIRN_PROVIDER(threads_provider, "EhThreads");

static const char *const heard[] = {"EhThreads_L5K1", "EhThreads_L2K1", "EhResident_L5K1"};

/* How many events the kernel has been given. */
static int traced_events(void)
{
    FILE *lines = popen("grep -c 'Eh[TR].*_L[25]K1:' " TRACING "/trace", "r");
    int count = -1;

    assert_non_null(lines);
    assert_int_equal(fscanf(lines, "%d", &count), 1);
    pclose(lines);
    return count;
}

/* A process's first registration comes before its threads (cairn_tracepoint_unregister). */
static void run_threads(void *arg)
{
    struct provider_threads *t = arg;
    struct cairn_tracepoint first = CAIRN_TRACEPOINT_INIT;

    assert_int_equal(setenv("CAIRN_BACKEND", "both", 1), 0);
    assert_int_equal(cairn_tracepoint_register(&first, "EhFirst u32 number"), 0);
    guest_write(TRACING "/trace", "");
    provider_threads_run(t, t->plugin ? provider_threads_load : provider_threads_register,
                         provider_threads_write);
    if (!t->plugin) {
        assert_true(t->registered > 0);
        assert_int_equal(t->registered, t->unregistered);
        assert_true(t->written > 0);
    }
    assert_int_equal(traced_events(), t->written);
    assert_int_equal(cairn_tracepoint_unregister(&first), 0);
}

static void providers_come_and_go_in_threads_while_the_kernel_listens(void **state)
{
    struct provider_threads provider = {.rounds = 40};
    struct provider_threads plugin = {.rounds = 20, .plugin = CAIRN_TEST_EVENTHEADER_RESIDENT};
    struct cairn_tracepoint held[] = {CAIRN_TRACEPOINT_INIT, CAIRN_TRACEPOINT_INIT,
                                      CAIRN_TRACEPOINT_INIT};
    char command[3][128];

    (void)state;
    assert_int_equal(setenv("CAIRN_BACKEND", "kernel", 1), 0);
    for (int i = 0; i < 3; i++) {
        (void)snprintf(command[i], sizeof(command[i]), "%s " CAIRN_EVENTHEADER_FIELDS, heard[i]);
        assert_int_equal(cairn_tracepoint_register(&held[i], command[i]), 0);
        guest_enable(heard[i], true);
    }
    guest_in_child(run_threads, &provider);
    guest_in_child(run_threads, &plugin);
    for (int i = 0; i < 3; i++) {
        guest_enable(heard[i], false);
        assert_int_equal(cairn_tracepoint_unregister(&held[i]), 0);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(both_backends_take_the_same_events),
        cmocka_unit_test(providers_come_and_go_in_threads_while_the_kernel_listens),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
