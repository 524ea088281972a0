/* SPDX-License-Identifier: MIT */
/*
 * Test of lines of the kernel's own events, in interrupts and outside: perf provides their bytes
 * and ftrace their lines; from the bytes the core makes the same lines, with the same letters for
 * the state of interrupts: field by field, and by the TP_printk of tracepoints that this file
 * defines as the kernel does.
 */
#define CAIRN_KERNEL

#include "guest.h"

#include <cairn/record.h>
#include <cairn/typed_tracepoint.h>
#include <cairn/kernel/trace_line.h>

#include <errno.h>
#include <linux/perf_event.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#define PAGE_BYTES 4096u
#define RING_BYTES (256 * PAGE_BYTES)
#define LINES_MAX  8192u
#define CONTEXT_AT 25 /* offset of "[000]" in a line: the task's name may be unknown */

/* clang-format off */
#define SOFTIRQS                                                                        \
    {0, "HI"}, {1, "TIMER"}, {2, "NET_TX"}, {3, "NET_RX"}, {4, "BLOCK"}, {5, "IRQ_POLL"}, \
    {6, "TASKLET"}, {7, "SCHED"}, {8, "HRTIMER"}, {9, "RCU"}

CAIRN_TRACEPOINT(softirq, TP_SYSTEM(same),
    TP_PROTO(unsigned vec), TP_ARGS(vec),
    TP_STRUCT__entry(__field(unsigned, vec)),
    TP_fast_assign(__entry->vec = vec;),
    TP_printk("vec=%u [action=%s]", __entry->vec, __print_symbolic(__entry->vec, SOFTIRQS)));

CAIRN_TRACEPOINT(sched_switch, TP_SYSTEM(same),
    TP_PROTO(long state), TP_ARGS(state),
    TP_STRUCT__entry(
        __array(char, prev_comm, 16) __field(int, prev_pid) __field(int, prev_prio)
        __field(long, prev_state)
        __array(char, next_comm, 16) __field(int, next_pid) __field(int, next_prio)),
    TP_fast_assign(memset(__entry->prev_comm, 0, 16); __entry->prev_state = state;),
    TP_printk("prev_comm=%s prev_pid=%d prev_prio=%d prev_state=%s%s ==> "
              "next_comm=%s next_pid=%d next_prio=%d",
        __entry->prev_comm, __entry->prev_pid, __entry->prev_prio,
        __entry->prev_state & 0xff
            ? __print_flags(__entry->prev_state & 0xff, "|", {0x01, "S"}, {0x02, "D"}, {0x04, "T"},
                            {0x08, "t"}, {0x10, "X"}, {0x20, "Z"}, {0x40, "P"}, {0x80, "I"})
            : "R",
        __entry->prev_state & 0x100 ? "+" : "",
        __entry->next_comm, __entry->next_pid, __entry->next_prio));

CAIRN_TRACEPOINT(sched_stat_runtime, TP_SYSTEM(same),
    TP_PROTO(int pid, uint64_t runtime), TP_ARGS(pid, runtime),
    TP_STRUCT__entry(
        __array(char, comm, 16) __field(int, pid) __field(int, gap) __field(uint64_t, runtime)),
    TP_fast_assign(__entry->pid = pid; __entry->runtime = runtime;),
    TP_printk("comm=%s pid=%d runtime=%Lu [ns]", __entry->comm, __entry->pid,
        (unsigned long long)__entry->runtime));

CAIRN_TRACEPOINT(irq_handler_entry, TP_SYSTEM(same),
    TP_PROTO(int irq, const char *name), TP_ARGS(irq, name),
    TP_STRUCT__entry(__field(int, irq) __string(name, name)),
    TP_fast_assign(__entry->irq = irq; __assign_str(name);),
    TP_printk("irq=%d name=%s", __entry->irq, __get_str(name)));

CAIRN_TRACEPOINT(sched_process_exec, TP_SYSTEM(same),
    TP_PROTO(const char *filename, int pid), TP_ARGS(filename, pid),
    TP_STRUCT__entry(__string(filename, filename) __field(int, pid) __field(int, old_pid)),
    TP_fast_assign(__assign_str(filename); __entry->pid = __entry->old_pid = pid;),
    TP_printk("filename=%s pid=%d old_pid=%d", __get_str(filename), __entry->pid,
        __entry->old_pid));

