/* SPDX-License-Identifier: MIT */
/*
 * The kernel's own events, in interrupts and out of them: perf gives their bytes, ftrace their
 * lines field by field, and the core makes the same lines of the bytes, with the same letters for
 * the state of interrupts.
 */
#include "guest.h"

#include <cairn/record.h>
#include <cairn/trace_line.h>

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
#define CONTEXT_AT 25 /* where "[000]" begins in a line: the task's name may be unknown */

struct event {
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

static struct perf open_perf(void)
{
    struct perf_event_attr attr = {
        .type = PERF_TYPE_TRACEPOINT,
        .size = sizeof(attr),
        .config = event.schema.id,
        .sample_type = PERF_SAMPLE_RAW,
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

/* Bytes of the ring, which may go on at its beginning. */
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
        struct perf_event_header header;
        static uint8_t raw[65536];
        uint32_t raw_bytes;

        copy_from(perf, tail, &header, sizeof(header));
        assert_int_equal(header.type, PERF_RECORD_SAMPLE);
        copy_from(perf, tail + sizeof(header), &raw_bytes, sizeof(raw_bytes));
        copy_from(perf, tail + sizeof(header) + sizeof(raw_bytes), raw, raw_bytes);
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

/* Something for the events to happen: tasks, timers, programs, a signal. */
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

/* What ftrace has seen perf has, too, and a little before and behind it. */
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

static bool compare_event(const char *name)
{
    static char *of_perf[LINES_MAX], *of_ftrace[LINES_MAX];
    uint32_t perf_count, ftrace_count;
    struct perf perf;
    bool same;

    read_format(name);
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

static void the_kernels_own_events_have_equal_lines(void **state)
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
    guest_write(TRACING "/options/fields", "1");
    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        int tries = 0;

        /* Between the two an interrupt may find that the task is to be rescheduled. */
        while (!compare_event(names[i]))
            assert_true(++tries < 3);
    }
    guest_write(TRACING "/options/fields", "0");
    guest_write(TRACING "/trace", "");
    guest_write(TRACING "/tracing_on", "1");
    assert_true(lines_compared > 100);
}

/* The children inherit it: what they do happens on the CPU that is looked at. */
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
        cmocka_unit_test(the_kernels_own_events_have_equal_lines),
    };

    return cmocka_run_group_tests(tests, stay_on_one_cpu, NULL);
}
