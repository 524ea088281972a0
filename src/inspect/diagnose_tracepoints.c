/* SPDX-License-Identifier: MIT */
/* Diagnosis of the kernel's tracepoints: whether this user may record them. */
#include "inspect/diagnosis.h"
#include "perf_events/perf_events.h"

#include <errno.h>
#include <string.h>

#define SUBJECT "record -k"

static void advise(struct cairn_diagnosis *diagnosis, int error)
{
    if (error == EACCES || error == EPERM)
        inspect_advise(diagnosis, "run cairn record as root; or as root: sysctl "
                                  "kernel.perf_event_paranoid=-1; mount -o remount,mode=755 "
                                  "/sys/kernel/tracing");
    else if (error == ENODEV || error == ENOSYS)
        inspect_advise(diagnosis, "use a kernel that was built with CONFIG_PERF_EVENTS and "
                                  "CONFIG_FTRACE; events of programs need neither");
}

void inspect_diagnose_tracepoints(struct cairn_diagnosis *diagnosis)
{
    static const char *const patterns[] = {"sched:sched_switch"};
    const struct perf_events_options options = {
        .patterns = patterns, .pattern_count = 1, .ring_bytes = 64u << 10};
    struct perf_events_problem problem;
    struct perf_events *events;
    int error = perf_events_open(&options, &problem, &events);

    if (!error) {
        perf_events_close(events);
        inspect_fine(diagnosis, SUBJECT, "the kernel's tracepoints can be recorded");
        return;
    }
    inspect_problem(diagnosis, SUBJECT, "the kernel's tracepoints cannot be recorded: %s",
                    problem.text[0] ? problem.text : strerror(error));
    advise(diagnosis, error);
}
