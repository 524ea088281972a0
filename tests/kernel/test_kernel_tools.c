/* SPDX-License-Identifier: MIT */
/*
 * Test of an event written with cairn's public interface, in other tools: ftrace's text, perf,
 * trace-cmd (BPF programs: test_kernel_bpf.c). Also events that `cairn register` created before the
 * program ran.
 */
#include "guest.h"

#include <cairn/eventheader.h>
#include <cairn/user_events.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define EVENTS 5

#define COMMAND "cairn_tools s64 c; u32 a; __rel_loc char[] text"

CAIRN_PROVIDER(my_provider, "Cairn_Tools");

static char self[256];

/* ---- the traced program ---- */

static int write_events(void)
{
    struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;
    int error = cairn_tracepoint_register(&tp, COMMAND);

    for (uint32_t i = 0; !error && i < EVENTS; i++) {
        struct fields {
            int64_t c;
            uint32_t a, text;
        } __attribute__((packed)) fields = {-(int64_t)i, i, 6u << 16};
        struct iovec parts[] = {{&fields, sizeof(fields)}, {"hello", 6}};

        error = cairn_tracepoint_write(&tp, parts, 2);
    }
    return error;
}

static int write_provider_events(void)
{
    int error = cairn_provider_register(&my_provider);

    for (uint32_t i = 0; !error && i < EVENTS; i++)
        error =
            CAIRN_WRITE_EVENT(my_provider, "Number", level(WARNING), keyword(0x10),
                              i32("opposite", -(int32_t)i), u32("value", i), str8("text", "hello"));
    return error;
}

static int be_traced(const char *what)
{
    setenv("CAIRN_BACKEND", "kernel", 1);
    return strcmp(what, "tools") ? write_provider_events() : write_events();
}

/* ---- the tools' output ---- */

/* Runs a shell command with the path of this program for each %s; returns its output. */
static const char *output_of(const char *format)
{
    return guest_output_of(format, self, self, self);
}

/* Checks one line for each event, in order: the negative of its number, and its number. */
static void check_lines(const char *text, const char *format)
{
    for (int i = 0; i < EVENTS; i++) {
        char expected[256];

        (void)snprintf(expected, sizeof(expected), format, -i, i, i);
        if (!strstr(text, expected))
            fail_msg("missing: %s\nin: %s", expected, text);
        text = strstr(text, expected);
    }
}

/* The event must exist before a tool can select it: `cairn register` creates it. */
#define REGISTER CAIRN_PROGRAM " register -q --backend kernel '" COMMAND "' -- "

static void ftrace_prints_the_fields(void **state)
{
    const char *text =
        output_of(REGISTER "sh -c 'echo 1 >" TRACING
                           "/events/user_events/cairn_tools/enable; %s --tools; cat " TRACING
                           "/trace; echo 0 >" TRACING "/events/user_events/cairn_tools/enable'");

    (void)state;
    check_lines(text, " (%d) a=0x%x (%d) text=hello");
}

static void perf_records_an_event_registered_before_the_program_ran(void **state)
{
    const char *text = output_of(
        REGISTER "perf record -q -e user_events:cairn_tools -o /tmp/tools.data -- %s --tools"
                 " && perf script -i /tmp/tools.data -F trace:event,trace");

    (void)state;
    check_lines(text, "user_events:cairn_tools: c=%d a=%d text=hello");
    text = output_of(CAIRN_PROGRAM " decode -f text /tmp/tools.data");
    check_lines(text, " cairn_tools: c=%d a=%d text=hello");
}

static void perf_records_a_provider_that_was_registered_before_the_program_ran(void **state)
{
    const char *text = output_of(
        CAIRN_PROGRAM
        " register -q -b kernel --provider Cairn_Tools warning 0x10 -- "
        "perf record -q -e user_events:Cairn_Tools_L3K10 -o /tmp/provider.data -- %s --provider"
        " && " CAIRN_PROGRAM " decode -f text /tmp/provider.data");

    (void)state;
    check_lines(
        text, " Cairn_Tools:Number: opposite=%d value=%d text=hello (level=warning keyword=0x10)");
}

/* The fields of such an event follow its header, which is all that ftrace and trace-cmd print. */
static void ftrace_and_trace_cmd_print_the_header_of_a_providers_event(void **state)
{
#define PROVIDER CAIRN_PROGRAM " register -q -b kernel --provider Cairn_Tools warning 0x10 -- "
    const char *text =
        output_of(PROVIDER "sh -c 'cd " TRACING "; echo >trace; "
                           "echo 1 >events/user_events/Cairn_Tools_L3K10/enable; %s --provider; "
                           "echo 0 >events/user_events/Cairn_Tools_L3K10/enable; cat trace'");

    (void)state;
    assert_non_null(strstr(text,
                           ": Cairn_Tools_L3K10: eventheader_flags=(7) version=(0) id=0x0 (0) "
                           "tag=0x0 (0) opcode=(0) level=(3)\n"));
    text = output_of(PROVIDER "trace-cmd record -q -e user_events:Cairn_Tools_L3K10 "
                              "-o /tmp/provider.dat %s --provider >/dev/null 2>&1"
                              " && trace-cmd report -i /tmp/provider.dat 2>/dev/null");
    assert_non_null(strstr(text, "eventheader_flags=7 version=0 id=0 tag=0 opcode=0 level=3\n"));
}

static void trace_cmd_records_the_fields(void **state)
{
    const char *text = output_of(
        REGISTER "trace-cmd record -q -e user_events:cairn_tools -o /tmp/tools.dat %s --tools"
                 " >/dev/null 2>&1 && trace-cmd report -i /tmp/tools.dat 2>/dev/null");

    (void)state;
    check_lines(text, "c=%d a=%d text=hello");
}

/* The kernel's own functions, which are always those of write, are left out. */
static void stacks_of_the_programs_functions_are_recorded(void **state)
{
    const char *text = output_of(REGISTER CAIRN_PROGRAM
                                 " record -q -k user_events:cairn_tools/stack/ -o /tmp/stacks.data"
                                 " -- %s --tools && perf script -i /tmp/stacks.data");
    int found = 0;

    (void)state;
    for (const char *at = text; (at = strstr(at, "cairn_tracepoint_write")); at++)
        found++;
    if (found < EVENTS || strstr(text, "do_syscall_64"))
        fail_msg("%d stacks with the program's function: %s", found, text);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(ftrace_prints_the_fields),
        cmocka_unit_test(perf_records_an_event_registered_before_the_program_ran),
        cmocka_unit_test(perf_records_a_provider_that_was_registered_before_the_program_ran),
        cmocka_unit_test(trace_cmd_records_the_fields),
        cmocka_unit_test(stacks_of_the_programs_functions_are_recorded),
        cmocka_unit_test(ftrace_and_trace_cmd_print_the_header_of_a_providers_event),
    };
    ssize_t length = readlink("/proc/self/exe", self, sizeof(self) - 1);

    if (length < 0)
        return 1;
    if (argc == 2 && !strncmp(argv[1], "--", 2))
        return be_traced(argv[1] + 2);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
