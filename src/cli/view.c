/* SPDX-License-Identifier: MIT */
/* cairn view: serves a recording as a page on the loopback. */
#include "cli/view.h"

#include "cli/inputs.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

enum { OPTION_PORT = CLI_CHOICE_END, OPTION_TITLE };

static const struct option options[] = {
    CLI_CHOICE_OPTIONS,
    {"port", required_argument, NULL, OPTION_PORT},
    {"title", required_argument, NULL, OPTION_TITLE},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char help[] =
    "Serves recordings as a page for a browser on this machine, and prints its address, which\n"
    "contains a random token. The page shows what cairn report writes, but fetches only the parts\n"
    "that it shows: for recordings that are too large for one file. With --live it shows the "
    "events\n"
    "of running programs.\n"
    "\n"
    "      --live             serve the events of programs, and of COMMAND, while they happen; "
    "the\n"
    "                         options -e and --filter are then those of cairn live\n" //
    CLI_CHOICE_HELP "      --duration SECONDS with --live: stop collecting after this time\n"
    "      --buffer-size SIZE with --live: buffer of each process [default: 16M]\n"
    "      --port NUMBER      the port [default: any that is free]\n"
    "      --title TEXT       the page's title [default: the names of the files]\n"
    "  -h, --help             print this\n"
    "\n"
    "The page is served until the verb is interrupted.\n"
    "\n"
    "Exit status: 1 if a file cannot be read or the page cannot be served; 2 if the command line\n"
    "is invalid; 4 if there is no event; with --live, otherwise as cairn live.\n"
    "\n"
    "  cairn view trace.cairn\n"
    "  cairn view --live -e 'MyCompany_*' -- ./program\n";

struct view_state {
    struct cli_view serving;
    struct cli_inputs inputs;
    char names[CLI_TITLE_BYTES];
};

/* ---- the command line ---- */

/* --live decides which options there are, so it is looked for first. */
static bool is_live(int argc, char **argv)
{
    for (int n = 1; n < argc && strcmp(argv[n], "--") != 0; n++) {
        if (!strcmp(argv[n], "--live"))
            return true;
    }
    return false;
}

static int take_option(struct view_state *view, int option, char **argv)
{
    int status = cli_choice_take(&view->inputs.choice, option, optarg);

    if (status >= 0)
        return status;
    switch (option) {
    case OPTION_PORT:
        return cli_view_set_port(&view->serving, optarg);
    case OPTION_TITLE:
        view->serving.title = optarg;
        return CLI_OK;
    default:
        return cli_bad_option(view->serving.verb, option, argv);
    }
}

static int parse_arguments(int argc, char **argv, struct view_state *view, bool *ret_help)
{
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, ":e:h", options, NULL)) != -1) {
        int status;

        if (option == 'h') {
            *ret_help = true;
            return CLI_OK;
        }
        status = take_option(view, option, argv);
        if (status)
            return status;
    }
    cli_inputs_take(&view->inputs, argc, argv, optind);
    if (!view->serving.title)
        view->serving.title = cli_inputs_title(&view->inputs, view->names, sizeof(view->names));
    return CLI_OK;
}

/* ---- events ---- */

static int handle(void *context, struct cairn_reader *reader, const struct cairn_event *event,
                  uint64_t *damaged)
{
    struct cli_view *serving = &((struct view_state *)context)->serving;
    enum cairn_event_error error = CAIRN_EVENT_WHOLE;

    cli_view_yield(serving);
    serving->error =
        cairn_report_event(serving->report, event, cairn_reader_source(reader), &error);
    *damaged += error != CAIRN_EVENT_WHOLE;
    return serving->error ? ECANCELED : 0;
}

/* A stream has no event for now. */
static void let_serve(void *context)
{
    struct cli_view *serving = &((struct view_state *)context)->serving;

    cli_view_unlock(serving);
    cli_view_lock(serving);
}

static void take_source(void *context, size_t source, const char *path,
                        const struct cairn_reader_counts *counts)
{
    struct cli_view *serving = &((struct view_state *)context)->serving;

    if (!serving->error)
        serving->error = cairn_report_set_source(serving->report, source, path, counts);
}

/* Reads all, then serves until a signal ends the process. */
static int serve(struct view_state *view)
{
    int status = cli_choice_begin(&view->inputs.choice);

    if (!status)
        status = cli_view_open(&view->serving);
    if (status)
        return status;
    view->inputs.context = view;
    view->inputs.event = handle;
    view->inputs.pause = let_serve;
    view->inputs.source = take_source;
    cli_view_lock(&view->serving);
    status = cli_inputs_read(&view->inputs);
    cli_view_unlock(&view->serving);
    if (cairn_report_counts(view->serving.report)->events == 0 && status)
        return status;
    status = cli_view_finish(&view->serving);
    while (!status)
        pause();
    return status;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct view_state view = {
        .serving = {.verb = verb},
        .inputs = {.verb = verb, .choice = {.verb = verb}, .options = CAIRN_READER_OPTIONS_INIT},
    };
    bool help_wanted = false;
    int status;

    if (is_live(argc, argv))
        return cli_view_live(verb, argc, argv);
    view.inputs.options.with_switches = true; /* states of threads */
    status = parse_arguments(argc, argv, &view, &help_wanted);
    if (help_wanted)
        status = cli_print_help(verb);
    else if (!status)
        status = serve(&view);
    cli_choice_end(&view.inputs.choice);
    cli_view_close(&view.serving);
    return status;
}

const struct cli_verb cli_view = {
    .name = "view",
    .summary = "serve a recording, or running programs, as a page on this machine",
    .usage = "view [options] [FILE...]",
    .help = help,
    .run = run,
};
