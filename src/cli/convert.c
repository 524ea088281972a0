/* SPDX-License-Identifier: MIT */
/* cairn convert: from perf.data to a trace file, and back. */
#include "cli/format.h"
#include "cli/made_output.h"
#include "cli/missing.h"
#include "cli/open_spans.h"

#include <cairn/convert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option options[] = {
    {"format", required_argument, NULL, 'f'},
    {"compress", optional_argument, NULL, 'z'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char help[] =
    "Converts a recording between perf.data and cairn's trace file. IN and OUT may be - for\n"
    "standard input and standard output. A name that ends in .cairn is a trace file, any\n"
    "other OUT is perf.data. Data that the other format cannot contain is left out, and this\n"
    "is reported.\n"
    "\n"
    "  -f, --format FORMAT   cairn or perf, whatever OUT is called\n"
    "  -z, --compress[=LEVEL] compress a trace file by zstd, level 1 to 19 [3]\n"
    "  -h, --help            print this\n"
    "\n"
    "Exit status: 0; 1 when IN could be read in part only, or something could not be\n"
    "written; 2 if the command line is invalid; 3 when OUT lacks events that IN has.\n"
    "\n"
    "  cairn convert perf.data trace.cairn\n"
    "  cairn convert -z trace.perf.data small.cairn\n"
    "  cairn convert trace.cairn trace.perf.data && perf script -i trace.perf.data\n";

struct convert_arguments {
    const struct cli_verb *verb;
    struct cli_format format;
    const char *input;
    const char *output;
};

/* If help is requested it sets *ret_help instead. */
static int parse_arguments(int argc, char **argv, struct convert_arguments *args, bool *ret_help)
{
    int status = CLI_OK;
    int option;

    optind = 1;
    while (!status && (option = getopt_long(argc, argv, ":f:z::h", options, NULL)) != -1) {
        if (option == 'h') {
            *ret_help = true;
            return CLI_OK;
        }
        if (option == 'f')
            status = cli_format_set(args->verb, optarg, &args->format);
        else if (option == 'z')
            status = cli_format_set_level(args->verb, optarg, false, &args->format);
        else
            status = cli_bad_option(args->verb, option, argv);
    }
    if (status)
        return status;
    if (argc - optind != 2) {
        cli_error(args->verb, "two files are needed: IN and OUT");
        return CLI_USAGE;
    }
    args->input = argv[optind];
    args->output = argv[optind + 1];
    return cli_format_check(args->verb, args->output, &args->format);
}

static int report_error(const struct convert_arguments *args, int err,
                        const struct cairn_convert_report *report)
{
    const struct cairn_perf_error *error = &report->error;

    if (error->code && error->text && (err == EBADMSG || err == EINVAL))
        cli_error(args->verb, "%s: at byte %" PRIu64 ": %s", args->input, error->offset,
                  error->text);
    else if (error->code)
        cli_errno(args->verb, err, "%s%s%s", args->input, error->text ? ": " : "",
                  error->text ? error->text : "");
    else if (err == EOPNOTSUPP)
        cli_errno(args->verb, err, "%s", args->format.level ? "compression" : args->input);
    else
        cli_errno(args->verb, err, "%s", args->output);
    if (err == EINVAL && error->code && cli_format_is_trace(args->output, &args->format))
        cli_error(args->verb, "a trace file is made of perf.data, and of another trace file by "
                              "cairn cat -o OUT IN");
    return CLI_FAILED;
}

/* Reports what the output lacks. Returns the exit status. */
static int report_reductions(const struct convert_arguments *args,
                             const struct cairn_convert_report *report)
{
    const struct cli_verb *verb = args->verb;
    char text[CAIRN_NUMBER_TEXT_BYTES];

    if (report->lost)
        cli_error(verb, "%s: %" PRIu64 " events were lost while recording", args->input,
                  report->lost);
    cli_report_missing_from(verb, args->input, &report->missing);
    if (report->is_reduced)
        cli_error(verb, "left out: addresses and periods of samples");
    if (report->stacks)
        cli_error(verb, "left out: the call chains of %" PRIu64 " events", report->stacks);
    if (report->wall_error_ns)
        cli_error(verb,
                  "left out: changes of the system's clock: times of day are wrong by up to %s",
                  cli_duration_text((double)report->wall_error_ns, text));
    if (report->records)
        cli_error(verb, "left out: %" PRIu64 " records of mappings and of other kinds",
                  report->records);
    if (report->no_tracepoints)
        cli_error(verb, "left out: %" PRIu64 " samples that belong to no tracepoint",
                  report->no_tracepoints);
    if (report->unreadable)
        cli_error(verb, "left out: %" PRIu64 " events that cannot be read", report->unreadable);
    if (report->foreign)
        cli_error(verb,
                  "left out: %" PRIu64 " events of machines of another byte order or size of long",
                  report->foreign);
    return report->no_tracepoints || report->unreadable || report->foreign ? CLI_LOST : CLI_OK;
}

/* Damaged input is converted up to the damage, and this part of the output is kept. */
static int convert_into(const struct convert_arguments *args, struct cli_record_output *output)
{
    const struct cairn_convert_options options = {
        .size = sizeof(options), .level = args->format.level, .mode = output->mode};
    struct cairn_convert_report report;
    int err = cli_format_is_trace(args->output, &args->format)
                  ? cairn_convert_to_trace(args->input, output->fd, &options, &report)
                  : cairn_convert_to_perf(args->input, output->fd, &options, &report);
    int status = report_reductions(args, &report);

    if (err)
        status = report_error(args, err, &report);
    if (!err || (err == EBADMSG && report.events))
        cli_made_output_keep(output);
    return status;
}

static int convert(const struct convert_arguments *args)
{
    struct cli_record_output output = {.verb = args->verb, .path = args->output, .fd = -1};
    int status = cli_made_output_open(&output);

    if (!status)
        status = cli_made_output_empty(&output, &args->input, 1);
    if (!status)
        status = convert_into(args, &output);
    if (!cli_record_output_close(&output) && !status)
        status = CLI_FAILED;
    return status;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct convert_arguments args = {.verb = verb, .format = {.is_perf = true}};
    bool help_wanted = false;
    int status = parse_arguments(argc, argv, &args, &help_wanted);

    if (help_wanted)
        return cli_print_help(verb);
    return status || !args.output ? status : convert(&args);
}

const struct cli_verb cli_convert = {
    .name = "convert",
    .summary = "convert a recording from perf.data to a trace file, or back",
    .usage = "convert [options] IN OUT",
    .help = help,
    .run = run,
};
