/* SPDX-License-Identifier: MIT */
/* cairn top: which events programs write now, how many, and how long activities take. */
#include "cli/collection.h"
#include "cli/missing.h"
#include "cli/open_spans.h"
#include "cli/record_report.h"
#include "cli/top_screen.h"

#include <cairn/inspect.h>
#include <cairn/stats.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEFAULT_INTERVAL_NS UINT64_C(1000000000)
#define LINE_BYTES          512

enum top_view {
    VIEW_EVENT,
    VIEW_PROVIDER,
    VIEW_PROCESS,
    VIEW_THREAD,
    VIEW_DURATION,
    VIEW_SPAN,
    VIEWS
};

static const struct {
    const char *name;
    char key;
    enum cairn_stats_key by;
} views[VIEWS] = {
    [VIEW_EVENT] = {"event", 'e', CAIRN_STATS_BY_EVENT},
    [VIEW_PROVIDER] = {"provider", 'p', CAIRN_STATS_BY_PROVIDER},
    [VIEW_PROCESS] = {"process", 'c', CAIRN_STATS_BY_PROCESS},
    [VIEW_THREAD] = {"thread", 't', CAIRN_STATS_BY_THREAD},
    [VIEW_DURATION] = {"duration", 'd', CAIRN_STATS_BY_EVENT},
    [VIEW_SPAN] = {"span", 's', CAIRN_STATS_BY_EVENT},
};

struct top {
    struct cli_collection collection;
    const struct cli_verb *verb;
    size_t buffer_bytes;
    uint64_t interval_ns;
    bool is_plain;
    enum top_view view;
    struct cairn_stats *stats;     /* of this interval, by the view */
    struct cairn_stats *durations; /* of all activities so far */
    struct cli_screen screen;
    uint64_t shown_ns;
    uint64_t interval_lost; /* in the interval that ended last */
    uint64_t lost;          /* before the next interval, */
    uint64_t *lost_of;      /* by thread and event, in the order of the session; */
    size_t lost_count;      /* the part of it that is known, */
    uint64_t lost_unknown;  /* and of others */
};

/* ---- options ---- */

enum { OPTION_BUFFER = 256, OPTION_DURATION, OPTION_FILTER, OPTION_PLAIN };

