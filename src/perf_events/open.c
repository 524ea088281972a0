/* SPDX-License-Identifier: MIT */
/* Opens perf events, on each CPU and for each thread, and starts and stops them. */
#include "perf_events/internal.h"

#include "os/clock.h"
#include "perf_data/disk.h"

#include <cairn/record.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#define FORMAT_LOST 16u /* PERF_FORMAT_LOST, since Linux 6.0 */

/* Registers of programs that DWARF unwinding needs, as perf chooses them. */
#if defined(__x86_64__)
#define USER_REGISTERS UINT64_C(0xff0fff) /* all but the segments of data */
#elif defined(__aarch64__)
#define USER_REGISTERS UINT64_C(0x1ffffffff)
#else
#define USER_REGISTERS UINT64_C(0)
#endif

/* The systems of events of programs, in the kernel: also user_events_multi. */
#define USER_EVENTS "user_events"

/* ---- attrs ---- */

static void add_stacks(const struct perf_events *events, const struct perf_events_event *event,
                       struct perf_event_attr *attr)
{
    const char *system = event->tracepoint.system;

    attr->sample_type |= PERF_SAMPLE_CALLCHAIN;
    /* Programs write these: the kernel's part is always that of write. */
    attr->exclude_callchain_kernel =
        system && !strncmp(system, USER_EVENTS, sizeof(USER_EVENTS) - 1);
    if (!events->stack_bytes)
        return;
    attr->sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
    attr->sample_regs_user = USER_REGISTERS;
    attr->sample_stack_user = events->stack_bytes;
    attr->exclude_callchain_user = 1;
}

/* A tracepoint that follows some threads happens when they leave a CPU. That they continue is in
 * records of switches, which are the dummy's. */
static bool wants_switches(const struct perf_events *events)
{
    for (size_t n = 0; n < events->pattern_count; n++) {
        if (perf_events_is_of_switches(events->patterns[n]))
            return true;
    }
    for (uint32_t n = 1; events->target != PERF_EVENTS_ALL && n < events->event_count; n++) {
        const struct perf_events_tracepoint *t = &events->events[n]->tracepoint;

        if (!strcmp(t->system, "sched") && !strcmp(t->name, "sched_switch"))
            return true;
    }
    return false;
}

static struct perf_event_attr attr_of(const struct perf_events *events,
                                      const struct perf_events_event *event)
{
    bool is_dummy = !event->tracepoint.name;
    struct perf_event_attr attr = {
        .type = is_dummy ? PERF_TYPE_SOFTWARE : PERF_TYPE_TRACEPOINT,
        .size = sizeof(attr),
        .config = is_dummy ? PERF_DATA_SW_DUMMY : event->tracepoint.id,
        .sample_period = 1,
        .sample_type = CAIRN_RECORD_SAMPLE_TYPE,
        .read_format = events->counts_losses ? FORMAT_LOST : 0,
        .disabled = 1,
        .inherit = events->target != PERF_EVENTS_ALL,
        .enable_on_exec = events->target == PERF_EVENTS_CHILDREN,
        .comm = is_dummy,
        .comm_exec = is_dummy,
        .task = is_dummy,
        .context_switch = is_dummy && wants_switches(events),
        .sample_id_all = 1,
        .watermark = 1,
        .use_clockid = 1,
        .clockid = CLOCK_MONOTONIC,
        .wakeup_watermark = (uint32_t)(events->ring_bytes / 2),
    };

    if (events->with_maps && is_dummy) {
        attr.mmap = 1;
        attr.mmap2 = 1;
        attr.build_id = events->has_build_ids;
        attr.mmap_data = events->stack_bytes != 0; /* there are the tables for unwinding */
    }
    /* Mappings alone are permitted to users who may not see the kernel. */
    attr.exclude_kernel = is_dummy && events->event_count == 1;
    if (!is_dummy && (events->with_stacks || event->has_stacks))
        add_stacks(events, event, &attr);
    return attr;
}

static int open_event(const struct perf_events *events, struct perf_event_attr *attr, int32_t tid,
                      uint32_t cpu, int *ret_fd)
{
    (void)events;
    *ret_fd = (int)syscall(SYS_perf_event_open, attr, tid, (int)cpu, -1, PERF_FLAG_FD_CLOEXEC);
    return *ret_fd < 0 ? errno : 0;
}

/* ---- problems ---- */

static int paranoid_level(void)
{
    FILE *file = fopen("/proc/sys/kernel/perf_event_paranoid", "re");
    int level = 0;

    if (file && fscanf(file, "%d", &level) != 1)
        level = 0;
    if (file)
        fclose(file);
    return level;
}

