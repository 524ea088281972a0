/* SPDX-License-Identifier: MIT */
/* cairn status: the status of all events, in the text of the user_events document. */
#include "cli/cli.h"
#include "engine/registry_text.h"
#include "engine/sweep.h"

#include <errno.h>
#include <stdio.h>

static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};

static const char help[] =
    "Prints the status of all events of the local engine, in the text that the\n"
    "user_events document gives to user_events_status: a line INDEX:NAME for each event,\n"
    "with who uses it (ftrace: a text reader, perf: a recorder), then how many events are\n"
    "there, how many of them are in use, and how many bytes the status page has.\n"
    "\n"
    "  -h, --help   print this\n"
    "\n"
    "Exit status: 0; 1 when the tracing directory cannot be used.\n";

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
        cli_error(verb, "takes no arguments: %s", argv[optind]);
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
    .summary = "print the status of all events as the user_events document has it",
    .usage = "status [options]",
    .help = help,
    .run = run,
};