CAIRN_TRACEPOINT(sys_enter, TP_SYSTEM(same),
    TP_PROTO(long id), TP_ARGS(id),
    TP_STRUCT__entry(__field(long, id) __array(unsigned long, args, 6)),
    TP_fast_assign(__entry->id = id;),
    TP_printk("NR %ld (%lx, %lx, %lx, %lx, %lx, %lx)", __entry->id, __entry->args[0],
        __entry->args[1], __entry->args[2], __entry->args[3], __entry->args[4],
        __entry->args[5]));

CAIRN_TRACEPOINT(signal_generate, TP_SYSTEM(same),
    TP_PROTO(int sig), TP_ARGS(sig),
    TP_STRUCT__entry(
        __field(int, sig) __field(int, error) __field(int, code) __array(char, comm, 16)
        __field(int, pid) __field(int, group) __field(int, result)),
    TP_fast_assign(__entry->sig = sig;),
    TP_printk("sig=%d errno=%d code=%d comm=%s pid=%d grp=%d res=%d", __entry->sig,
        __entry->error, __entry->code, __entry->comm, __entry->pid, __entry->group,
        __entry->result));
/* clang-format on */

struct event {
    const struct cairn_trace_event *same; /* the same event, defined in this file; NULL: not
                                           * defined */
    char *format;
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_schema schema;
};

struct perf {
    int fd;
    struct perf_event_mmap_page *page; /* the ring follows */
};

static struct event event;
static uint32_t lines_compared;

static void read_format(const char *name)
{
    char path[256];

    free(event.format);
    snprintf(path, sizeof(path), TRACING "/events/%s/format", name);
    event.format = strdup(guest_read(path));
    assert_non_null(event.format);
    assert_int_equal(cairn_schema_parse_format(event.format, strlen(event.format), sizeof(long),
                                               event.fields, CAIRN_FIELDS_MAX, &event.schema),
                     0);
}

/* The kernel leaves space for alignment, where the tracepoint here has one more field. */
static void check_layout(void)
{
    const struct cairn_schema *ours = &event.same->event_class->schema, *theirs = &event.schema;
    uint32_t at = 0;

    for (uint32_t i = theirs->common_count; i < theirs->field_count; i++, at++) {
        const struct cairn_field *field = &theirs->fields[i];

        while (at < ours->field_count && ours->fields[at].offset < field->offset)
            at++;
        assert_true(at < ours->field_count);
        assert_int_equal(ours->fields[at].offset, field->offset);
        assert_int_equal(ours->fields[at].size_bytes, field->size_bytes);
    }
    assert_int_equal(at, ours->field_count);
}

static struct perf open_perf(void)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_TRACEPOINT,
        .size = sizeof(attr),
        .config = event.schema.id,
        /* With the period there is one sample for each event, whatever its weight. */
        .sample_type = PERF_SAMPLE_PERIOD | PERF_SAMPLE_RAW,
        .sample_period = 1,
    };
    struct perf perf;

    perf.fd = (int)syscall(SYS_perf_event_open, &attr, -1, 0, -1, PERF_FLAG_FD_CLOEXEC);
    assert_true(perf.fd >= 0);
    perf.page = mmap(NULL, PAGE_BYTES + RING_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED, perf.fd, 0);
    assert_true(perf.page != MAP_FAILED);
    return perf;
}

static void close_perf(struct perf *perf)
{
    munmap(perf->page, PAGE_BYTES + RING_BYTES);
    close(perf->fd);
}

/* Copies bytes of the ring, which may continue at its beginning. */
static void copy_from(const struct perf *perf, uint64_t at, void *to, size_t size_bytes)
{
    const char *ring = (const char *)perf->page + PAGE_BYTES;

    for (size_t i = 0; i < size_bytes; i++)
        ((char *)to)[i] = ring[(at + i) % RING_BYTES];
}

static int find_event(void *data, uint16_t id, struct cairn_trace_format *ret_format)
{
    (void)data;
    if (id != event.schema.id)
        return ENOENT;
    *ret_format = (struct cairn_trace_format){.name = event.schema.name, .schema = &event.schema};
    if (event.same)
        ret_format->print = event.same->event_class->print;
    return 0;
}

