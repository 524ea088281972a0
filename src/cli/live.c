/* SPDX-License-Identifier: MIT */
/* cairn live: prints events of programs as text while they happen. */
#include "cli/collection.h"
#include "cli/missing.h"
#include "cli/open_spans.h"
#include "cli/record_report.h"
#include "cli/stuck.h"

#include <cairn/inspect.h>
#include <cairn/export.h>
#include <cairn/reader.h>
#include <cairn/stats.h>
#include <errno.h>
#include <poll.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SPANS_NS UINT64_C(1000000000)

enum color { COLOR_AUTO, COLOR_ALWAYS, COLOR_NEVER };

struct live_state {
    struct cli_collection collection;
    const struct cli_verb *verb;
    size_t buffer_bytes;
    enum color color;
    bool quiet;
    bool with_spans;           /* open activities are printed, not events */
    struct cairn_stats *spans; /* with that */
    uint64_t spans_ns;         /* when they were printed last */
    struct cairn_printer *printer;
    uint64_t damaged;             /* events that were printed in part only */
    uint64_t reported_lost;       /* lost events that were reported */
    uint32_t checked_tracepoints; /* whose filters were checked and reported */
};

/* ---- options ---- */

enum { OPTION_BUFFER = 256, OPTION_COLOR, OPTION_DURATION, OPTION_FILTER, OPTION_SPANS };

