/* SPDX-License-Identifier: MIT */
/* cairn snapshot: flight recorders write what they have kept. */
#include "cli/asking.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};

static const char help[] =
    "Makes flight recorders (`cairn record --flight`) write the latest events, which they keep\n"
    "in memory, to a file, and continue: those of each NAME, or all of them. Prints the paths\n"
    "of the files.\n"
    "\n"
    "  -h, --help   print this\n"
    "\n"
    "`cairn session list` prints the names.\n"
    "Exit status: 0; 1 if there is no flight recorder, or a snapshot could not be written; 2 if\n"
    "the command line is invalid.\n"
    "\n"
    "  cairn record --flight=30s --name web -o web.cairn &\n"
    "  cairn snapshot web\n";

struct all {
    const struct cli_verb *verb;
    uint32_t count;
    bool has_failed;
};

/* Recorders that write to a file have nothing to write. */
static void take_if_flight(void *context, const char *name, int32_t pid)
{
    struct all *all = context;
    struct cli_answer answer;
    char mode[32];

    if (pid < 0 || !cli_ask_recorder(all->verb, name, "status", &answer) ||
        strcmp(cli_answer_value(&answer, "mode", mode, sizeof(mode)), "flight") != 0)
        return;
    all->count++;
    all->has_failed |= !cli_take_snapshot(all->verb, name);
}

static int take_all(const struct cli_verb *verb)
{
    struct all all = {.verb = verb};
    int error = cairn_recorder_each(take_if_flight, &all);

    if (error) {
        cli_directory_error(verb, error, "cannot find recorders");
        return CLI_FAILED;
    }
    if (!all.count)
        cli_error(verb, "there is no flight recorder (cairn record --flight)");
    return all.count && !all.has_failed ? CLI_OK : CLI_FAILED;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    bool has_failed = false;
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, ":h", options, NULL)) != -1)
        return option == 'h' ? cli_print_help(verb) : cli_bad_option(verb, option, argv);
    if (optind == argc)
        return take_all(verb);
    for (int i = optind; i < argc; i++)
        has_failed |= !cli_take_snapshot(verb, argv[i]);
    return has_failed ? CLI_FAILED : CLI_OK;
}

const struct cli_verb cli_snapshot = {
    .name = "snapshot",
    .summary = "make flight recorders write what they have kept",
    .usage = "snapshot [options] [NAME...]",
    .help = help,
    .run = run,
};
