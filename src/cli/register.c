/* SPDX-License-Identifier: MIT */
/* cairn register: registers tracepoints before the program that writes them runs. */
#include "cli/event_word.h"
#include "cli/register.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { OPTION_PERSIST = 256, OPTION_PROVIDER, OPTION_MULTI_FORMAT, OPTION_BPF };

/* The value that getopt_long returns for a word that is not an option ('-' in the option string).
 */
enum { WORD = 1 };

static const struct option options[] = {
    {"provider", required_argument, NULL, OPTION_PROVIDER},
    {"backend", required_argument, NULL, 'b'},
    {"persist", no_argument, NULL, OPTION_PERSIST},
    {"multi-format", no_argument, NULL, OPTION_MULTI_FORMAT},
    {"bpf", required_argument, NULL, OPTION_BPF},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char help[] =
    "Registers tracepoints, so that perf and others can name them before the program that\n"
    "writes them runs, and holds them until Ctrl-C, or until COMMAND ends.\n"
    "\n"
    "  EVENT              a command text of user_events: 'NAME TYPE FIELD; TYPE FIELD ...'\n"
    "      --provider PROVIDER LEVEL KEYWORD\n"
    "                     the tracepoint of an EventHeader provider, NAME[:GROUP][:OPTIONS]\n"
    "                     (OPTIONS such as Hx1), for events of a level (1 to 255, or critical,\n"
    "                     error, warning, info, verbose) and keyword (0x1); may be given\n"
    "                     again, as EVENT may\n"
    "  -b, --backend BACKEND\n"
    "                     kernel, local, both, or auto: local, and the kernel if it has\n"
    "                     user_events that this user may use [default: the value of\n"
    "                     CAIRN_BACKEND, or auto]\n"
    "      --persist      the tracepoints remain until they are deleted; without COMMAND the\n"
    "                     verb ends at once. The kernel permits this with CAP_PERFMON.\n"
    "      --multi-format a name may have several formats at the same time: each is an event\n"
    "                     of its own, NAME.SUFFIX of user_events_multi. The program must\n"
    "                     register it with the same flag.\n"
    "      --bpf FILE     for BPF programs: write a C header with a struct and the id of each\n"
    "                     event, and count the events on every processor, so that the kernel\n"
    "                     calls perf_tp_event for them, to which BPF programs can attach\n"
    "  -q, --quiet        do not print the names; print errors only\n"
    "  -h, --help         print this\n"
    "\n"
    "Without COMMAND, the names are printed when all are registered, as perf knows them.\n"
    "Exit status: COMMAND's own; 1 if a tracepoint could not be registered, 2 if the command\n"
    "line is invalid, 126 or 127 if COMMAND could not be run.\n"
    "\n"
    "  cairn register --provider MyCompany_Server warning 0x1 -- \\\n"
    "    perf record -e user_events:MyCompany_Server_L3K1 -- ./server\n";

/* False: an unknown name, or none, with which there is nothing to register. */
static bool parse_backends(const char *name, uint32_t *ret_backends)
{
    uint32_t backends;

    if (cairn_backend_parse(name, &backends) ||
        !(backends & (CAIRN_BACKEND_LOCAL | CAIRN_BACKEND_KERNEL)))
        return false;
    *ret_backends = backends;
    return true;
}

static struct cli_registered_event *new_event(struct cli_registration *r, const char *command)
{
    const struct cairn_tracepoint unregistered = CAIRN_TRACEPOINT_INIT;
    struct cli_registered_event *event = &r->events[r->event_count++];

    *event = (struct cli_registered_event){
        .command = command, .kernel = unregistered, .local = unregistered};
    return event;
}

/* Adds a word of the command line, which is a command text. Returns an exit status. */
static int add_event(struct cli_registration *r, const char *word)
{
    const char *command = cli_event_command(word);

    if (cli_event_is_of_provider(r->verb, command))
        return CLI_USAGE;
    (void)new_event(r, command);
    return CLI_OK;
}

/* Adds the tracepoint of --provider. LEVEL and KEYWORD are the words after the option's argument.
 */
static int add_provider(struct cli_registration *r, const char *name)
{
    uint64_t level, keyword;
    char *command = NULL;
    int error;

    if (r->argc - optind < 2 || !cli_parse_level(r->argv[optind], &level) ||
        !cli_parse_number(r->argv[optind + 1], UINT64_MAX, &keyword)) {
        cli_error(
            r->verb,
            "--provider expects NAME[:GROUP][:OPTIONS] LEVEL KEYWORD: LEVEL is 1 to 255, critical, "
            "error, warning, info or verbose, KEYWORD is a number");
        return CLI_USAGE;
    }
    optind += 2;
    error = cli_provider_command(name, level, keyword, &command);
    if (error) {
        if (error == EINVAL)
            cli_error(r->verb,
                      "invalid provider %s: expected NAME[:GROUP][:OPTIONS], NAME without spaces, "
                      "GROUP of lower-case letters and digits, each option beginning with a "
                      "capital letter other than G, in alphabetical order",
                      name);
        else
            cli_errno(r->verb, error, "cannot make a tracepoint's name of provider %s", name);
        return error == ENOMEM ? CLI_FAILED : CLI_USAGE;
    }
    new_event(r, command)->own_command = command;
    return CLI_OK;
}

static int apply_option(struct cli_registration *r, int option)
{
    switch (option) {
    case WORD:
        return add_event(r, optarg);
    case OPTION_PROVIDER:
        return add_provider(r, optarg);
    case 'b':
        if (parse_backends(optarg, &r->backends))
            return CLI_OK;
        cli_error(r->verb, "no such backend: %s (auto, kernel, local, both)", optarg);
        return CLI_USAGE;
    case OPTION_PERSIST:
        r->flags |= CAIRN_USER_EVENT_PERSIST;
        return CLI_OK;
    case OPTION_MULTI_FORMAT:
        r->flags |= CAIRN_USER_EVENT_MULTI_FORMAT;
        return CLI_OK;
    case OPTION_BPF:
        r->bpf_header = optarg;
        return CLI_OK;
    case 'q':
        r->quiet = true;
        return CLI_OK;
    default:
        return cli_bad_option(r->verb, option, r->argv);
    }
}

/* The suffix of a format is unknown here, so its id is; and the counters end with this process. */
static int check_bpf(const struct cli_registration *r)
{
    if (!r->bpf_header || !(r->flags & (CAIRN_USER_EVENT_MULTI_FORMAT | CAIRN_USER_EVENT_PERSIST)))
        return CLI_OK;
    cli_error(r->verb, "--bpf cannot be combined with --multi-format or --persist");
    return CLI_USAGE;
}

/* Returns an exit status. Sets *ret_help if the user asks for help. */
static int parse_options(struct cli_registration *r, bool *ret_help)
{
    int option;
    int status = CLI_OK;

    optind = 1;
    while (!status && (option = getopt_long(r->argc, r->argv, "-:b:qh", options, NULL)) != -1) {
        if (option == 'h') {
            *ret_help = true;
            return CLI_OK;
        }
        status = apply_option(r, option);
    }
    if (!status && optind < r->argc)
        r->command_argv = r->argv + optind;
    if (!status && !r->event_count) {
        cli_error(r->verb, "no event to register");
        fprintf(stderr, "Try: cairn %s --help\n", r->verb->name);
        return CLI_USAGE;
    }
    return status ? status : check_bpf(r);
}

static int run_registration(struct cli_registration *r)
{
    int status;

    cli_register_find_kernel(r);
    if (!(r->backends & (CAIRN_BACKEND_LOCAL | CAIRN_BACKEND_KERNEL))) {
        cli_error(r->verb, "CAIRN_BACKEND=none disables all backends: select one with --backend");
        return CLI_FAILED;
    }
    if (r->bpf_header && !(r->backends & CAIRN_BACKEND_KERNEL)) {
        cli_error(r->verb, "--bpf needs the kernel's user_events, which are not selected or not "
                           "usable (run cairn doctor)");
        return CLI_FAILED;
    }
    cli_signals_block(&r->signals);
    status = cli_register_all(r);
    if (!status && r->bpf_header)
        status = cli_register_for_bpf(r);
    if (!status && !r->quiet && !r->command_argv)
        status = cli_register_print_names(r);
    return status ? status : cli_register_stay(r);
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct cli_registration r = {
        .verb = verb, .argc = argc, .argv = argv, .backends = cairn_backend_chosen()};
    bool help_wanted = false;
    int status;

    r.events = calloc((size_t)argc + 1, sizeof(*r.events));
    if (!r.events) {
        cli_errno(verb, ENOMEM, "cannot start");
        return CLI_FAILED;
    }
    status = parse_options(&r, &help_wanted);
    if (help_wanted)
        status = cli_print_help(verb);
    else if (!status)
        status = run_registration(&r);
    cli_registration_close(&r);
    return status;
}

const struct cli_verb cli_register = {
    .name = "register",
    .summary = "register tracepoints before their program runs",
    .usage = "register [options] EVENT... [-- COMMAND [ARG...]]",
    .help = help,
    .run = run,
};
