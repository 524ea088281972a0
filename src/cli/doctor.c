/* SPDX-License-Identifier: MIT */
/* cairn doctor: checks this machine, and prints the cause and a fix for each problem. */
#include "cli/doctor.h"
#include "user_events/backend.h"

#include <stdio.h>
#include <stdlib.h>

static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};

static const char help[] =
    "Checks which backends can take events from programs of this user. For each problem it\n"
    "prints the cause and the command that fixes it.\n"
    "\n"
    "  -h, --help   print this\n"
    "\n"
    "Exit status: 0 if events can be recorded, 1 if no backend works, 2 if the command line\n"
    "is invalid.\n";

static void examine_choice(struct cairn_backends chosen, bool works)
{
    const char *value = secure_getenv("CAIRN_BACKEND");
    char text[96];

    (void)snprintf(text, sizeof(text), "CAIRN_BACKEND=%.40s%s", value ? value : "auto",
                   value && *value ? "" : " (the default)");
    if (chosen.unknown) {
        cli_doctor_print_bad("choice", text);
        cli_doctor_print_remedy("set it to auto (used now), kernel, local, both or none");
    } else if (!works && !(chosen.local && chosen.kernel)) {
        cli_doctor_print_bad("choice", text);
        cli_doctor_print_remedy("unset CAIRN_BACKEND: another backend may work");
    } else {
        cli_doctor_print_good("choice", text);
    }
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct cairn_backends chosen = cairn_backends_chosen();
    bool local;
    bool kernel;
    bool works;
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1)
        return option == 'h' ? cli_print_help(verb) : cli_bad_option(verb, option, argv);
    if (optind < argc) {
        cli_error(verb, "unexpected argument: %s", argv[optind]);
        return CLI_USAGE;
    }
    local = cli_doctor_examine_local();
    kernel = cli_doctor_examine_kernel();
    works = (local && chosen.local) || (kernel && chosen.kernel);
    examine_choice(chosen, works);
    if (works)
        return CLI_OK;
    cli_error(verb, "no backend works: programs run, and their events are not recorded");
    return CLI_FAILED;
}

const struct cli_verb cli_doctor = {
    .name = "doctor",
    .summary = "check this machine and print a fix for each problem",
    .usage = "doctor",
    .help = help,
    .run = run,
};
