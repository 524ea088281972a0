/* SPDX-License-Identifier: MIT */
/* cairn stats: counts the events of recordings, and describes values and durations. */
#include "cli/stats.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

enum {
    OPTION_BY = CLI_CHOICE_END,
    OPTION_OF,
    OPTION_DURATIONS,
    OPTION_HISTOGRAM,
};

static const struct option options[] = {
    CLI_CHOICE_OPTIONS,
    {"by", required_argument, NULL, OPTION_BY},
    {"of", required_argument, NULL, OPTION_OF},
    {"durations", no_argument, NULL, OPTION_DURATIONS},
    {"histogram", no_argument, NULL, OPTION_HISTOGRAM},
    {"format", required_argument, NULL, 'f'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char help[] =
    "Counts the events of recordings, their bytes and their rate, and describes the values of a\n"
    "field: sum, minimum, maximum, and quantiles with an error of at most 0.8 percent. Reads "
    "once,\n"
    "in bounded memory.\n"
    "\n" CLI_CHOICE_HELP
    "      --by KEY         a line for each event, provider, process, thread, cpu, or value of\n"
    "                       the field KEY [default: event]\n"
    "      --of FIELD       the values of this field: DurationUs, Peer.Port\n"
    "      --durations      the durations in ns of activities and spans, from start to stop\n"
    "      --histogram      with --of or --durations, also print a histogram\n"
    "  -f, --format FORMAT  text or jsonl [default: text]\n"
    "  -h, --help           print this\n"
    "\n"
    "Exit status: 0; 1 if a file or an event could be read in part only; 2 if the command line\n"
    "is invalid; 4 if a PATTERN matched no event, none has the fields of EXPR or FIELD, or a\n"
    "FILE lacks the time of day that TIME is.\n"
    "\n"
    "  cairn stats trace.cairn\n"
    "  cairn stats -e 'MyProvider:Request' --of DurationUs --by Path trace.cairn\n";

/* ---- the command line ---- */

static void take_key(struct cli_stats *stats, const char *name)
{
    /* in the order of enum cairn_stats_key */
    static const char *const keys[] = {"event", "provider", "process", "thread", "cpu"};

    stats->options.key = CAIRN_STATS_BY_FIELD;
    stats->options.key_field = name;
    stats->key_name = name;
    for (unsigned n = 0; n < sizeof(keys) / sizeof(*keys); n++) {
        if (!strcmp(name, keys[n]))
            stats->options.key = (enum cairn_stats_key)n;
    }
}

static int take_format(struct cli_stats *stats, const char *name)
{
    stats->as_json = !strcmp(name, "jsonl");
    if (stats->as_json || !strcmp(name, "text"))
        return CLI_OK;
    cli_error(stats->verb, "no such format: %s (text and jsonl)", name);
    return CLI_USAGE;
}

static int take_option(struct cli_stats *stats, int option, char **argv)
{
    int status = cli_choice_take(&stats->inputs.choice, option, optarg);

    if (status >= 0)
        return status;
    switch (option) {
    case OPTION_BY:
        take_key(stats, optarg);
        return CLI_OK;
    case OPTION_OF:
        stats->options.value_field = optarg;
        return CLI_OK;
    case OPTION_DURATIONS:
        stats->options.durations = true;
        return CLI_OK;
    case OPTION_HISTOGRAM:
        stats->histogram = true;
        return CLI_OK;
    case 'f':
        return take_format(stats, optarg);
    default:
        return cli_bad_option(stats->verb, option, argv);
    }
}

static int parse_arguments(int argc, char **argv, struct cli_stats *stats, bool *ret_help)
{
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, ":e:f:h", options, NULL)) != -1) {
        int status;

        if (option == 'h') {
            *ret_help = true;
            return CLI_OK;
        }
        status = take_option(stats, option, argv);
        if (status)
            return status;
    }
    if (stats->options.durations && stats->options.value_field) {
        cli_error(stats->verb, "--of and --durations cannot be combined");
        return CLI_USAGE;
    }
    if (stats->histogram && !stats->options.durations && !stats->options.value_field) {
        cli_error(stats->verb, "--histogram needs --of or --durations");
        return CLI_USAGE;
    }
    cli_inputs_take(&stats->inputs, argc, argv, optind);
    return CLI_OK;
}

/* ---- events ---- */

