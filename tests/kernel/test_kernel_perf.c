/* SPDX-License-Identifier: MIT */
/* Test of events of the kernel backend in `perf record` and `perf script`. */
#include "guest.h"

#include "user_events/kernel.h"

#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#define COMMAND "cairn_perf u32 a; __rel_loc char[] text"
#define EVENTS  1000u

/* The recorded program: writes its events, or prints its error. */
static int write_events(void)
{
    struct cairn_tracepoint tp;
    uint32_t text_location = sizeof("hello") << 16;
    int err;

    guest_map_halves(NULL);
    tp = guest_tracepoint();
    err = user_events_kernel_register(&tp, COMMAND, 0);
    for (uint32_t a = 0; !err && a < EVENTS; a++) {
        struct iovec parts[] = {{&a, sizeof(a)}, {&text_location, 4}, {"hello", 6}};

        if (!cairn_tracepoint_is_enabled(&tp))
            return 1;
        err = guest_write_parts(&tp, parts, 3);
    }
    return err;
}

static void perf_records_every_event_in_order(void **state)
{
    struct cairn_tracepoint tp = guest_tracepoint();
    char self[256], command[512], line[512], expected[64];
    uint32_t count = 0;
    ssize_t length;
    FILE *script;

    (void)state;
    length = readlink("/proc/self/exe", self, sizeof(self) - 1);
    assert_true(length > 0);
    self[length] = '\0';

    /* perf can record existing events only. */
    assert_int_equal(user_events_kernel_register(&tp, COMMAND, 0), 0);
    snprintf(command, sizeof(command),
             "perf record -q -e user_events:cairn_perf -o /tmp/perf.data -- '%s' --write", self);
    assert_int_equal(system(command), 0);

    script = popen("perf script -i /tmp/perf.data -F event,trace", "re");
    assert_non_null(script);
    while (fgets(line, sizeof(line), script)) {
        snprintf(expected, sizeof(expected), "user_events:cairn_perf: a=%u text=hello", count++);
        assert_non_null(strstr(line, expected));
    }
    assert_int_equal(pclose(script), 0);
    assert_int_equal(count, EVENTS);
    assert_int_equal(user_events_kernel_unregister(&tp), 0);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(perf_records_every_event_in_order),
    };

    if (argc == 2 && strcmp(argv[1], "--write") == 0)
        return write_events();
    return cmocka_run_group_tests(tests, guest_map_halves, NULL);
}
