/* SPDX-License-Identifier: MIT */
/* cairn status: prints the status of all events, in the format of the user_events document. */
#include "cli/cli.h"
#include "engine/registry_text.h"
#include "engine/sweep.h"

#include <errno.h>
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

static void print(void *arg, const char *text, size_t size_bytes)
{
    (void)fwrite(text, 1, size_bytes, arg);
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct cairn_engine_registry local = {.lock_fd = -1};
    int option;
    int error;

    optind = 1;
    while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1)
        return option == 'h' ? cli_print_help(verb) : cli_bad_option(verb, option, argv);
    if (optind < argc) {
        cli_error(verb, "unexpected argument: %s", argv[optind]);
        return CLI_USAGE;
    }
    error = cairn_engine_registry_open(&local);
    if (!error)
        error = cairn_engine_registry_lock(&local);
    if (!error) {
        cairn_registry_sweep(&local);
        cairn_registry_print_status(&local, print, stdout);
        cairn_engine_registry_unlock(&local);
    }
    cairn_engine_registry_close(&local);
    if (!error)
        return CLI_OK;
    cli_directory_error(verb, error, "cannot read the tracing directory");
    return CLI_FAILED;
}

const struct cli_verb cli_status = {
    .name = "status",
    .summary = "print the status of all events in the format of the user_events document",
    .usage = "status [options]",
    .help = help,
    .run = run,
};