/* True if a part of the event that the reader returned last cannot be read. */
static bool is_damaged(struct cairn_reader *reader)
{
    struct cairn_items *items = cairn_reader_items(reader);
    struct cairn_item item;

    while (cairn_items_next(items, &item))
        ;
    return cairn_items_error(items) != CAIRN_EVENT_WHOLE;
}

static int handle(void *context, struct cairn_reader *reader, const struct cairn_event *event,
                  uint64_t *damaged)
{
    struct cli_stats *stats = (struct cli_stats *)context;

    *damaged += is_damaged(reader);
    return cairn_stats_event(stats->stats, event);
}

static int count_losses(void *context, struct cairn_reader *reader, uint64_t *damaged)
{
    struct cli_stats *stats = (struct cli_stats *)context;

    (void)damaged;
    stats->lost += cairn_reader_counts(reader)->lost;
    return 0;
}

/* ---- results ---- */

static int report_missing_field(const struct cli_stats *stats, const char *name)
{
    cli_error(stats->verb, "no event has the field %s", name);
    return CLI_NOTHING;
}

/* True if events were counted. */
static bool has_groups(const struct cli_stats *stats)
{
    const struct cairn_stats_group *const *groups;
    size_t count;

    return cairn_stats_list(stats->stats, &groups, &count) || count;
}

static int report_fields(const struct cli_stats *stats, const struct cairn_stats_totals *totals)
{
    const struct cairn_stats_options *options = &stats->options;

    if (options->value_field && !totals->value_was_found)
        return report_missing_field(stats, options->value_field);
    if (options->value_field && !totals->value_was_number) {
        cli_error(stats->verb, "the field %s is no number", options->value_field);
        return CLI_NOTHING;
    }
    if (options->key == CAIRN_STATS_BY_FIELD && totals->events && !totals->key_was_found)
        return report_missing_field(stats, options->key_field);
    if (options->key == CAIRN_STATS_BY_FIELD && options->value_field && !has_groups(stats)) {
        cli_error(stats->verb, "no event has both fields, %s as a number and %s",
                  options->value_field, options->key_field);
        return CLI_NOTHING;
    }
    return CLI_OK;
}

static int report(struct cli_stats *stats)
{
    const struct cairn_stats_totals *totals = cairn_stats_totals(stats->stats);
    int status = report_fields(stats, totals);

    if (totals->has_others)
        cli_error(stats->verb, "only the first %u values of %s have a line; the others are in %s",
                  CAIRN_STATS_GROUPS_MAX, stats->key_name, CAIRN_STATS_OTHERS);
    if (totals->ends_without_begin)
        cli_error(stats->verb, "%" PRIu64 " activities ended that had not begun",
                  totals->ends_without_begin);
    if (totals->unfinished)
        cli_error(stats->verb,
                  "%" PRIu64 " activities did not end, or too many others began before they did",
                  totals->unfinished);
    return status;
}

static int count(struct cli_stats *stats)
{
    int status = cli_choice_begin(&stats->inputs.choice);
    int err;

    if (status)
        return status;
    err = cairn_stats_create(&stats->options, &stats->stats);
    if (err) {
        cli_error(stats->verb, "%s", strerror(err));
        return CLI_FAILED;
    }
    stats->inputs.context = stats;
    stats->inputs.event = handle;
    stats->inputs.end = count_losses;
    status = cli_inputs_read(&stats->inputs);
    err = status == CLI_USAGE ? 0 : cli_stats_print(stats);
    if (err) {
        cli_error(stats->verb, "%s", strerror(err));
        return CLI_FAILED;
    }
    if (!status)
        status = report(stats);
    return status;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct cli_stats stats = {
        .verb = verb,
        .inputs = {.verb = verb, .choice = {.verb = verb}, .options = CAIRN_READER_OPTIONS_INIT},
        .options = CAIRN_STATS_OPTIONS_INIT,
        .key_name = "event",
    };
    bool help_wanted = false;
    int status = parse_arguments(argc, argv, &stats, &help_wanted);

    if (help_wanted)
        status = cli_print_help(verb);
    else if (!status)
        status = count(&stats);
    cli_choice_end(&stats.inputs.choice);
    cairn_stats_destroy(stats.stats);
    return status;
}

const struct cli_verb cli_stats = {
    .name = "stats",
    .summary = "count the events of a recording, and describe values and durations",
    .usage = "stats [options] [FILE...]",
    .help = help,
    .run = run,
};
