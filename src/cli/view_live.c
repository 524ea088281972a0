/* SPDX-License-Identifier: MIT */
/* cairn view --live: serves the events of running programs as a page. */
#include "cli/view.h"

#include "cli/collection.h"
#include "cli/missing.h"
#include "cli/record_report.h"

#include <errno.h>
#include <string.h>

enum {
    OPTION_LIVE = 0x100,
    OPTION_FILTER,
    OPTION_DURATION,
    OPTION_BUFFER,
    OPTION_PORT,
    OPTION_TITLE
};

static const struct option options[] = {
    {"live", no_argument, NULL, OPTION_LIVE},
    {"event", required_argument, NULL, 'e'},
    {"filter", required_argument, NULL, OPTION_FILTER},
    {"duration", required_argument, NULL, OPTION_DURATION},
    {"buffer-size", required_argument, NULL, OPTION_BUFFER},
    {"port", required_argument, NULL, OPTION_PORT},
    {"title", required_argument, NULL, OPTION_TITLE},
    {"help", no_argument, NULL, 'h'},
    {0},
};

#define WAIT_MS 1000u /* of the server's main thread, for a signal */

struct view_live {
    struct cli_view serving;
    struct cli_collection collection;
    size_t buffer_bytes;
};

/* ---- the command line ---- */

static int take_option(void *context, int option, char **argv)
{
    struct view_live *live = context;

    switch (option) {
    case OPTION_LIVE:
        return CLI_OK;
    case 'e':
        return cli_collection_add_pattern(&live->collection, optarg);
    case OPTION_FILTER:
        return cli_collection_add_filter(&live->collection, optarg);
    case OPTION_DURATION:
        return cli_collection_set_duration(&live->collection, optarg);
    case OPTION_BUFFER:
        return cli_collection_parse_buffer(live->serving.verb, optarg, &live->buffer_bytes);
    case OPTION_PORT:
        return cli_view_set_port(&live->serving, optarg);
    case OPTION_TITLE:
        live->serving.title = optarg;
        return CLI_OK;
    default:
        return cli_bad_option(live->serving.verb, option, argv);
    }
}

static int parse_options(struct view_live *live, int argc, char **argv, bool *ret_help)
{
    const struct cli_collection_options how = {"+:e:h", options, take_option, live};

    return cli_collection_parse(&live->collection, &how, argc, argv, ret_help);
}

/* ---- events ---- */

static int take_events(void *context)
{
    struct view_live *live = (struct view_live *)context;
    struct cli_view *serving = &live->serving;
    const struct cairn_event *event;
    int err;

    cli_view_lock(serving);
    while (!(err = cairn_reader_next(live->collection.reader, &event)) && !serving->error) {
        serving->error = cairn_report_event(serving->report, event, 0, NULL);
        cli_view_yield(serving);
    }
    if (!serving->error)
        serving->error = cairn_report_set_source(serving->report, 0, "live",
                                                 cairn_reader_counts(live->collection.reader));
    cli_view_unlock(serving);
    cli_report_useless_filters(serving->verb, live->collection.session,
                               live->collection.pattern_count, &live->collection.reported_filters,
                               NULL);
    if (serving->error)
        return serving->error;
    return err == EAGAIN || err == ENODATA ? 0 : err;
}

static void report(struct view_live *live)
{
    const struct cli_collection *c = &live->collection;
    struct cairn_session_counts counts = *cairn_session_counts(c->session);

    cli_report_missing(live->serving.verb, &counts);
    cli_report_unmatched(
        live->serving.verb, c->session,
        &(struct cli_patterns){c->patterns, c->filters, c->pattern_count, c->reported_filters});
}

/* The command, or the duration, ended: the page stays until a signal comes. */
static void serve_rest(struct view_live *live)
{
    struct cli_collection *c = &live->collection;

    while (!c->signals.end_requests && cli_signals_wait(&c->signals, &c->command, WAIT_MS))
        ;
}

static int serve(struct view_live *live)
{
    struct cli_collection *c = &live->collection;
    int status;
    int err;

    cli_collection_prepare(c);
    status = cli_collection_begin_reading(c, live->buffer_bytes);
    if (!status)
        status = cli_view_open(&live->serving);
    if (!status)
        status = cli_collection_start_command(c, true);
    if (status)
        return status;
    err = cli_collection_run(c, take_events, live);
    err = cli_collection_end(c, err, NULL);
    if (!err)
        err = take_events(live);
    status = cli_view_finish(&live->serving);
    report(live);
    if (!status && !err)
        serve_rest(live);
    return status ? status : cli_collection_exit_status(c, err);
}

int cli_view_live(const struct cli_verb *verb, int argc, char **argv)
{
    struct view_live live = {.serving = {.verb = verb, .title = "live"}};
    bool help_wanted = false;
    int status = CLI_FAILED;

    if (cli_collection_open(&live.collection, verb, argc))
        status = parse_options(&live, argc, argv, &help_wanted);
    if (help_wanted)
        status = cli_print_help(verb);
    else if (!status)
        status = serve(&live);
    cli_view_close(&live.serving);
    cli_collection_close(&live.collection);
    return status;
}
