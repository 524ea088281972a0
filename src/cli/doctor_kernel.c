/* SPDX-License-Identifier: MIT */
/* cairn doctor on the kernel: whether it has user_events that this user may use. */
#include "cli/doctor.h"
#include "user_events/kernel.h"

#include <limits.h>
#include <stdio.h>
#include <string.h>

static void print_access_remedy(const char *folder)
{
    char text[4 * PATH_MAX + 256];
    char user[CLI_DOCTOR_NAME_SIZE];

    (void)snprintf(text, sizeof(text),
                   "as root: groupadd -rf tracers; chgrp tracers %s %s/user_events_data && chmod "
                   "g+x %s && chmod g+w %s/user_events_data; usermod -a -G tracers %s; then log in "
                   "again",
                   folder, folder, folder, folder, cli_doctor_name_of_user(user));
    cli_doctor_print_remedy(text);
}

static void explain_kernel(const struct cairn_kernel_probe *probe)
{
    char text[PATH_MAX + 128];

    switch (probe->reason) {
    case CAIRN_KERNEL_USABLE:
        (void)snprintf(text, sizeof(text), "user_events in %s", probe->directory);
        cli_doctor_print_good("kernel", text);
        break;
    case CAIRN_KERNEL_NO_TRACEFS:
        cli_doctor_print_bad("kernel", "this kernel was built without tracing");
        cli_doctor_print_remedy("none needed: the local engine takes the events");
        break;
    case CAIRN_KERNEL_NOT_MOUNTED:
        cli_doctor_print_bad("kernel", "tracefs is not mounted");
        cli_doctor_print_remedy("as root: mount -t tracefs tracefs /sys/kernel/tracing");
        break;
    case CAIRN_KERNEL_NO_USER_EVENTS:
        cli_doctor_print_bad("kernel", "this kernel has no user_events");
        cli_doctor_print_remedy("a kernel of 6.4 or later built with CONFIG_USER_EVENTS=y");
        break;
    case CAIRN_KERNEL_NO_ACCESS:
    case CAIRN_KERNEL_NOT_WRITABLE:
        (void)snprintf(text, sizeof(text), "%s/user_events_data is not open to you",
                       probe->directory);
        cli_doctor_print_bad("kernel", text);
        print_access_remedy(probe->directory);
        break;
    case CAIRN_KERNEL_OTHER_INTERFACE:
        cli_doctor_print_bad("kernel",
                             "its user_events speaks another interface than this program");
        cli_doctor_print_remedy(
            "a kernel of 6.4 or later, and a program of the kernel's word size");
        break;
    case CAIRN_KERNEL_FAILED:
        (void)snprintf(text, sizeof(text), "%s: %s", probe->directory, strerror(probe->error));
        cli_doctor_print_bad("kernel", text);
        break;
    }
}

bool cli_doctor_examine_kernel(void)
{
    struct cairn_kernel_probe probe;
    int error = cairn_kernel_probe(&probe);

    if (error) {
        cli_doctor_print_bad("kernel", strerror(error));
        return false;
    }
    explain_kernel(&probe);
    return probe.reason == CAIRN_KERNEL_USABLE;
}
