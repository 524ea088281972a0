/* SPDX-License-Identifier: MIT */
/* cairn doctor: prints the findings of a diagnosis of this machine, and a fix for each problem. */
#include "cli/cli.h"

#include <cairn/inspect.h>
#include <cairn/mount.h>
#include <stdio.h>
#include <string.h>

static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};

static const char help[] =
    "Checks which backends can take events from programs of this user, and by which transport\n"
    "cairn run serves programs. For each problem it prints the cause and the command that\n"
    "fixes it.\n"
    "\n"
    "  -h, --help   print this\n"
    "\n"
    "Exit status: 0 if events can be recorded, 1 if no backend works, 2 if the command line\n"
    "is invalid.\n";

static void print_finding(const struct cairn_finding *finding)
{
    printf("[%s] %-12s %s\n", finding->severity == CAIRN_SEVERITY_FINE ? "ok" : "--",
           finding->subject, finding->text);
    if (finding->advice)
        printf("     %-12s fix it: %s\n", "", finding->advice);
}

/* By which transport cairn run serves programs here. */
static void print_transport(void)
{
    static const char *const advice[] = {
        [CAIRN_MOUNT_STEP_NAMESPACE] = "permit user namespaces (sysctl user.max_user_namespaces, "
                                       "kernel.unprivileged_userns_clone), or run it as root",
        [CAIRN_MOUNT_STEP_IDS] = "run it as root",
        [CAIRN_MOUNT_STEP_MOUNT] = "make /dev/fuse usable (modprobe fuse; in a container, --device "
                                   "/dev/fuse)",
        [CAIRN_MOUNT_STEP_SERVER] = NULL,
    };
    const struct cairn_mount_options options = {.size = sizeof(options),
                                                .directory = "/sys/kernel/tracing"};
    enum cairn_mount_step step;
    int error = cairn_mount_probe_unshare(&options, &step);
    struct cairn_finding finding = {
        .severity = error ? CAIRN_SEVERITY_PROBLEM : CAIRN_SEVERITY_FINE,
        .subject = "run",
        .text = "cairn run serves programs of any kind, by a mount",
        .advice = error ? advice[step] : NULL,
    };
    char text[256];

    if (error) {
        (void)snprintf(
            text, sizeof(text),
            "cairn run loads a library, which serves files by their paths to dynamically "
            "linked programs: nothing can be mounted: %s",
            strerror(error));
        finding.text = text;
    }
    print_finding(&finding);
}

static int diagnose(const struct cli_verb *verb)
{
    struct cairn_diagnosis *diagnosis;
    bool works;
    int error = cairn_diagnosis_create(&diagnosis);

    if (error) {
        cli_errno(verb, error, "cannot examine this machine");
        return CLI_FAILED;
    }
    for (uint32_t i = 0; i < cairn_diagnosis_finding_count(diagnosis); i++)
        print_finding(cairn_diagnosis_finding(diagnosis, i));
    print_transport();
    works = cairn_diagnosis_backends(diagnosis) != 0;
    cairn_diagnosis_destroy(diagnosis);
    if (works)
        return CLI_OK;
    cli_error(verb, "no backend works: programs run, and their events are not recorded");
    return CLI_FAILED;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1)
        return option == 'h' ? cli_print_help(verb) : cli_bad_option(verb, option, argv);
    if (optind < argc) {
        cli_error(verb, "unexpected argument: %s", argv[optind]);
        return CLI_USAGE;
    }
    return diagnose(verb);
}

const struct cli_verb cli_doctor = {
    .name = "doctor",
    .summary = "check this machine and print a fix for each problem",
    .usage = "doctor",
    .help = help,
    .run = run,
};
