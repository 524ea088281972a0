/* SPDX-License-Identifier: MIT */
/* cairn status: prints the status of all events, in the format of the user_events document. */
#include "cli/cli.h"

#include <cairn/inspect.h>
#include <inttypes.h>
#include <stdio.h>

static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};

static const char help[] =
    "Prints the status of all events of the local engine, in the format that the\n"
    "user_events document specifies for user_events_status: a line INDEX:NAME for each\n"
    "event, with its users (ftrace: a text reader, perf: a recorder), then the number of\n"
    "events, the number of those in use, and the size of the status page in bytes.\n"
    "\n"
    "  -h, --help   print this\n"
    "\n"
    "Exit status: 0; 1 if the tracing directory cannot be used; 2 if the command line is\n"
    "invalid.\n";

static void print_event(const struct cairn_inspected_event *event)
{
    printf("%" PRIu32 ":%s%s%s%s\n", event->number, event->name,
           event->listeners ? " # Used by" : "",
           event->listeners & CAIRN_LISTENER_TEXT ? " ftrace" : "",
           event->listeners & CAIRN_LISTENER_RECORDER ? " perf" : "");
}

static void print_status(const struct cairn_inspection *inspection)
{
    uint32_t count = cairn_inspection_event_count(inspection);
    uint32_t busy = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct cairn_inspected_event *event = cairn_inspection_event(inspection, i);

        print_event(event);
        busy += event->listeners != 0;
    }
    printf("\nActive: %" PRIu32 "\nBusy: %" PRIu32 "\nMax: %" PRIu32 "\n", count, busy,
           cairn_inspection_event_max(inspection));
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct cairn_inspection *inspection;
    int option;
    int error;

    optind = 1;
    while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1)
        return option == 'h' ? cli_print_help(verb) : cli_bad_option(verb, option, argv);
    if (optind < argc) {
        cli_error(verb, "unexpected argument: %s", argv[optind]);
        return CLI_USAGE;
    }
    error = cairn_inspection_create(NULL, &inspection);
    if (error) {
        cli_directory_error(verb, error, "cannot read the tracing directory");
        return CLI_FAILED;
    }
    print_status(inspection);
    cairn_inspection_destroy(inspection);
    return CLI_OK;
}

const struct cli_verb cli_status = {
    .name = "status",
    .summary = "print the status of all events in the format of the user_events document",
    .usage = "status [options]",
    .help = help,
    .run = run,
};