static const struct option options[] = {
    {"event", required_argument, NULL, 'e'},
    {"filter", required_argument, NULL, OPTION_FILTER},
    {"by", required_argument, NULL, 'b'},
    {"interval", required_argument, NULL, 'i'},
    {"plain", no_argument, NULL, OPTION_PLAIN},
    {"buffer-size", required_argument, NULL, OPTION_BUFFER},
    {"duration", required_argument, NULL, OPTION_DURATION},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char help[] =
    "Shows which events programs write now, each second: those with the highest rate first,\n"
    "until Ctrl-C, or until COMMAND ends. On a terminal keys choose what is shown: e events,\n"
    "p providers, c processes, t threads, d durations, s open spans, q ends. Without a terminal\n"
    "lines are printed.\n"
    "\n"
    "  -e, --event PATTERN    events to count: a glob on names of tracepoints, as `cairn list`\n"
    "                         prints them, or PROVIDER:EVENT; may be given again [default: *]\n"
    "      --filter FILTER    of the events of the -e before it, only those that FILTER selects,\n"
    "                         which programs apply before they write\n"
    "  -b, --by WHAT          event, provider, process, thread; or duration: of the activities\n"
    "                         so far the number, the median, the 99th percentile and the\n"
    "                         longest, by the event that begins them; or span: the activities\n"
    "                         that are open now, with their age, the oldest first [event]\n"
    "  -i, --interval SECONDS time between two pictures [1]\n"
    "      --plain            print lines on a terminal, too\n"
    "      --buffer-size SIZE size of each process's buffer, 512K to 512M [default: 16M]\n"
    "      --duration SECONDS end after this time, and terminate a COMMAND that is still\n"
    "                         running (SIGTERM)\n"
    "  -h, --help             print this\n"
    "\n"
    "Exit status: COMMAND's own (128 + N if signal N killed it), unless that is 0 or\n"
    "COMMAND was terminated by cairn; otherwise\n"
    "3 if events are missing (lost, or of processes that could not be read),\n"
    "4 if a pattern matched no tracepoint or a filter selected no event,\n"
    "1 if reading or writing failed, 2 if the command line is invalid,\n"
    "126 or 127 if COMMAND could not be run.\n"
    "\n"
    "  cairn top\n"
    "  cairn top -b duration -e 'MyCompany_*' -- ./program\n";

static int set_view(struct top *top, const char *name)
{
    for (size_t i = 0; i < VIEWS; i++) {
        if (strcmp(name, views[i].name) != 0)
            continue;
        top->view = (enum top_view)i;
        return CLI_OK;
    }
    cli_error(top->verb,
              "invalid --by %s: expected event, provider, process, thread, duration or span", name);
    return CLI_USAGE;
}

static int set_interval(struct top *top, const char *text)
{
    if (cli_parse_seconds(text, &top->interval_ns))
        return CLI_OK;
    cli_error(top->verb, "invalid --interval %s: expected seconds, more than 0 and less than 1e9",
              text);
    return CLI_USAGE;
}

static int apply_option(void *context, int option, char **argv)
{
    struct top *top = context;

    switch (option) {
    case 'e':
        return cli_collection_add_pattern(&top->collection, optarg);
    case OPTION_FILTER:
        return cli_collection_add_filter(&top->collection, optarg);
    case 'b':
        return set_view(top, optarg);
    case 'i':
        return set_interval(top, optarg);
    case OPTION_PLAIN:
        top->is_plain = true;
        return CLI_OK;
    case OPTION_BUFFER:
        return cli_collection_parse_buffer(top->verb, optarg, &top->buffer_bytes);
    case OPTION_DURATION:
        return cli_collection_set_duration(&top->collection, optarg);
    default:
        return cli_bad_option(top->verb, option, argv);
    }
}

static int parse_options(struct top *top, int argc, char **argv, bool *ret_help)
{
    const struct cli_collection_options how = {"+:e:b:i:h", options, apply_option, top};

    return cli_collection_parse(&top->collection, &how, argc, argv, ret_help);
}

/* ---- events ---- */

/* Begins to count anew. Returns 0 or ENOMEM. */
static int begin_interval(struct top *top)
{
    struct cairn_stats_options how = CAIRN_STATS_OPTIONS_INIT;

    how.key = views[top->view].by;
    cairn_stats_destroy(top->stats);
    top->stats = NULL;
    return cairn_stats_create(&how, &top->stats);
}

static int begin_durations(struct top *top)
{
    struct cairn_stats_options how = CAIRN_STATS_OPTIONS_INIT;

    how.durations = true;
    return cairn_stats_create(&how, &top->durations);
}

/* Returns 0; ENODATA at the end; or the first error. */
static int count_events(struct top *top)
{
    const struct cairn_event *event;
    int error;

    while (!(error = cairn_reader_next(top->collection.reader, &event))) {
        error = cairn_stats_event(top->stats, event);
        if (!error)
            error = cairn_stats_event(top->durations, event);
        if (error)
            return error;
    }
    return error == EAGAIN ? 0 : error;
}

/* ---- losses ---- */

/* The losses of an interval, while they are counted. */
struct interval_losses {
    struct top *top;
    size_t at; /* number of the next thread and event */
    int error;
};

/* The count of the next thread and event when it was shown last; NULL: no memory. */
static uint64_t *lost_before(struct top *top, size_t at)
{
    uint64_t *more;

    if (at < top->lost_count)
        return &top->lost_of[at];
    more = reallocarray(top->lost_of, at + 1, sizeof(*more));
    if (!more)
        return NULL;
    top->lost_of = more;
    top->lost_count = at + 1;
    more[at] = 0;
    return &more[at];
}

static void count_loss(void *context, const struct cairn_session_loss *loss)
{
    struct interval_losses *losses = context;
    struct top *top = losses->top;
    bool is_known = loss->tid || *loss->provider;
    uint64_t *before = is_known ? lost_before(top, losses->at++) : &top->lost_unknown;
    struct cairn_stats_loss more = {loss->provider, loss->event, loss->comm,
                                    loss->pid,      loss->tid,   0};

    if (!before || losses->error) {
        losses->error = ENOMEM;
        return;
    }
    /* A loss of an unknown thread may become known later. */
    more.count = loss->lost > *before ? loss->lost - *before : 0;
    *before = loss->lost;
    if (more.count)
        losses->error = cairn_stats_lost(top->stats, &more);
}

/* Counts the losses of the interval, which ends. Returns 0 or ENOMEM. */
static int count_losses(struct top *top)
{
    uint64_t lost = cairn_session_counts(top->collection.session)->lost;
    struct interval_losses losses = {.top = top};

    top->interval_lost = lost - top->lost;
    top->lost = lost;
    cairn_session_each_loss(top->collection.session, count_loss, &losses);
    return losses.error;
}

/* ---- pictures ---- */

static void print_totals(struct top *top, double seconds)
{
    const struct cairn_stats_totals *totals = cairn_stats_totals(top->stats);
    const struct cairn_session_counts *counts = cairn_session_counts(top->collection.session);
    char line[LINE_BYTES];
    char events[CAIRN_NUMBER_TEXT_BYTES];
    char bytes[CAIRN_NUMBER_TEXT_BYTES];
    char lost_text[CAIRN_NUMBER_TEXT_BYTES];

    (void)snprintf(line, sizeof(line),
                   "%.1f s  %s events/s  %s/s  lost %s/s  %" PRIu32 " process%s  by %s%s",
                   (double)cli_collection_elapsed_ns(&top->collection) / 1e9,
                   cairn_number_text((uint64_t)((double)totals->events / seconds), events),
                   cairn_size_text((uint64_t)((double)totals->bytes / seconds), bytes),
                   cairn_number_text((uint64_t)((double)top->interval_lost / seconds), lost_text),
                   counts->alive, counts->alive == 1 ? "" : "es", views[top->view].name,
                   top->screen.has_keys ? "  (keys: e p c t d s q)" : "");
    cli_screen_line(&top->screen, line);
}

/* A filter that is invalid for all events so far: in each picture, or once where lines are. */
static void print_problems(struct top *top)
{
    struct cli_collection *c = &top->collection;
    char line[LINE_BYTES];

    if (!top->screen.is_terminal) {
        cli_report_useless_filters(top->verb, c->session, c->pattern_count, &c->reported_filters,
                                   NULL);
        return;
    }
    for (size_t i = 0; i < c->pattern_count; i++) {
        const char *problem = cairn_session_filter_problem(c->session, i);

        if (!problem)
            continue;
        (void)snprintf(line, sizeof(line), "the filter could be applied to no event: %s", problem);
        cli_screen_line(&top->screen, line);
    }
}

static void print_group(struct top *top, const struct cairn_stats_group *group, double seconds)
{
    char line[LINE_BYTES];
    char events[CAIRN_NUMBER_TEXT_BYTES];
    char bytes[CAIRN_NUMBER_TEXT_BYTES];
    char lost[CAIRN_NUMBER_TEXT_BYTES];

    (void)snprintf(line, sizeof(line), "%12s %12s %12s  %s%s%.16s",
                   cairn_number_text((uint64_t)((double)group->count / seconds), events),
                   cairn_size_text((uint64_t)((double)group->bytes / seconds), bytes),
                   cairn_number_text((uint64_t)((double)group->lost / seconds), lost), group->key,
                   group->comm[0] ? " " : "", group->comm);
    cli_screen_line(&top->screen, line);
}

static void print_duration(struct top *top, const struct cairn_stats_group *group)
{
    char line[LINE_BYTES];
    char count[CAIRN_NUMBER_TEXT_BYTES];
    char median[CAIRN_NUMBER_TEXT_BYTES];
    char high[CAIRN_NUMBER_TEXT_BYTES];
    char longest[CAIRN_NUMBER_TEXT_BYTES];

    (void)snprintf(line, sizeof(line), "%12s %10s %10s %10s  %s",
                   cairn_number_text(group->count, count),
                   cli_duration_text(cairn_stats_group_quantile(group, 0.5), median),
                   cli_duration_text(cairn_stats_group_quantile(group, 0.99), high),
                   cli_duration_text((double)group->max, longest), group->key);
    cli_screen_line(&top->screen, line);
}

static int print_span(void *context, const char *line)
{
    struct top *top = context;

    cli_screen_line(&top->screen, line);
    return 0;
}

static int print_spans(struct top *top)
{
    return cli_open_spans_print(&(struct cli_open_spans){
        top->durations, top->collection.session, cli_screen_left(&top->screen), print_span, top});
}

static int print_groups(struct top *top, double seconds)
{
    bool is_duration = top->view == VIEW_DURATION;
    const struct cairn_stats_group *const *groups;
    char line[LINE_BYTES];
    size_t count;
    int error = cairn_stats_list(is_duration ? top->durations : top->stats, &groups, &count);

    if (error)
        return error;
    if (is_duration)
        (void)snprintf(line, sizeof(line), "%12s %10s %10s %10s  EVENT", "COUNT", "P50", "P99",
                       "MAX");
    else
        (void)snprintf(line, sizeof(line), "%12s %12s %12s  %s", "EVENTS/s", "BYTES/s", "LOST/s",
                       views[top->view].name);
    cli_screen_line(&top->screen, line);
    for (size_t i = 0; i < count && cli_screen_left(&top->screen); i++) {
        if (is_duration)
            print_duration(top, groups[i]);
        else
            print_group(top, groups[i], seconds);
    }
    return 0;
}

/* Shows the interval, and begins the next one. */
static int show(struct top *top)
{
    uint64_t now = cli_now_ns();
    double seconds = (double)(now - top->shown_ns) / 1e9;
    int error;

    if (seconds <= 0)
        return 0;
    top->shown_ns = now;
    error = count_losses(top);
    if (error)
        return error;
    cli_screen_clear(&top->screen);
    print_totals(top, seconds);
    print_problems(top);
    error = top->view == VIEW_SPAN ? print_spans(top) : print_groups(top, seconds);
    if (!cli_screen_show(&top->screen))
        return EPIPE;
    return error ? error : begin_interval(top);
}

/* A view begins with an interval of its own. */
static int set_view_by_key(struct top *top, enum top_view view)
{
    int error = count_losses(top); /* those so far are not of the new interval */

    top->view = view;
    top->shown_ns = cli_now_ns();
    return error ? error : begin_interval(top);
}

static int handle_keys(struct top *top)
{
    int error = 0;
    int key;

    while (!error && (key = cli_screen_key(&top->screen))) {
        if (key == 'q' || key == 'Q')
            top->collection.is_stopped = true;
        for (size_t i = 0; i < VIEWS; i++) {
            if (key == views[i].key && top->view != (enum top_view)i)
                error = set_view_by_key(top, (enum top_view)i);
        }
    }
    return error;
}

static int count_and_show(void *context)
{
    struct top *top = context;
    int error = count_events(top);

    if (!error)
        error = handle_keys(top);
    if (!error && cli_now_ns() - top->shown_ns >= top->interval_ns)
        error = show(top);
    return error;
}

/* ---- the session ---- */

static void report(struct top *top)
{
    const struct cli_collection *c = &top->collection;
    struct cairn_session_counts counts = *cairn_session_counts(c->session);

    cli_report_missing(top->verb, &counts);
    cli_report_unmatched(
        top->verb, c->session,
        &(struct cli_patterns){c->patterns, c->filters, c->pattern_count, c->reported_filters});
    cli_report_filters(c->session, false);
    if (c->command_argv)
        cli_report_command(top->verb, &c->command, c->command_argv[0]);
}

/* The last, incomplete interval is printed where lines are. */
static int end_session(struct top *top, int error)
{
    error = cli_collection_end(&top->collection, error, NULL);
    if (!error)
        error = count_events(top);
    if (error == ENODATA)
        error = 0;
    if (!error && !top->screen.is_terminal)
        error = show(top);
    cli_screen_end(&top->screen);
    if (error == EPIPE)
        return 0;
    if (error)
        cli_errno(top->verb, error, "cannot count the events");
    return error;
}

static int run_session(struct top *top)
{
    struct cli_collection *c = &top->collection;
    int status;
    int error;

    cli_collection_prepare(c);
    status = cli_collection_begin_reading(c, top->buffer_bytes);
    if (!status)
        status = cli_collection_start_command(c, true);
    if (status)
        return status;
    error = begin_interval(top);
    if (!error)
        error = begin_durations(top);
    top->shown_ns = cli_now_ns();
    cli_screen_begin(&top->screen, top->is_plain);
    if (!error)
        error = cli_collection_run(c, count_and_show, top);
    error = end_session(top, error);
    report(top);
    return cli_collection_exit_status(c, error);
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct top top = {.verb = verb, .interval_ns = DEFAULT_INTERVAL_NS};
    bool help_wanted = false;
    int status = CLI_FAILED;

    if (cli_collection_open(&top.collection, verb, argc))
        status = parse_options(&top, argc, argv, &help_wanted);
    if (help_wanted)
        status = cli_print_help(verb);
    else if (!status)
        status = run_session(&top);
    cli_collection_close(&top.collection);
    cairn_stats_destroy(top.stats);
    cairn_stats_destroy(top.durations);
    free(top.lost_of);
    return status;
}

const struct cli_verb cli_top = {
    .name = "top",
    .summary = "show which events programs write now, and how many",
    .usage = "top [options] [-- COMMAND [ARG...]]",
    .help = help,
    .run = run,
};
