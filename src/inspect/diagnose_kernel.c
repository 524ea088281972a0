/* SPDX-License-Identifier: MIT */
/* Diagnosis of the kernel: whether it has user_events that this user may use. */
#include "inspect/diagnosis.h"
#include "user_events/kernel.h"

#include <string.h>

static void advise_access(struct cairn_diagnosis *diagnosis, const char *directory)
{
    char user[INSPECT_NAME_BYTES];

    inspect_advise(diagnosis,
                   "as root: groupadd -rf tracers; chgrp tracers %s %s/user_events_data && chmod "
                   "g+x %s && chmod g+w %s/user_events_data; usermod -a -G tracers %s; then log in "
                   "again",
                   directory, directory, directory, directory, inspect_user_name(user));
}

static void explain_kernel(struct cairn_diagnosis *diagnosis,
                           const struct user_events_kernel_probe *probe)
{
    switch (probe->reason) {
    case USER_EVENTS_KERNEL_USABLE:
        inspect_fine(diagnosis, "kernel", "user_events in %s", probe->directory);
        break;
    case USER_EVENTS_KERNEL_NO_TRACEFS:
        inspect_problem(diagnosis, "kernel", "this kernel was built without tracing");
        inspect_advise(diagnosis, "none needed: the local engine takes the events");
        break;
    case USER_EVENTS_KERNEL_NOT_MOUNTED:
        inspect_problem(diagnosis, "kernel", "tracefs is not mounted");
        inspect_advise(diagnosis, "as root: mount -t tracefs tracefs /sys/kernel/tracing");
        break;
    case USER_EVENTS_KERNEL_NO_USER_EVENTS:
        inspect_problem(diagnosis, "kernel", "this kernel has no user_events");
        inspect_advise(diagnosis, "use Linux 6.4 or later, built with CONFIG_USER_EVENTS=y");
        break;
    case USER_EVENTS_KERNEL_NO_ACCESS:
    case USER_EVENTS_KERNEL_NOT_WRITABLE:
        inspect_problem(diagnosis, "kernel", "%s/user_events_data is not accessible to you",
                        probe->directory);
        advise_access(diagnosis, probe->directory);
        break;
    case USER_EVENTS_KERNEL_OTHER_INTERFACE:
        inspect_problem(diagnosis, "kernel",
                        "the interface of its user_events is not the one this program uses");
        inspect_advise(diagnosis,
                       "use Linux 6.4 or later, and a program with the kernel's word size");
        break;
    case USER_EVENTS_KERNEL_FAILED:
        inspect_problem(diagnosis, "kernel", "%s: %s", probe->directory, strerror(probe->error));
        break;
    }
}

bool inspect_diagnose_kernel(struct cairn_diagnosis *diagnosis)
{
    struct user_events_kernel_probe probe;
    int error = user_events_kernel_probe(&probe);

    if (error) {
        inspect_problem(diagnosis, "kernel", "%s", strerror(error));
        return false;
    }
    explain_kernel(diagnosis, &probe);
    return probe.reason == USER_EVENTS_KERNEL_USABLE;
}
