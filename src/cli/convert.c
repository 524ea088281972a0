/* SPDX-License-Identifier: MIT */
/* cairn convert: from perf.data to a trace file, and back. */
#include "cli/missing.h"
#include "cli/record_output.h"
#include "convert/convert.h"

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
    "standard input and standard output. The format of OUT is the one that its name ends in:\n"
    ".cairn is a trace file, anything else is perf.data. What the other format cannot\n"
    "express is reported.\n"
    "\n"
    "  -f, --format FORMAT   cairn or perf, whatever OUT is called\n"
    "  -z, --compress[=LEVEL] compress a trace file by zstd, level 1 to 19 [3]\n"
    "  -h, --help            print this\n"
    "\n"
    "Exit status: 0; 1 when IN could be read in part only, or something could not be\n"
    "written; 2 for a wrong command line; 3 when OUT lacks events that IN has.\n"
    "\n"
    "  cairn convert perf.data trace.cairn\n"
    "  cairn convert -z trace.perf.data small.cairn\n"
    "  cairn convert trace.cairn trace.perf.data && perf script -i trace.perf.data\n";

#define DEFAULT_LEVEL 3
#define MAX_LEVEL     19

struct arguments {
    const struct cli_verb *verb;
    const char *format; /* NULL: by the name of the output */
    int level;
    const char *input;
    const char *output;
};

static bool parse_level(const char *text, int *ret_level)
{
    char *end;
    long level = text ? strtol(text, &end, 10) : DEFAULT_LEVEL;

    if (text && (!*text || *end || level < 1 || level > MAX_LEVEL))
        return false;
    *ret_level = (int)level;
    return true;
}

/* Sets *ret_help instead when help is asked for. */
static int parse_arguments(int argc, char **argv, struct arguments *args, bool *ret_help)
{
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, ":f:z::h", options, NULL)) != -1) {
        if (option == 'h') {
            *ret_help = true;
            return CLI_OK;
        }
        if (option == 'f') {
            args->format = optarg;
        } else if (option != 'z') {
            return cli_bad_option(args->verb, option, argv);
        } else if (!parse_level(optarg, &args->level)) {
            cli_error(args->verb, "a level of compression is a number from 1 to %d: %s", MAX_LEVEL,
                      optarg);
            return CLI_USAGE;
        }
    }
    if (args->format && strcmp(args->format, "cairn") != 0 && strcmp(args->format, "perf") != 0) {
        cli_error(args->verb, "no such format: %s; there are cairn and perf", args->format);
        return CLI_USAGE;
    }
    if (argc - optind != 2) {
        cli_error(args->verb, "two files are needed: IN and OUT");
        return CLI_USAGE;
    }
    args->input = argv[optind];
    args->output = argv[optind + 1];
    return CLI_OK;
}

static bool ends_in(const char *text, const char *end)
{
    size_t length = strlen(text);
    size_t end_length = strlen(end);

    return length >= end_length && !strcmp(text + length - end_length, end);
}

static bool is_to_trace(const struct arguments *args)
{
    return args->format ? !strcmp(args->format, "cairn") : ends_in(args->output, ".cairn");
}

static int report_error(const struct arguments *args, int err, const struct convert_report *report)
{
    const struct cairn_perf_error *error = &report->error;

    if (error->code && error->text && err == EBADMSG)
        cli_error(args->verb, "%s: at byte %" PRIu64 ": %s", args->input, error->offset,
                  error->text);
    else if (error->code)
        cli_errno(args->verb, err, "%s%s%s", args->input, error->text ? ": " : "",
                  error->text ? error->text : "");
    else if (err == EOPNOTSUPP)
        cli_errno(args->verb, err, "%s", args->level ? "compression" : args->input);
    else
        cli_errno(args->verb, err, "%s", args->output);
    return CLI_FAILED;
}

/* Reports what the output lacks. Returns the exit status. */
static int report_reductions(const struct arguments *args, const struct convert_report *report)
{
    const struct cli_verb *verb = args->verb;

    if (report->lost)
        cli_error(verb, "%s: %" PRIu64 " events were lost while recording", args->input,
                  report->lost);
    cli_report_missing_from(verb, args->input, &report->missing);
    if (report->is_reduced)
        cli_error(verb, "left out: addresses and periods of samples");
    if (report->stacks)
        cli_error(verb, "left out: the call chains of %" PRIu64 " events", report->stacks);
    if (report->records)
        cli_error(verb, "left out: %" PRIu64 " records about mappings and the like",
                  report->records);
    if (report->no_tracepoints)
        cli_error(verb, "left out: %" PRIu64 " samples that are of no tracepoint",
                  report->no_tracepoints);
    if (report->unreadable)
        cli_error(verb, "left out: %" PRIu64 " events that cannot be read", report->unreadable);
    return report->no_tracepoints || report->unreadable ? CLI_LOST : CLI_OK;
}

/* Damaged input is converted up to the damage, and that is kept. */
static int convert_into(const struct arguments *args, struct cli_record_output *output)
{
    struct convert_report report;
    int err = is_to_trace(args) ? convert_to_trace(args->input, output->fd, args->level, &report)
                                : convert_to_perf(args->input, output->fd, output->mode, &report);
    int status = report_reductions(args, &report);

    if (err)
        status = report_error(args, err, &report);
    if (!err || (err == EBADMSG && report.events))
        cli_record_output_keep(output);
    return status;
}

static int convert(const struct arguments *args)
{
    struct cli_record_output output = {.verb = args->verb, .path = args->output, .fd = -1};
    int status = cli_record_output_open(&output);

    if (!status)
        status = cli_record_output_create(&output);
    if (!status && output.mode == CAIRN_PERF_FILE && ftruncate(output.fd, 0) < 0) {
        cli_errno(args->verb, errno, "%s", args->output);
        status = CLI_FAILED;
    }
    if (!status)
        status = convert_into(args, &output);
    if (!cli_record_output_close(&output) && !status)
        status = CLI_FAILED;
    return status;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct arguments args = {.verb = verb};
    bool help_wanted = false;
    int status = parse_arguments(argc, argv, &args, &help_wanted);

    if (help_wanted)
        return cli_print_help(verb);
    return status || !args.output ? status : convert(&args);
}

const struct cli_verb cli_convert = {
    .name = "convert",
    .summary = "convert a recording between perf.data and a trace file",
    .usage = "convert [options] IN OUT",
    .help = help,
    .run = run,
};
