/* SPDX-License-Identifier: MIT */
/*
 * BPF programs of every kind that could listen to a user event, and to what the kernel makes of
 * one: which may be attached, and that none of them is run. Should a kernel come to run one, docs
 * and recipes can become simpler.
 */
#include "guest.h"

#include <cairn/user_events.h>
#include <errno.h>
#include <linux/bpf.h>
#include <linux/perf_event.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <unistd.h>

#define EVENTS TRACING "/events"

static struct cairn_tracepoint tp = CAIRN_TRACEPOINT_INIT;

static int bpf(enum bpf_cmd command, union bpf_attr *attr)
{
    return (int)syscall(SYS_bpf, command, attr, sizeof(*attr));
}

/* A program that does nothing: r0 = 0; exit. */
static int load(enum bpf_prog_type type)
{
    static const struct bpf_insn instructions[] = {
        {.code = BPF_ALU64 | BPF_MOV | BPF_K},
        {.code = BPF_JMP | BPF_EXIT},
    };
    union bpf_attr attr = {
        .prog_type = type,
        .insn_cnt = sizeof(instructions) / sizeof(*instructions),
        .insns = (uintptr_t)instructions,
        .license = (uintptr_t) "GPL",
    };
    int fd = bpf(BPF_PROG_LOAD, &attr);

    assert_true(fd >= 0);
    return fd;
}

/* How often it was run; the kernel counts that if asked to. */
static uint64_t runs_of(int program)
{
    struct bpf_prog_info info = {0};
    union bpf_attr attr = {
        .info = {.bpf_fd = (uint32_t)program, .info_len = sizeof(info), .info = (uintptr_t)&info}};

    assert_int_equal(bpf(BPF_OBJ_GET_INFO_BY_FD, &attr), 0);
    return info.run_cnt;
}

/* perf's descriptor of an event, for this process; or -1. */
static int open_event(const char *path)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_TRACEPOINT, .size = sizeof(attr), .sample_period = 1};
    char file[256];

    (void)snprintf(file, sizeof(file), EVENTS "/%s/id", path);
    attr.config = strtoul(guest_read(file), NULL, 10);
    return (int)syscall(SYS_perf_event_open, &attr, 0, -1, -1, PERF_FLAG_FD_CLOEXEC);
}

static void write_event(void)
{
    uint32_t number = 7;
    struct iovec part = {&number, sizeof(number)};

    assert_int_equal(cairn_tracepoint_write(&tp, &part, 1), 0);
}

/* ftrace listens, so that there is a write to see. */
static int set_up(void **state)
{
    (void)state;
    guest_write("/proc/sys/kernel/bpf_stats_enabled", "1");
    if (setenv("CAIRN_BACKEND", "kernel", 1) ||
        cairn_tracepoint_register(&tp, "cairn_bpf_kinds u32 a"))
        return -1;
    guest_enable("cairn_bpf_kinds", true);
    return 0;
}

static int tear_down(void **state)
{
    (void)state;
    guest_enable("cairn_bpf_kinds", false);
    return cairn_tracepoint_unregister(&tp);
}

/* What attaching says. How often the program is run then goes to *ret_runs. */
static int attach(const char *event, enum bpf_prog_type type, uint64_t *ret_runs)
{
    int fd = open_event(event);
    int program = load(type);
    int error;

    assert_true(fd >= 0);
    error = ioctl(fd, PERF_EVENT_IOC_SET_BPF, program) < 0 ? errno : 0;
    write_event();
    *ret_runs = runs_of(program);
    close(fd);
    close(program);
    return error;
}

static void a_program_for_tracepoints_is_taken_and_not_run(void **state)
{
    uint64_t runs;

    (void)state;
    assert_int_equal(attach("user_events/cairn_bpf_kinds", BPF_PROG_TYPE_TRACEPOINT, &runs), 0);
    assert_int_equal(runs, 0);
    /* That of the system call with which the event is written is run. */
    assert_int_equal(attach("raw_syscalls/sys_enter", BPF_PROG_TYPE_TRACEPOINT, &runs), 0);
    assert_true(runs > 0);
}

static void programs_of_other_types_are_refused(void **state)
{
    uint64_t runs;

    (void)state;
    assert_int_equal(attach("user_events/cairn_bpf_kinds", BPF_PROG_TYPE_PERF_EVENT, &runs),
                     EINVAL);
    assert_int_equal(attach("user_events/cairn_bpf_kinds", BPF_PROG_TYPE_KPROBE, &runs), EINVAL);
}

static void there_is_no_raw_tracepoint_of_its_name(void **state)
{
    union bpf_attr attr = {.raw_tracepoint = {.name = (uintptr_t) "cairn_bpf_kinds"}};
    union bpf_attr known = {.raw_tracepoint = {.name = (uintptr_t) "sys_enter"}};
    int program = load(BPF_PROG_TYPE_RAW_TRACEPOINT);
    int fd;

    (void)state;
    attr.raw_tracepoint.prog_fd = known.raw_tracepoint.prog_fd = (uint32_t)program;
    assert_int_equal(bpf(BPF_RAW_TRACEPOINT_OPEN, &attr), -1);
    assert_int_equal(errno, ENOENT);
    fd = bpf(BPF_RAW_TRACEPOINT_OPEN, &known);
    assert_true(fd >= 0);
    close(fd);
    close(program);
}

static void an_event_probe_of_it_takes_no_program(void **state)
{
    uint64_t runs;

    (void)state;
    guest_run("echo 'e:cairn_bpf_probe user_events/cairn_bpf_kinds a=$a:u32' >>" TRACING
              "/dynamic_events");
    assert_int_equal(attach("eprobes/cairn_bpf_probe", BPF_PROG_TYPE_TRACEPOINT, &runs), EINVAL);
    assert_int_equal(attach("eprobes/cairn_bpf_probe", BPF_PROG_TYPE_KPROBE, &runs), EINVAL);
    guest_run("echo '-:eprobes/cairn_bpf_probe' >>" TRACING "/dynamic_events");
}

static void perf_knows_no_synthetic_event(void **state)
{
    (void)state;
    guest_run("echo 'cairn_bpf_made u32 a' >>" TRACING "/synthetic_events");
    assert_int_equal(open_event("synthetic/cairn_bpf_made"), -1);
    assert_int_equal(errno, ENODEV);
    guest_run("echo '!cairn_bpf_made' >>" TRACING "/synthetic_events");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_program_for_tracepoints_is_taken_and_not_run),
        cmocka_unit_test(programs_of_other_types_are_refused),
        cmocka_unit_test(there_is_no_raw_tracepoint_of_its_name),
        cmocka_unit_test(an_event_probe_of_it_takes_no_program),
        cmocka_unit_test(perf_knows_no_synthetic_event),
    };

    return cmocka_run_group_tests(tests, set_up, tear_down);
}
