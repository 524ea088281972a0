/* SPDX-License-Identifier: MIT */
/*
 * Test of BPF programs for user events: a program attached to the event itself does not run, but in
 * two other places programs can read the event with all fields. docs/user_events.md explains how.
 */
#include "every_field.h"
#include "guest.h"

#include <string.h>
#include <unistd.h>

#define REGISTER CAIRN_PROGRAM " register -q -b kernel "

static void write_file(const char *path, const char *text)
{
    FILE *file = fopen(path, "we");

    assert_non_null(file);
    assert_true(fputs(text, file) >= 0);
    assert_int_equal(fclose(file), 0);
}

/* Checks that the lines are contained in this order. */
static void check_lines(const char *all, const char *const *lines, size_t count)
{
    const char *from = all;

    for (size_t i = 0; i < count; i++) {
        from = strstr(from, lines[i]);
        if (!from)
            fail_msg("missing: %s\nin: %s", lines[i], all);
    }
}

#define CHECK_LINES(all, lines) check_lines(all, lines, sizeof(lines) / sizeof(*(lines)))

/*
 * A BPF program can be attached to a user event, and that enables it: the program writes. But since
 * Linux 5.18 the kernel's user_events run no BPF programs ("tracing/user_events: Remove eBPF
 * interfaces"). This test fails on a kernel that runs them again. A program attached to the
 * kernel's own tracepoint runs.
 */
static void a_program_on_the_event_itself_enables_it_and_does_not_run(void **state)
{
    const char *text = every_field_output_of(
        REGISTER "'" EVERY_FIELD_COMMAND "' -- bpftrace -c '%s' -e '\n"
                 "#define u8 unsigned char\n#define s8 signed char\n"
                 "#define u16 unsigned short\n#define s16 short\n"
                 "#define u32 unsigned int\n#define s32 int\n"
                 "#define u64 unsigned long\n#define s64 long\n"
                 "#define __rel_loc\nstruct point { long a; };\n"
                 "tracepoint:user_events:cairn_every { @ours = count(); } "
                 "tracepoint:sched:sched_process_exec { @kernels = count(); }'");

    (void)state;
    assert_non_null(strstr(text, "all were written"));
    assert_non_null(strstr(text, "@kernels: 1\n"));
    assert_non_null(strstr(text, "@ours: 0\n"));
}

/* Each event for perf passes through this function of the kernel. */
static void a_program_on_perf_tp_event_reads_every_field_on_every_cpu(void **state)
{
    static const char script[] =
        "#include \"/tmp/every.h\"\n"
        "kprobe:perf_tp_event /(uint16)arg0 == cairn_every_id/ {\n"
        "  $e = (struct cairn_every_event *)arg2;\n"
        "  $t = (uint16 *)(arg2 + cairn_every_t_base + ($e->t & 0xffff));\n"
        "  printf(\"cpu=%d a=%d b=%d c=%d d=%d e=%u\\n\", cpu, $e->a, $e->b, $e->c, $e->d, "
        "$e->e);\n"
        "  printf(\"f=%d g=%llu h=%lld i=%d j=%u\\n\", $e->f, $e->g, $e->h, $e->i, $e->j);\n"
        "  printf(\"k=%d l=%u m=%d n=%c o=%s\\n\", $e->k, $e->l, $e->m, $e->n, $e->o);\n"
        "  printf(\"p=%d,%d,%d q=%d\\n\", $e->p[0], $e->p[1], $e->p[2], $e->q[0]);\n"
        "  printf(\"r=%s s=%s t=%d,%d\\n\", str(arg2 + cairn_every_r_base + ($e->r & 0xffff)),\n"
        "         str(arg2 + cairn_every_s_base + ($e->s & 0xffff)), *$t, *($t + 1));\n"
        "}\n";
    static const char *const lines[] = {
        "cpu=0 a=1 b=-128 c=2 d=-32768 e=3\nf=-2147483648 g=4 h=-9223372036854775808 i=-1 j=5\n"
        "k=-2 l=6 m=7 n=x o=fixed\np=8,9,10 q=11\nr=data s=rel t=13,65535\n",
        "cpu=0 a=255 b=127 c=65535 d=32767 e=4294967295\nf=2147483647 g=18446744073709551615 "
        "h=9223372036854775807 i=2147483647 j=4294967295\nk=32767 l=65535 m=255 n=~ o=FIXED\n"
        "p=254,255,0 q=255\nr=data s=rel t=13,65535\n",
        "cpu=1 a=1 b=-128 c=2 d=-32768 e=3\n",
        "cpu=1 a=255 b=127 c=65535 d=32767 e=4294967295\n",
    };

    (void)state;
    write_file("/tmp/every.bt", script);
    CHECK_LINES(every_field_output_of(
                    "cat >/tmp/twice.sh <<'END'\ntaskset -c 0 %s >/dev/null\ntaskset -c 1 %s "
                    ">/dev/null\nEND\n" REGISTER "--bpf /tmp/every.h '" EVERY_FIELD_COMMAND "' -- "
                    "bpftrace -c '/bin/sh /tmp/twice.sh' /tmp/every.bt 2>/tmp/every.err"),
                lines);
}

