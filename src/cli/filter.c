/* SPDX-License-Identifier: MIT */
/* cairn filter: shows and changes the filter of the facade in a running program. */
#include "cli/cli.h"

#include <cairn/export.h>
#include <cairn/session.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TIMEOUT_MS 2000u

static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};

static const char help[] =
    "Prints the filter that is in force in the process PID, which uses cairn/tracing.h; with\n"
    "FILTER changes it, in the language of CAIRN_LOG: that of the layer of cairn_tracing_init,\n"
    "or, in a program without it, of all layers of the global subscriber.\n"
    "\n"
    "  -h, --help   print this\n"
    "\n"
    "The program changes it when it reaches a call site; it gets no signal, and is not stopped.\n"
    "Exit status: 0; 1 if there is no such program, or it has not changed the filter in two\n"
    "seconds; 2 if the command line or the filter is invalid.\n"
    "\n"
    "  cairn filter 4711 'info,net=debug,[request{id=7}]=trace'\n";

static bool parse_pid(const char *text, int32_t *ret_pid)
{
    char *end;
    long pid = strtol(text, &end, 10);

    if (*text < '1' || *text > '9' || *end || pid > INT32_MAX)
        return false;
    *ret_pid = (int32_t)pid;
    return true;
}

static int report_failure(const struct cli_verb *verb, int32_t pid, int error)
{
    if (error == ESRCH)
        cli_error(verb, "there is no process %" PRId32, pid);
    else if (error == ENOENT)
        cli_error(verb,
                  "process %" PRId32 " is not traced: it has nothing in the tracing directory",
                  pid);
    else if (error == EOPNOTSUPP)
        cli_error(verb,
                  "process %" PRId32
                  " has no filter: it uses cairn/tracing.h without a layer, or not at all",
                  pid);
    else if (error == ETIMEDOUT)
        cli_error(verb,
                  "process %" PRId32
                  " has reached no call site in %u seconds: it changes its filter when it does",
                  pid, TIMEOUT_MS / 1000);
    else
        cli_directory_error(verb, error, "cannot reach the process");
    return CLI_FAILED;
}

/* Another user's program may have written anything. */
static int show(const struct cli_verb *verb, int32_t pid)
{
    char text[CAIRN_PROGRAM_FILTER_BYTES];
    int error = cairn_program_filter_read(pid, text);
    char *printed;

    if (error)
        return report_failure(verb, pid, error);
    error = cairn_style_text(CAIRN_STYLE_TEXT, text, strlen(text), &printed);
    if (error) {
        cli_errno(verb, error, "cannot print the filter");
        return CLI_FAILED;
    }
    puts(printed);
    free(printed);
    return CLI_OK;
}

static int change(const struct cli_verb *verb, int32_t pid, const char *text)
{
    struct cairn_directives_error problem = {0, ""};
    int error = cairn_program_filter_change(pid, text, TIMEOUT_MS, &problem);

    if (error == EINVAL) {
        cli_error(verb, "invalid filter: at byte %zu: %s", problem.at, problem.reason);
        return CLI_USAGE;
    }
    if (error == E2BIG) {
        cli_error(verb, "the filter is too long: at most %d bytes", CAIRN_PROGRAM_FILTER_BYTES - 1);
        return CLI_USAGE;
    }
    return error ? report_failure(verb, pid, error) : CLI_OK;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    int32_t pid;
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, "+:h", options, NULL)) != -1)
        return option == 'h' ? cli_print_help(verb) : cli_bad_option(verb, option, argv);
    if (argc - optind < 1 || argc - optind > 2) {
        cli_error(verb, argc == optind ? "which process? (PID)" : "unexpected argument: %s",
                  argv[argc - 1]);
        return CLI_USAGE;
    }
    if (!parse_pid(argv[optind], &pid)) {
        cli_error(verb, "invalid PID: %s", argv[optind]);
        return CLI_USAGE;
    }
    return argc - optind == 1 ? show(verb, pid) : change(verb, pid, argv[optind + 1]);
}

const struct cli_verb cli_filter = {
    .name = "filter",
    .summary = "show and change the filter of a running program's log",
    .usage = "filter [options] PID [FILTER]",
    .help = help,
    .run = run,
};
