/* SPDX-License-Identifier: MIT */
/* cairn list: prints the events that programs have registered with the local engine. */
#include "cli/cli.h"

#include <cairn/inspect.h>
#include <stdio.h>
#include <string.h>

static const struct option options[] = {
    {"fields", no_argument, NULL, 'f'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char help[] =
    "Lists the events that running programs have registered, sorted by name: all, or those\n"
    "that match one of the PATTERNs (globs on names of tracepoints, or PROVIDER:EVENT). Below\n"
    "the tracepoint of a provider are those of its events that were written while they were\n"
    "enabled. In a shared directory root sees the events of all users, other users see their\n"
    "own.\n"
    "\n"
    "  -f, --fields   print each event's fields too\n"
    "  -h, --help     print this\n"
    "\n"
    "Two columns precede a name: R while a recorder collects the event, T while a text\n"
    "reader does.\n"
    "Exit status: 0; 1 if the tracing directory cannot be used, or nothing matches; 2 if the\n"
    "command line is invalid.\n"
    "\n"
    "  cairn list 'MyCompany_*'\n";

static void print_event(const struct cairn_inspected_event *event, bool with_fields)
{
    printf("%c%c %s%s\n", event->listeners & CAIRN_LISTENER_RECORDER ? 'R' : ' ',
           event->listeners & CAIRN_LISTENER_TEXT ? 'T' : ' ', event->name,
           with_fields ? event->fields : "");
}

/* The types of events of a tracepoint; they are in its order. Returns the index of the next one. */
static uint32_t print_types(const struct cairn_inspection *inspection, uint32_t at,
                            const char *tracepoint, bool with_fields)
{
    const struct cairn_inspected_type *type;

    for (; (type = cairn_inspection_type(inspection, at)); at++) {
        int order = strcmp(type->tracepoint, tracepoint);

        if (order > 0)
            break;
        if (order < 0)
            continue;
        if (with_fields)
            printf("     %s:%s %s\n", type->provider, type->name, type->fields);
        else
            printf("     %s:%s\n", type->provider, type->name);
    }
    return at;
}

static int list(const struct cli_verb *verb, char **patterns, size_t count, bool with_fields)
{
    struct cairn_inspection_options how = CAIRN_INSPECTION_OPTIONS_INIT;
    struct cairn_inspection *inspection;
    uint32_t events;
    uint32_t type = 0;
    int error;

    how.patterns = (const char *const *)patterns;
    how.pattern_count = count;
    how.all_users = true;
    how.with_types = true;
    error = cairn_inspection_create(&how, &inspection);
    if (error) {
        cli_directory_error(verb, error, "cannot read the tracing directory");
        return CLI_FAILED;
    }
    events = cairn_inspection_event_count(inspection);
    for (uint32_t i = 0; i < events; i++) {
        const struct cairn_inspected_event *event = cairn_inspection_event(inspection, i);

        print_event(event, with_fields);
        type = print_types(inspection, type, event->name, with_fields);
    }
    cairn_inspection_destroy(inspection);
    if (!events)
        cli_error(verb,
                  count ? "no registered event matches" : "no program has registered an event");
    return events ? CLI_OK : CLI_FAILED;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    bool with_fields = false;
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, ":fh", options, NULL)) != -1) {
        if (option == 'h')
            return cli_print_help(verb);
        if (option != 'f')
            return cli_bad_option(verb, option, argv);
        with_fields = true;
    }
    return list(verb, argv + optind, (size_t)(argc - optind), with_fields);
}

const struct cli_verb cli_list = {
    .name = "list",
    .summary = "list the events that programs have registered",
    .usage = "list [options] [PATTERN...]",
    .help = help,
    .run = run,
};