/* The event's system call is an alternative if the kernel has no kprobes, or refuses
 * perf_event_open. */
static void a_program_on_the_system_call_reads_the_fields(void **state)
{
    static const char script[] =
        "tracepoint:user_events:cairn_every { }\n"
        "tracepoint:raw_syscalls:sys_enter /args->id == 1 && args->args[2] > 44 && pid == cpid/ {\n"
        "  $record = uptr((uint32 *)args->args[1]);\n"
        "  $fields = uptr((int8 *)(args->args[1] + 4));\n"
        "  if (*$record == 1) {\n"
        "    printf(\"a=%d b=%d e=%u o=%s\\n\", *(uint8 *)$fields, *($fields + 1),\n"
        "           *(uint32 *)($fields + 6), str($fields + 44));\n"
        "  }\n"
        "}\n";
    static const char *const lines[] = {"a=1 b=-128 e=3 o=fixed\n",
                                        "a=255 b=127 e=4294967295 o=FIXED\n"};

    (void)state;
    write_file("/tmp/call.bt", script);
    CHECK_LINES(every_field_output_of(REGISTER "'" EVERY_FIELD_COMMAND "' -- bpftrace -c '%s' "
                                               "/tmp/call.bt 2>&1"),
                lines);
}

/* The libbpf example, if it was built. */
static void a_program_loaded_by_libbpf_reads_typed_tracepoints(void **state)
{
    static const char *const lines[] = {
        "table 1: soup, 285 g (kitchen)\n", "table 1: cake, 150 g (kitchen)\n",
        "table 1: soup, 285 g (kitchen)\n", "table 1: cake, 150 g (kitchen)\n",
        "table 2: soup, 285 g (kitchen)\n", "table 2: cake, 150 g (kitchen)\n",
    };

    (void)state;
    guest_go_to_build_directory();
    if (access("examples/bpf/dishes", X_OK) < 0) {
        print_message("skipped: no examples/bpf/dishes: libbpf or clang was missing\n");
        skip();
    }
    CHECK_LINES(every_field_output_of("examples/bpf/dishes sh -c 'taskset -c 0 examples/kitchen 1; "
                                      "taskset -c 1 examples/kitchen 2'"),
                lines);
}

int main(int argc, char **argv)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_on_the_event_itself_enables_it_and_does_not_run),
        cmocka_unit_test(a_program_on_perf_tp_event_reads_every_field_on_every_cpu),
        cmocka_unit_test(a_program_on_the_system_call_reads_the_fields),
        cmocka_unit_test(a_program_loaded_by_libbpf_reads_typed_tracepoints),
    };

    every_field_main(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