static const struct option options[] = {
    {"event", required_argument, NULL, 'e'},
    {"filter", required_argument, NULL, OPTION_FILTER},
    {"buffer-size", required_argument, NULL, OPTION_BUFFER},
    {"color", required_argument, NULL, OPTION_COLOR},
    {"duration", required_argument, NULL, OPTION_DURATION},
    {"spans", no_argument, NULL, OPTION_SPANS},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char help[] =
    "Prints the events of programs while they happen, one line for each, in order of time,\n"
    "until Ctrl-C, or until COMMAND ends. The format is that of ftrace's trace_pipe and of\n"
    "`cairn decode -f text`.\n"
    "\n"
    "  -e, --event PATTERN    events to print: a glob on names of tracepoints, as `cairn list`\n"
    "                         prints them, or PROVIDER:EVENT, as `cairn decode` does; at its\n"
    "                         end /every=N/ or /rate=N/ samples, /stack/ adds the stack of the\n"
    "                         thread; may be given again [default: *]\n"
    "      --filter FILTER    of the events of the -e before it, print only those that\n"
    "                         FILTER selects, in ftrace's language, which programs apply\n"
    "                         before they write: 'Size > 100 && Owner.User == 0'\n"
    "      --buffer-size SIZE size of each process's buffer, 512K to 512M [default: 16M]\n"
    "      --color WHEN       always, never, or auto: on a terminal that is not dumb, if\n"
    "                         NO_COLOR is not set [the default]\n"
    "      --duration SECONDS end after this time, and terminate a COMMAND that is still\n"
    "                         running (SIGTERM)\n"
    "      --spans            print instead, each second, the activities that have begun since\n"
    "                         and not ended: their age, process, thread and event\n"
    "  -q, --quiet            print errors and losses only\n"
    "  -h, --help             print this\n"
    "\n"
    "Exit status: COMMAND's own (128 + N if signal N killed it), unless that is 0 or\n"
    "COMMAND was terminated by cairn; otherwise\n"
    "3 if events are missing (lost, or of processes that could not be read),\n"
    "4 if a pattern matched no tracepoint or a filter selected no event,\n"
    "1 if reading or writing failed, 2 if the command line is invalid,\n"
    "126 or 127 if COMMAND could not be run.\n"
    "\n"
    "  cairn live\n"
    "  cairn live -e 'MyCompany_*' -- ./program\n";

static int set_color(struct live_state *live, const char *when)
{
    static const char *const names[] = {"auto", "always", "never"};

    for (size_t i = 0; i < sizeof(names) / sizeof(*names); i++) {
        if (strcmp(when, names[i]) != 0)
            continue;
        live->color = (enum color)i;
        return CLI_OK;
    }
    cli_error(live->verb, "invalid --color %s: expected auto, always or never", when);
    return CLI_USAGE;
}

static int apply_option(void *context, int option, char **argv)
{
    struct live_state *live = context;

    switch (option) {
    case 'e':
        return cli_collection_add_pattern(&live->collection, optarg);
    case OPTION_FILTER:
        return cli_collection_add_filter(&live->collection, optarg);
    case OPTION_BUFFER:
        return cli_collection_parse_buffer(live->verb, optarg, &live->buffer_bytes);
    case OPTION_COLOR:
        return set_color(live, optarg);
    case OPTION_DURATION:
        return cli_collection_set_duration(&live->collection, optarg);
    case OPTION_SPANS:
        live->with_spans = true;
        return CLI_OK;
    case 'q':
        live->quiet = true;
        return CLI_OK;
    default:
        return cli_bad_option(live->verb, option, argv);
    }
}

static int parse_options(struct live_state *live, int argc, char **argv, bool *ret_help)
{
    const struct cli_collection_options how = {"+:e:qh", options, apply_option, live};

    return cli_collection_parse(&live->collection, &how, argc, argv, ret_help);
}

static bool is_colored(const struct live_state *live)
{
    const char *no_color = getenv("NO_COLOR");
    const char *terminal = getenv("TERM");

    if (live->color != COLOR_AUTO)
        return live->color == COLOR_ALWAYS;
    return isatty(STDOUT_FILENO) && !(no_color && *no_color) &&
           !(terminal && !strcmp(terminal, "dumb"));
}

/* ---- events ---- */

/* Prints all events that are available. Returns 0; ENODATA at the end; or the first error. */
static int print_events(struct live_state *live)
{
    const struct cairn_event *event;
    int error;

    while (!(error = cairn_reader_next(live->collection.reader, &event))) {
        if (live->with_spans) {
            error = cairn_stats_event(live->spans, event);
            if (error)
                return error;
            continue;
        }
        if (cairn_printer_event(live->printer, event))
            live->damaged++;
        if (cairn_printer_has_failed(live->printer))
            return cairn_printer_flush(live->printer);
    }
    return error == EAGAIN ? 0 : error;
}

/* Prints the events that were written before the session ended. */
static int print_rest(struct live_state *live)
{
    int error = print_events(live);

    return error == ENODATA ? 0 : error;
}

/* Reports losses at the position where they were noticed, in the format of trace_pipe. */
static void report_losses(struct live_state *live)
{
    uint64_t lost = cairn_session_counts(live->collection.session)->lost;
    char number[CAIRN_NUMBER_TEXT_BYTES];

    if (lost == live->reported_lost)
        return;
    cli_error(live->verb, "[LOST %s EVENTS]",
              cairn_number_text(lost - live->reported_lost, number));
    live->reported_lost = lost;
}

/* True if the reader of the pipe has ended. Without this check, only the next event would show it.
 */
static bool reader_has_ended(void)
{
    struct pollfd output = {.fd = STDOUT_FILENO};

    return poll(&output, 1, 0) > 0 && output.revents & POLLERR;
}

/* Names are the program's: they may have any characters. */
static int print_line(void *context, const char *line)
{
    char *printed;
    int error = cairn_style_text(CAIRN_STYLE_TEXT, line, strlen(line), &printed);

    (void)context;
    if (error)
        return error;
    puts(printed);
    free(printed);
    return 0;
}

/* Prints the open activities, once a second. */
static int print_spans(struct live_state *live)
{
    uint64_t now = cli_now_ns();
    int error;

    if (!live->with_spans || now - live->spans_ns < SPANS_NS)
        return 0;
    live->spans_ns = now;
    error = cli_open_spans_print(&(struct cli_open_spans){live->spans, live->collection.session,
                                                          UINT32_MAX, print_line, NULL});
    return fflush(stdout) ? EPIPE : error;
}

static int print_and_report(void *context)
{
    struct live_state *live = context;
    int error = print_events(live);
    int flush_error = cairn_printer_flush(live->printer);

    if (!error)
        error = print_spans(live);

    if (!error)
        error = flush_error;
    report_losses(live);
    cli_report_filter_problems(live->verb, live->collection.session, &live->checked_tracepoints);
    cli_report_useless_filters(live->verb, live->collection.session, live->collection.pattern_count,
                               &live->collection.reported_filters, NULL);
    return !error && reader_has_ended() ? EPIPE : error;
}

/* ---- the session ---- */

static int open_spans(struct live_state *live)
{
    struct cairn_stats_options how = CAIRN_STATS_OPTIONS_INIT;

    how.durations = true;
    return live->with_spans ? cairn_stats_create(&how, &live->spans) : 0;
}

static int open_printer(struct live_state *live)
{
    int error = cairn_printer_create(CAIRN_STYLE_TEXT, STDOUT_FILENO, &live->printer);

    if (!error)
        error = open_spans(live);
    if (error) {
        cli_errno(live->verb, error, "cannot start");
        return CLI_FAILED;
    }
    cairn_printer_set_color(live->printer, is_colored(live));
    cairn_printer_set_wait(live->printer, cli_wait_for_reader, &live->collection);
    cairn_printer_begin(live->printer, "live");
    return CLI_OK;
}

/* A reader of the pipe that ended early is neither a failure nor reported. */
static int end_session(struct live_state *live, int error)
{
    error = cli_collection_end(&live->collection, error, NULL);
    if (!error)
        error = print_rest(live);
    live->spans_ns = 0;
    if (!error)
        error = print_spans(live);
    if (!error)
        error = cairn_printer_finish(live->printer);
    if (error == EPIPE)
        return 0;
    if (error == ETIMEDOUT)
        cli_error(live->verb, "cannot write the events: the reader of the pipe does not read");
    else if (error)
        cli_errno(live->verb, error, "cannot write the events");
    return error;
}

static void report(struct live_state *live)
{
    const struct cli_collection *c = &live->collection;
    struct cairn_session_counts counts = *cairn_session_counts(c->session);
    char number[CAIRN_NUMBER_TEXT_BYTES];

    report_losses(live);
    cli_report_missing(live->verb, &counts);
    if (live->damaged) {
        cli_error(live->verb, "%s damaged event%s could be printed in part only",
                  cairn_number_text(live->damaged, number), cli_plural(live->damaged));
    }
    cli_report_unmatched(
        live->verb, c->session,
        &(struct cli_patterns){c->patterns, c->filters, c->pattern_count, c->reported_filters});
    cli_report_filters(c->session, live->quiet);
    if (c->command_argv)
        cli_report_command(live->verb, &c->command, c->command_argv[0]);
}

static int run_session(struct live_state *live)
{
    struct cli_collection *c = &live->collection;
    int status;
    int error;

    cli_collection_prepare(c);
    status = cli_collection_begin_reading(c, live->buffer_bytes);
    if (!status)
        status = cli_collection_start_command(c, false);
    if (status)
        return status;
    error = cli_collection_run(c, print_and_report, live);
    error = end_session(live, error);
    report(live);
    status = cli_collection_exit_status(c, error);
    return status || !live->damaged ? status : CLI_LOST;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct live_state live = {.verb = verb};
    bool help_wanted = false;
    int status = CLI_FAILED;

    if (cli_collection_open(&live.collection, verb, argc))
        status = parse_options(&live, argc, argv, &help_wanted);
    if (help_wanted)
        status = cli_print_help(verb);
    else if (!status)
        status = open_printer(&live);
    if (!status && !help_wanted)
        status = run_session(&live);
    cli_collection_close(&live.collection);
    cairn_printer_destroy(live.printer);
    cairn_stats_destroy(live.spans);
    return status;
}

const struct cli_verb cli_live = {
    .name = "live",
    .summary = "print events of programs while they happen",
    .usage = "live [options] [-- COMMAND [ARG...]]",
    .help = help,
    .run = run,
};