/* Explains why an event cannot be opened. */
static int explain(const struct perf_events *events, const struct perf_events_event *event, int err,
                   struct perf_events_problem *problem)
{
    const struct perf_events_tracepoint *t = &event->tracepoint;

    switch (err) {
    case EACCES:
    case EPERM:
        return perf_events_fail(problem, err,
                                "not permitted (kernel.perf_event_paranoid is %d): run as root, or "
                                "let root run: sysctl kernel.perf_event_paranoid=-1",
                                paranoid_level());
    case ENOSYS:
        return perf_events_fail(problem, err, "this kernel has no perf events");
    case ESRCH:
        return perf_events_fail(problem, err, "the process has ended");
    case EMFILE:
    case ENFILE:
        return perf_events_fail(problem, err,
                                "more than %" PRIu32 " descriptors are needed, one for each event "
                                "and CPU%s: raise ulimit -n, or choose fewer events",
                                events->opened_count,
                                events->target == PERF_EVENTS_PROCESSES ? " and thread" : "");
    case ENODEV:
        return perf_events_fail(problem, err, "no CPU is online");
    default:
        return perf_events_fail(problem, err, "%s:%s: %s", t->name ? t->system : "software",
                                t->name ? t->name : "dummy", strerror(err));
    }
}

/* ---- opening ---- */

static int add_id(struct perf_events_event *event, int fd)
{
    uint64_t *ids = event->ids;

    if (!(event->id_count & (event->id_count + 1)))
        ids = realloc(ids, 2 * ((size_t)event->id_count + 1) * sizeof(*ids));
    if (!ids)
        return ENOMEM;
    event->ids = ids;
    if (ioctl(fd, PERF_EVENT_IOC_ID, &ids[event->id_count]))
        return errno;
    event->id_count++;
    return 0;
}

static int add_opened(struct perf_events *events, uint32_t index, int fd)
{
    if (events->opened_count == events->opened_capacity) {
        uint32_t capacity = events->opened_capacity ? 2 * events->opened_capacity : 64;
        void *bigger = realloc(events->opened, capacity * sizeof(*events->opened));

        if (!bigger)
            return ENOMEM;
        events->opened = bigger;
        events->opened_capacity = capacity;
    }
    events->opened[events->opened_count++] = (struct perf_events_opened){.fd = fd, .event = index};
    return 0;
}

/* The records of an event go to the ring of its CPU, which the first event has. */
static int connect_ring(struct perf_events *events, int fd, uint32_t cpu,
                        struct perf_events_problem *problem)
{
    struct perf_events_ring *last =
        events->ring_count ? &events->rings[events->ring_count - 1] : NULL;
    int err;

    if (last && last->cpu == cpu)
        return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, last->fd) ? errno : 0;
    err = perf_events_ring_map(fd, cpu, events->ring_bytes, &events->rings[events->ring_count]);
    if (!err)
        events->ring_count++;
    else
        (void)perf_events_fail(problem, err,
                               "a ring for CPU %" PRIu32
                               " cannot be mapped: %s (raise ulimit -l or "
                               "kernel.perf_event_mlock_kb, or use a smaller --kernel-buffer)",
                               cpu, strerror(err));
    return err;
}

/* A filter that the kernel refuses selects nothing of this tracepoint. */
static int set_filter(struct perf_events_event *event, int fd)
{
    if (!event->filter || event->filter_problem)
        return 0;
    if (!ioctl(fd, PERF_EVENT_IOC_SET_FILTER, event->filter))
        return 0;
    if (errno == ENOMEM)
        return ENOMEM;
    event->filter_problem = strdup(strerror(errno));
    return event->filter_problem ? 0 : ENOMEM;
}

static int open_one(struct perf_events *events, uint32_t index, int32_t tid, uint32_t cpu,
                    struct perf_events_problem *problem)
{
    struct perf_events_event *event = events->events[index];
    int fd;
    int err = open_event(events, &event->attr, tid, cpu, &fd);

    if (err)
        return err;
    err = add_opened(events, index, fd);
    if (err) {
        close(fd);
        return err;
    }
    err = connect_ring(events, fd, cpu, problem);
    err = err ? err : add_id(event, fd);
    return err ? err : set_filter(event, fd);
}

/* A thread may end, and a CPU go offline, before its events are opened. */
static bool is_gone(const struct perf_events *events, int err)
{
    return err == ENODEV || (err == ESRCH && events->target == PERF_EVENTS_PROCESSES);
}

/*
 * The kernel refuses a few tracepoints to everybody, such as those of the work by which it wakes
 * us: a pattern with wildcards goes without them.
 */