/* The line of a raw part, without its time. */
static char *line_of(const uint8_t *raw, uint32_t raw_bytes)
{
    const struct cairn_trace_names names = {.event = find_event};
    static char record[65536], line[65536];
    struct cairn_text text = cairn_text(line, sizeof(line));
    uint32_t size = cairn_record_size(raw_bytes - CAIRN_COMMON_BYTES);
    struct cairn_record_head head = {.type = CAIRN_RECORD_SAMPLE, .size_bytes = (uint16_t)size};

    memset(record, 0, size);
    head.raw_size_bytes = size - (uint32_t)offsetof(struct cairn_record_head, common_type);
    memcpy(record, &head, sizeof(head));
    memcpy(record + offsetof(struct cairn_record_head, common_type), raw, raw_bytes);
    assert_int_equal(cairn_trace_line(&names, record, size, &text), 0);
    text.at[-1] = '\0';
    assert_int_equal(line[CONTEXT_AT], '[');
    memset(line + CONTEXT_AT + 11, ' ', 13);
    return strdup(line + CONTEXT_AT);
}

static uint32_t read_perf(const struct perf *perf, char **lines)
{
    uint64_t head = __atomic_load_n(&perf->page->data_head, __ATOMIC_ACQUIRE);
    uint32_t count = 0;

    for (uint64_t tail = 0; tail < head;) {
        static uint8_t raw[65536];
        const uint64_t raw_at = tail + sizeof(struct perf_event_header) + sizeof(uint64_t);
        struct perf_event_header header;
        uint32_t raw_bytes;

        copy_from(perf, tail, &header, sizeof(header));
        assert_int_equal(header.type, PERF_RECORD_SAMPLE);
        copy_from(perf, raw_at, &raw_bytes, sizeof(raw_bytes));
        copy_from(perf, raw_at + sizeof(raw_bytes), raw, raw_bytes);
        assert_true(count < LINES_MAX);
        lines[count++] = line_of(raw, raw_bytes);
        tail += header.size;
    }
    return count;
}

static uint32_t read_ftrace(char **lines)
{
    char *rest, *text = strdup(guest_read(TRACING "/per_cpu/cpu0/trace"));
    uint32_t count = 0;

    assert_non_null(text);
    for (char *line = strtok_r(text, "\n", &rest); line; line = strtok_r(NULL, "\n", &rest)) {
        if (*line == '#')
            continue;
        assert_int_equal(line[CONTEXT_AT], '[');
        memset(line + CONTEXT_AT + 11, ' ', 13);
        assert_true(count < LINES_MAX);
        lines[count++] = strdup(line + CONTEXT_AT);
    }
    free(text);
    return count;
}

/* Causes events: tasks, timers, programs, a signal. */
static void keep_busy(void)
{
    for (int i = 0; i < 4; i++) {
        pid_t child = fork();

        assert_true(child >= 0);
        if (!child) {
            execl("/bin/true", "true", (char *)NULL);
            _exit(1);
        }
        usleep(8000);
        assert_int_equal(waitpid(child, NULL, 0), child);
    }
}

static void record_both(const char *name, struct perf *perf)
{
    char path[256];

    snprintf(path, sizeof(path), TRACING "/events/%s/enable", name);
    guest_write(TRACING "/trace", "");
    guest_write(TRACING "/tracing_on", "0");
    guest_write(path, "1");
    *perf = open_perf();
    guest_write(TRACING "/tracing_on", "1");
    keep_busy();
    guest_write(TRACING "/tracing_on", "0");
    assert_int_equal(ioctl(perf->fd, PERF_EVENT_IOC_DISABLE, 0), 0);
    guest_write(path, "0");
}

static bool all_equal(char **a, char **b, uint32_t count)
{
    for (uint32_t i = 0; i < count; i++) {
        if (strcmp(a[i], b[i]) != 0)
            return false;
    }
    return true;
}

