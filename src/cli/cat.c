/* SPDX-License-Identifier: MIT */
/* cairn cat: merges recordings in the order of time. */
#include "cli/format.h"
#include "cli/made_output.h"
#include "cli/missing.h"

#include <cairn/convert.h>
#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static const struct option options[] = {
    {"output", required_argument, NULL, 'o'},
    {"offset", required_argument, NULL, 't'},
    {"compress", optional_argument, NULL, 'z'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char help[] =
    "Merges recordings (trace files and perf.data) of several recorders or machines into one\n"
    "trace file, in the order of time. Times become those of the first file's clock: files of\n"
    "another machine are compared by the time of day.\n"
    "\n"
    "  -o, --output OUT       trace file to write; - is standard output\n"
    "  -t, --offset SHIFT     FILE=DURATION: add it to all times of FILE, whose clock is wrong;\n"
    "                         with a sign, and a unit: ns, us, ms, s, m, h [s]\n"
    "  -z, --compress[=LEVEL] compress by zstd, level 1 to 19 [3]\n"
    "  -h, --help             print this\n"
    "\n"
    "Exit status: 0; 1 if a file could be read in part only or not at all, or OUT could not\n"
    "be written; 2 if the command line is invalid; 3 if OUT lacks events that a file has.\n"
    "\n"
    "  cairn cat -o all.cairn server.cairn client.cairn\n"
    "  cairn cat -o all.cairn a.cairn b.perf.data --offset b.perf.data=-20ms\n";

struct cat_arguments {
    const struct cli_verb *verb;
    const char *output;
    struct cli_format format;
    const char **offsets;
    size_t offset_count;
    const char **paths; /* of the inputs */
    struct cairn_convert_input *inputs;
    size_t input_count;
};

/* Parses "+1.5ms". */
static bool parse_duration(const char *text, int64_t *ret_ns)
{
    static const struct {
        const char *unit;
        double ns;
    } units[] = {{"ns", 1}, {"us", 1e3}, {"ms", 1e6},  {"s", 1e9},
                 {"", 1e9}, {"m", 6e10}, {"h", 3.6e12}};
    char *end;
    double value = strtod(text, &end);

    if (end == text || !__builtin_isfinite(value))
        return false;
    for (size_t n = 0; n < sizeof(units) / sizeof(*units); n++) {
        if (!strcmp(end, units[n].unit) && __builtin_fabs(value * units[n].ns) < 9e18) {
            *ret_ns = (int64_t)(value * units[n].ns + (value < 0 ? -0.5 : 0.5));
            return true;
        }
    }
    return false;
}

/* A file's name may contain an equals sign; a duration cannot. */
static int apply_offset(const struct cat_arguments *args, const char *text)
{
    const char *equals = strrchr(text, '=');
    int64_t offset_ns;
    bool is_used = false;

    if (!equals || !parse_duration(equals + 1, &offset_ns)) {
        cli_error(args->verb, "an offset is FILE=DURATION, such as a.cairn=-1.5ms: %s", text);
        return CLI_USAGE;
    }
    for (size_t n = 0; n < args->input_count; n++) {
        const char *path = args->inputs[n].path;

        if (strlen(path) == (size_t)(equals - text) && !strncmp(path, text, strlen(path))) {
            args->inputs[n].offset_ns = offset_ns;
            is_used = true;
        }
    }
    if (is_used)
        return CLI_OK;
    cli_error(args->verb, "--offset names none of the files: %s", text);
    return CLI_USAGE;
}

/* If help is requested it sets *ret_help instead. */
static int parse_options(int argc, char **argv, struct cat_arguments *args, bool *ret_help)
{
    int status = CLI_OK;
    int option;

    optind = 1;
    while (!status && (option = getopt_long(argc, argv, ":o:t:z::h", options, NULL)) != -1) {
        if (option == 'h') {
            *ret_help = true;
            return CLI_OK;
        }
        if (option == 'o')
            args->output = optarg;
        else if (option == 't')
            args->offsets[args->offset_count++] = optarg;
        else if (option == 'z')
            status = cli_format_set_level(args->verb, optarg, false, &args->format);
        else
            status = cli_bad_option(args->verb, option, argv);
    }
    return status;
}

static int parse_files(int argc, char **argv, struct cat_arguments *args)
{
    int status = CLI_OK;

    if (!args->output || optind == argc) {
        cli_error(args->verb,
                  args->output ? "at least one file is needed" : "an output is needed: -o OUT");
        return CLI_USAGE;
    }
    for (; optind < argc; optind++) {
        args->paths[args->input_count] = argv[optind];
        args->inputs[args->input_count++].path = argv[optind];
    }
    for (size_t n = 0; n < args->offset_count && !status; n++)
        status = apply_offset(args, args->offsets[n]);
    return status;
}

static void report_error(const struct cat_arguments *args, const struct cairn_convert_input *input)
{
    const struct cairn_perf_error *error = &input->report.error;

    if (input->error == ERANGE && input->offset_ns)
        cli_error(args->verb,
                  "%s: its times of day plus the offset are before 1970 or after 2262: left out",
                  input->path);
    else if (error->text && input->error == EBADMSG)
        cli_error(args->verb, "%s: at byte %" PRIu64 ": %s", input->path, error->offset,
                  error->text);
    else
        cli_errno(args->verb, input->error, "%s%s%s", input->path, error->text ? ": " : "",
                  error->text ? error->text : "");
}

/* Reports what the output lacks of an input. Returns an exit status. */
static int report_input(const struct cat_arguments *args, const struct cairn_convert_input *input)
{
    const struct cairn_convert_report *report = &input->report;

    if (report->lost)
        cli_error(args->verb, "%s: %" PRIu64 " events were lost while recording", input->path,
                  report->lost);
    cli_report_missing_from(args->verb, input->path, &report->missing);
    if (input->has_no_clock)
        cli_error(args->verb, "%s: the time of day is not known: its times are not changed",
                  input->path);
    if (report->is_reduced)
        cli_error(args->verb, "%s: left out: addresses and periods of samples", input->path);
    if (report->stacks)
        cli_error(args->verb, "%s: left out: the call chains of %" PRIu64 " events", input->path,
                  report->stacks);
    if (report->records)
        cli_error(args->verb, "%s: left out: %" PRIu64 " records of mappings and of other kinds",
                  input->path, report->records);
    if (report->unreadable || report->no_tracepoints)
        cli_error(args->verb, "%s: left out: %" PRIu64 " events that cannot be read or converted",
                  input->path, report->unreadable + report->no_tracepoints);
    if (input->error)
        report_error(args, input);
    return input->error                                   ? CLI_FAILED
           : report->unreadable || report->no_tracepoints ? CLI_LOST
                                                          : CLI_OK;
}

static int merge_into(const struct cat_arguments *args, struct cli_record_output *output)
{
    const struct cairn_convert_options options = {.size = sizeof(options),
                                                  .level = args->format.level};
    int err = cairn_convert_merge(output->fd, &options, args->inputs, args->input_count);
    uint64_t events = 0;
    int status = CLI_OK;

    for (size_t n = 0; n < args->input_count; n++) {
        int input_status = report_input(args, &args->inputs[n]);

        if (input_status && status != CLI_FAILED)
            status = input_status;
        events += args->inputs[n].report.events;
    }
    if (err) {
        cli_errno(args->verb, err, "%s", cli_record_output_name(output));
        status = CLI_FAILED;
    }
    if (!err && (events || status != CLI_FAILED))
        cli_made_output_keep(output);
    return status;
}

static int merge(const struct cat_arguments *args)
{
    struct cli_record_output output = {.verb = args->verb, .path = args->output, .fd = -1};
    int status = cli_made_output_open(&output);

    if (!status)
        status = cli_made_output_empty(&output, args->paths, args->input_count);
    if (!status)
        status = merge_into(args, &output);
    if (!cli_record_output_close(&output) && !status)
        status = CLI_FAILED;
    return status;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct cat_arguments args = {
        .verb = verb,
        .offsets = (const char **)calloc((size_t)argc, sizeof(*args.offsets)),
        .paths = (const char **)calloc((size_t)argc, sizeof(*args.paths)),
        .inputs = (struct cairn_convert_input *)calloc((size_t)argc, sizeof(*args.inputs)),
    };
    bool help_wanted = false;
    int status = CLI_FAILED;

    if (args.offsets && args.paths && args.inputs)
        status = parse_options(argc, argv, &args, &help_wanted);
    else
        cli_errno(verb, ENOMEM, "cannot begin");
    if (help_wanted)
        status = cli_print_help(verb);
    else if (!status)
        status = parse_files(argc, argv, &args);
    if (!help_wanted && !status)
        status = merge(&args);
    free(args.offsets);
    free(args.paths);
    free(args.inputs);
    return status;
}

const struct cli_verb cli_cat = {
    .name = "cat",
    .summary = "merge recordings in the order of time",
    .usage = "cat -o OUT [options] FILE...",
    .help = help,
    .run = run,
};
