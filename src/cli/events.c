/* SPDX-License-Identifier: MIT */
/* cairn events: adds and deletes events by the lines of dynamic_events. */
#include "cli/cli.h"
#include "local/registry_text.h"
#include "local/sweep.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};

static const char help[] =
    "Adds events to the local engine, and deletes them, by the lines that tracefs's\n"
    "dynamic_events takes. Without a word it prints all events as such lines.\n"
    "\n"
    "  add 'NAME type field; ...'   adds an event that stays until it is deleted; u:NAME\n"
    "                               is the same\n"
    "  delete NAME                  deletes an event that nobody uses; so do -:NAME, and\n"
    "                               !u:NAME type field; ... if it has these fields\n"
    "  -h, --help                   print this\n"
    "\n"
    "Several lines may be given; the first that fails ends it.\n"
    "Exit status: 0; 1 when one could not be added or deleted.\n"
    "\n"
    "  cairn events add 'requests u32 count; char[16] peer'\n"
    "  cairn events delete requests\n";

static void print(void *arg, const char *text, size_t size_bytes)
{
    (void)fwrite(text, 1, size_bytes, arg);
}

static const char *meaning_of(int error, bool adds)
{
    switch (error) {
    case EINVAL:
    case E2BIG:
        return "this is no line of dynamic_events";
    case EADDRINUSE:
        return "the name is in use with other fields";
    case EBUSY:
        return adds ? "the tracing directory is locked" : "somebody uses it";
    case ENOENT:
        return "there is no such event";
    case ENOSPC:
        return "there is no room for another event";
    default:
        return strerror(error);
    }
}

/* A bare command or name gets what says what to do with it. */
static int do_line(struct cairn_local *local, const char *line, bool adds)
{
    char text[CAIRN_COMMAND_MAX_BYTES + 8];
    bool is_whole = adds ? !strncmp(line, "u:", 2) : *line == '-' || *line == '!';
    int length = snprintf(text, sizeof(text), "%s%s", is_whole ? "" : adds ? "u:" : "-:", line);

    return length < (int)sizeof(text) ? cairn_registry_command(local, text) : E2BIG;
}

static int do_lines(const struct cli_verb *verb, struct cairn_local *local, char **lines, bool adds)
{
    for (; *lines; lines++) {
        int error = do_line(local, *lines, adds);

        if (!error)
            continue;
        cli_error(verb, "cannot %s %s: %s", adds ? "add" : "delete", *lines,
                  meaning_of(error, adds));
        return CLI_FAILED;
    }
    return CLI_OK;
}

static int run_locked(const struct cli_verb *verb, struct cairn_local *local, char **words)
{
    cairn_registry_sweep(local);
    if (*words)
        return do_lines(verb, local, words + 1, !strcmp(*words, "add"));
    cairn_registry_print_commands(local, print, stdout);
    return CLI_OK;
}

static int check_words(const struct cli_verb *verb, char **words)
{
    if (!*words || ((!strcmp(*words, "add") || !strcmp(*words, "delete")) && words[1]))
        return CLI_OK;
    cli_error(verb, "say add or delete, and what");
    fprintf(stderr, "Try: cairn %s --help\n", verb->name);
    return CLI_USAGE;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct cairn_local local = {.lock_fd = -1};
    int status;
    int option;
    int error;

    optind = 1;
    while ((option = getopt_long(argc, argv, "+:h", options, NULL)) != -1)
        return option == 'h' ? cli_print_help(verb) : cli_bad_option(verb, option, argv);
    status = check_words(verb, argv + optind);
    if (status)
        return status;
    error = cairn_local_open(&local);
    if (!error)
        error = cairn_local_lock(&local);
    if (!error) {
        status = run_locked(verb, &local, argv + optind);
        cairn_local_unlock(&local);
    }
    cairn_local_close(&local);
    if (!error)
        return status;
    cli_directory_error(verb, error, "cannot use the tracing directory");
    return CLI_FAILED;
}

const struct cli_verb cli_events = {
    .name = "events",
    .summary = "add events and delete them, by lines of dynamic_events",
    .usage = "events [options] [add LINE... | delete LINE...]",
    .help = help,
    .run = run,
};
