/* SPDX-License-Identifier: MIT */
/* cairn status: prints the status of all events, in the format of the user_events document. */
#include "cli/cli.h"

#include <cairn/inspect.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};

static const char help[] =
    "Prints the status of all events of the local engine, in the format that the\n"
    "user_events document specifies for user_events_status: a line INDEX:NAME for each\n"
    "event, with its users (ftrace: a text reader, perf: a recorder), then the number of\n"
    "events, the number of those in use, and the size of the status page in bytes. Below the\n"
    "tracepoint of a provider are comments with its events that were written so far,\n"
    "PROVIDER:EVENT, as `cairn list` and `cairn decode` print them.\n"
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

/* Types are sorted by their tracepoints: the index of the first one of this or a later one. */
static uint32_t first_type(const struct cairn_inspection *inspection, const char *tracepoint)
{
    uint32_t from = 0;
    uint32_t to = cairn_inspection_type_count(inspection);

    while (from < to) {
        uint32_t middle = from + (to - from) / 2;

        if (strcmp(cairn_inspection_type(inspection, middle)->tracepoint, tracepoint) < 0)
            from = middle + 1;
        else
            to = middle;
    }
    return from;
}

/* A name once, even if its events have different fields. */
static void print_types(const struct cairn_inspection *inspection, const char *tracepoint)
{
    const struct cairn_inspected_type *type;
    const char *last = "";

    for (uint32_t i = first_type(inspection, tracepoint);
         (type = cairn_inspection_type(inspection, i)) && !strcmp(type->tracepoint, tracepoint);
         i++) {
        if (strcmp(last, type->name) != 0)
            printf("  # %s:%s\n", type->provider, type->name);
        last = type->name;
    }
}

static void print_status(const struct cairn_inspection *inspection)
{
    uint32_t count = cairn_inspection_event_count(inspection);
    uint32_t busy = 0;

    for (uint32_t i = 0; i < count; i++) {
        const struct cairn_inspected_event *event = cairn_inspection_event(inspection, i);

        print_event(event);
        print_types(inspection, event->name);
        busy += event->listeners != 0;
    }
    printf("\nActive: %" PRIu32 "\nBusy: %" PRIu32 "\nMax: %" PRIu32 "\n", count, busy,
           cairn_inspection_event_max(inspection));
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct cairn_inspection_options how = CAIRN_INSPECTION_OPTIONS_INIT;
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
    how.with_types = true;
    error = cairn_inspection_create(&how, &inspection);
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
