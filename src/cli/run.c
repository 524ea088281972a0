/* SPDX-License-Identifier: MIT */
/* cairn run: emulates the kernel's user_events for a program, with the local engine. */
#include "cli/run_transport.h"

#include <cairn/inspect.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option options[] = {
    {"backend", required_argument, NULL, 'b'},
    {"fuse", no_argument, NULL, 'f'},
    {"no-accelerator", no_argument, NULL, 'A'},
    {"transport", required_argument, NULL, 't'},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char help[] =
    "Runs a program that uses the kernel's user_events, and emulates them with the local\n"
    "engine: on any kernel, without privileges, and without a change to the program.\n"
    "\n"
    "  -b, --backend=B   local: emulate; kernel: run the program unchanged; auto: kernel if\n"
    "                    this user may use the kernel's user_events, otherwise local\n"
    "                    [default: the value of CAIRN_BACKEND, or auto]\n"
    "  -t, --transport=T mount: emulate the files by a mount, in namespaces of the program's\n"
    "                    own; preload: by a library in the program; auto: mount if that is\n"
    "                    possible here, otherwise preload\n"
    "                    [default: the value of CAIRN_RUN_TRANSPORT, or auto]\n"
    "  -A, --no-accelerator  under a mount, load no library: each event takes a round trip\n"
    "                    to the mount's server\n"
    "  -f, --fuse        the same as --transport=mount --no-accelerator\n"
    "  -q, --quiet       do not print the backend and what cannot be emulated\n"
    "  -h, --help        print this\n"
    "\n"
    "cairn run becomes the program: process, signals and exit status are the program's.\n"
    "Its own exit statuses: 125 if the tracing directory cannot be used or the library is\n"
    "missing, 126 if the program cannot be run, 127 if it was not found, 2 if the command\n"
    "line is invalid.\n"
    "A mount works for programs of any kind. A library works for dynamically linked programs\n"
    "that open the files by their absolute paths; a warning is printed for static programs\n"
    "and Go programs.\n"
    "\n"
    "  cairn run -- ./my_service & cairn record -e '*' -o my.data --duration 10\n";

/* ---- which backend ---- */

enum choice { CHOICE_AUTO, CHOICE_LOCAL, CHOICE_KERNEL };

enum transport { TRANSPORT_AUTO, TRANSPORT_MOUNT, TRANSPORT_PRELOAD };

static const char *const choices[] = {"auto", "local", "kernel", NULL};
static const char *const transports[] = {"auto", "mount", "preload", NULL};

/* The number of a word in a list, or -1. */
static int find_word(const char *const *words, const char *text)
{
    for (int i = 0; words[i]; i++) {
        if (strcmp(words[i], text) == 0)
            return i;
    }
    return -1;
}

static enum choice default_choice(void)
{
    uint32_t backends = cairn_backend_chosen();

    if (!(backends & CAIRN_BACKEND_REQUIRED))
        return CHOICE_AUTO;
    return backends & CAIRN_BACKEND_KERNEL && !(backends & CAIRN_BACKEND_LOCAL) ? CHOICE_KERNEL
                                                                                : CHOICE_LOCAL;
}

/* The contents of the command line. */
struct settings {
    int choice;    /* of enum choice, */
    int transport; /* and enum transport; -1: no such word */
    struct cli_run_options options;
};

static int exec_program(const struct cli_verb *verb, char **argv)
{
    int error;

    execvp(argv[0], argv);
    error = errno;
    cli_errno(verb, error, "cannot run %s", argv[0]);
    return error == ENOENT ? CLI_NOT_FOUND : CLI_CANNOT_RUN;
}

/* Makes the files of user_events those of the engine, for this process and what it executes. */
static int emulate(const struct cli_verb *verb, const char *name, const struct settings *settings)
{
    bool is_mounted = false;
    int status = CLI_OK;

    if (settings->transport != TRANSPORT_PRELOAD)
        status = cli_run_by_mount(verb, &settings->options, &is_mounted);
    return status || is_mounted ? status
                                : cli_run_by_preload(verb, name, settings->options.is_quiet);
}

static int run_command(const struct cli_verb *verb, char **argv, const struct settings *settings)
{
    bool is_auto = settings->choice == CHOICE_AUTO;
    int status;

    if (settings->choice == CHOICE_KERNEL || (is_auto && !cairn_backend_probe_kernel(NULL, 0))) {
        if (!settings->options.is_quiet && is_auto)
            cli_error(verb, "this program uses the user_events of the kernel "
                            "(--backend=local selects the local engine)");
        return exec_program(verb, argv);
    }
    status = emulate(verb, argv[0], settings);
    return status ? status : exec_program(verb, argv);
}

/* Returns false for an option that does not exist. */
static bool take_option(int option, struct settings *settings)
{
    switch (option) {
    case 'b':
        settings->choice = find_word(choices, optarg);
        return true;
    case 't':
        settings->transport = find_word(transports, optarg);
        return true;
    case 'f':
        settings->transport = TRANSPORT_MOUNT;
        settings->options.is_accelerated = false;
        return true;
    case 'A':
        settings->options.is_accelerated = false;
        return true;
    case 'q':
        settings->options.is_quiet = true;
        return true;
    default:
        return false;
    }
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    const char *transport = getenv("CAIRN_RUN_TRANSPORT");
    struct settings settings = {
        .choice = default_choice(),
        .transport = transport && *transport ? find_word(transports, transport) : TRANSPORT_AUTO,
        .options.is_accelerated = true,
    };
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, "+:b:t:Afqh", options, NULL)) != -1) {
        if (option == 'h')
            return cli_print_help(verb);
        if (!take_option(option, &settings))
            return cli_bad_option(verb, option, argv);
        if (settings.choice < 0 || (option == 't' && settings.transport < 0)) {
            cli_error(verb, "no such %s: %s (%s)", option == 'b' ? "backend" : "transport", optarg,
                      option == 'b' ? "auto, local, kernel" : "auto, mount, preload");
            return CLI_USAGE;
        }
    }
    if (settings.transport < 0) {
        cli_error(verb, "CAIRN_RUN_TRANSPORT: no such transport: %s (auto, mount, preload)",
                  transport);
        return CLI_USAGE;
    }
    if (optind == argc) {
        cli_error(verb, "no command to run");
        fprintf(stderr, "Try: cairn %s --help\n", verb->name);
        return CLI_USAGE;
    }
    settings.options.may_preload = settings.transport == TRANSPORT_AUTO;
    return run_command(verb, argv + optind, &settings);
}

const struct cli_verb cli_run = {
    .name = "run",
    .summary = "emulate the kernel's user_events for an unmodified program",
    .usage = "run [options] [--] COMMAND [ARG...]",
    .help = help,
    .run = run,
};