static bool leave_out(struct perf_events *events, uint32_t index, int err)
{
    struct perf_events_event *event = events->events[index];

    if ((err != EPERM && err != EACCES && err != EINVAL) || !index || event->id_count ||
        perf_events_is_plain(event->pattern) || events->event_count == 2)
        return false;
    perf_events_event_free(event);
    events->event_count--;
    memmove(&events->events[index], &events->events[index + 1],
            (events->event_count - index) * sizeof(*events->events));
    return true;
}

static int open_thread(struct perf_events *events, int32_t tid, uint32_t cpu,
                       struct perf_events_problem *problem)
{
    for (uint32_t n = 0; n < events->event_count; n++) {
        int err = open_one(events, n, tid, cpu, problem);

        if (is_gone(events, err))
            return 0;
        if (err && leave_out(events, n, err)) {
            n--;
            continue;
        }
        if (err)
            return problem->text[0] ? err : explain(events, events->events[n], err, problem);
    }
    return 0;
}

/* The first event shows what this kernel can do. */
static void probe(struct perf_events *events, int32_t tid, uint32_t cpu)
{
    int fd;

    for (int tries = 2; tries--;) {
        events->counts_losses = events->has_build_ids = tries == 1;
        events->events[0]->attr = attr_of(events, events->events[0]);
        if (!open_event(events, &events->events[0]->attr, tid, cpu, &fd)) {
            close(fd);
            return;
        }
    }
}

int perf_events_open_all(struct perf_events *events, struct perf_events_problem *problem)
{
    size_t cpus = perf_events_count_of(&events->cpus);
    size_t threads = perf_events_count_of(&events->tids);
    int err = 0;

    if (!cpus || !threads)
        return explain(events, events->events[0], threads ? ENODEV : ESRCH, problem);
    events->rings = calloc(cpus, sizeof(*events->rings));
    if (!events->rings)
        return ENOMEM;
    probe(events, (int32_t)perf_events_number(&events->tids, 0),
          perf_events_number(&events->cpus, 0));
    for (uint32_t n = 0; n < events->event_count; n++)
        events->events[n]->attr = attr_of(events, events->events[n]);
    for (size_t cpu = 0; cpu < cpus && !err; cpu++) {
        for (size_t n = 0; n < threads && !err; n++)
            err = open_thread(events, (int32_t)perf_events_number(&events->tids, n),
                              perf_events_number(&events->cpus, cpu), problem);
    }
    if (!err && !events->ring_count)
        err = explain(events, events->events[0],
                      events->target == PERF_EVENTS_PROCESSES ? ESRCH : ENODEV, problem);
    return err;
}

int perf_events_open_nothing(struct perf_events *events)
{
    struct perf_events_event *dummy = events->events[0];

    for (uint32_t n = 0; n < events->ring_count; n++)
        perf_events_ring_unmap(&events->rings[n]);
    for (uint32_t n = 0; n < events->opened_count; n++)
        close(events->opened[n].fd);
    events->ring_count = events->opened_count = 0;
    free(dummy->ids);
    dummy->id_count = 0;
    dummy->ids = calloc(1, sizeof(*dummy->ids));
    if (!dummy->ids)
        return ENOMEM;
    *dummy->ids = dummy->id_count = 1;
    dummy->attr = attr_of(events, dummy);
    return 0;
}

/* ---- states ---- */

static void enable(struct perf_events *events, bool is_dummy)
{
    if (events->target == PERF_EVENTS_CHILDREN)
        return; /* their exec does it */
    for (uint32_t n = 0; n < events->opened_count; n++) {
        uint32_t event = events->opened[n].event;

        if ((event == 0) == is_dummy && !events->events[event]->filter_problem)
            (void)ioctl(events->opened[n].fd, PERF_EVENT_IOC_ENABLE, 0);
    }
}

void perf_events_enable_dummy(struct perf_events *events)
{
    events->begun_ns = os_clock_ns();
    enable(events, true);
}

void perf_events_enable(struct perf_events *events)
{
    enable(events, false);
}

/* The value of an event, and how many records the kernel dropped. */
static void read_counts(struct perf_events *events, const struct perf_events_opened *opened)
{
    uint64_t values[2] = {0};

    if (read(opened->fd, values, sizeof(values)) < (ssize_t)sizeof(*values))
        return;
    events->events[opened->event]->events += values[0];
    events->lost += values[1];
}

void perf_events_disable(struct perf_events *events)
{
    for (uint32_t n = 0; n < events->opened_count; n++)
        (void)ioctl(events->opened[n].fd, PERF_EVENT_IOC_DISABLE, 0);
    for (uint32_t n = 0; n < events->opened_count; n++)
        read_counts(events, &events->opened[n]);
}