/* Checks that perf's lines contain all of ftrace's; perf has a few more before and after them. */
static bool has_all(char **of_perf, uint32_t perf_count, char **of_ftrace, uint32_t ftrace_count)
{
    for (uint32_t from = 0; from + ftrace_count <= perf_count; from++) {
        if (all_equal(of_perf + from, of_ftrace, ftrace_count))
            return true;
    }
    print_message("# %u lines of perf, %u of ftrace: \"%s\" and \"%s\"\n", perf_count, ftrace_count,
                  perf_count ? of_perf[perf_count / 2] : "",
                  ftrace_count ? of_ftrace[ftrace_count / 2] : "");
    return false;
}

static bool compare_event(const char *name, const struct cairn_trace_event *same_event)
{
    static char *of_perf[LINES_MAX], *of_ftrace[LINES_MAX];
    uint32_t perf_count, ftrace_count;
    struct perf perf;
    bool same;

    read_format(name);
    event.same = same_event;
    if (same_event)
        check_layout();
    record_both(name, &perf);
    perf_count = read_perf(&perf, of_perf);
    ftrace_count = read_ftrace(of_ftrace);
    close_perf(&perf);
    same = has_all(of_perf, perf_count, of_ftrace, ftrace_count);
    print_message("# %s: %u lines\n", name, ftrace_count);
    lines_compared += ftrace_count;
    while (perf_count)
        free(of_perf[--perf_count]);
    while (ftrace_count)
        free(of_ftrace[--ftrace_count]);
    return same;
}

/* Between the two an interrupt may set the need to reschedule: retried a few times. */
static void expect_equal_lines(const char *name, const struct cairn_trace_event *same)
{
    int tries = 0;

    while (!compare_event(name, same))
        assert_true(++tries < 3);
}

static void the_kernels_own_events_have_equal_lines_field_by_field(void **state)
{
    static const char *const names[] = {
        "sched/sched_switch",         "sched/sched_waking",
        "sched/sched_process_exec",   "sched/sched_process_fork",
        "irq/softirq_raise",          "irq/softirq_entry",
        "irq/softirq_exit",           "irq/irq_handler_entry",
        "timer/timer_start",          "timer/hrtimer_start",
        "timer/hrtimer_expire_entry", "timer/hrtimer_init",
        "raw_syscalls/sys_enter",     "raw_syscalls/sys_exit",
        "signal/signal_generate",     "workqueue/workqueue_queue_work",
        "task/task_newtask"};

    (void)state;
    lines_compared = 0;
    guest_write(TRACING "/options/fields", "1");
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++)
        expect_equal_lines(names[i], NULL);
    assert_true(lines_compared > 100);
}

static void the_kernels_own_events_have_equal_lines_by_tp_printk(void **state)
{
    (void)state;
    lines_compared = 0;
    expect_equal_lines("irq/softirq_raise", &cairn_event_softirq);
    expect_equal_lines("irq/softirq_entry", &cairn_event_softirq);
    expect_equal_lines("irq/softirq_exit", &cairn_event_softirq);
    expect_equal_lines("sched/sched_switch", &cairn_event_sched_switch);
    expect_equal_lines("sched/sched_stat_runtime", &cairn_event_sched_stat_runtime);
    expect_equal_lines("irq/irq_handler_entry", &cairn_event_irq_handler_entry);
    expect_equal_lines("sched/sched_process_exec", &cairn_event_sched_process_exec);
    expect_equal_lines("raw_syscalls/sys_enter", &cairn_event_sys_enter);
    expect_equal_lines("signal/signal_generate", &cairn_event_signal_generate);
    assert_true(lines_compared > 100);
}

static int leave_as_it_was(void **state)
{
    (void)state;
    guest_write(TRACING "/options/fields", "0");
    guest_write(TRACING "/trace", "");
    guest_write(TRACING "/tracing_on", "1");
    free(event.format);
    event.format = NULL;
    return 0;
}

/* Children inherit the CPU affinity: their events are on the CPU that the test reads. */
static int stay_on_one_cpu(void **state)
{
    cpu_set_t one;

    (void)state;
    CPU_ZERO(&one);
    CPU_SET(0, &one);
    return sched_setaffinity(0, sizeof(one), &one);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(the_kernels_own_events_have_equal_lines_field_by_field,
                                  leave_as_it_was),
        cmocka_unit_test_teardown(the_kernels_own_events_have_equal_lines_by_tp_printk,
                                  leave_as_it_was),
    };

    return cmocka_run_group_tests(tests, stay_on_one_cpu, NULL);
}
