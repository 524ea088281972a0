/* SPDX-License-Identifier: MIT */
/* cairn export: recordings in the formats of other systems. */
#include "cli/export_progress.h"
#include "cli/inputs.h"

#include <cairn/exchange.h>
#include <errno.h>
#include <inttypes.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#define FORMAT_NAME(NAME, name, description) #name,
#define FORMAT_HELP(NAME, name, description) "                       " #name ": " description "\n"
#define FORMATS_HELP                         CAIRN_EXCHANGE_FORMATS(FORMAT_HELP)

static const char *const format_names[] = {CAIRN_EXCHANGE_FORMATS(FORMAT_NAME)};

enum {
    OPTION_COUNTERS = CLI_CHOICE_END,
};

static const struct option options[] = {
    {"format", required_argument, NULL, 'f'},
    {"output", required_argument, NULL, 'o'},
    CLI_CHOICE_OPTIONS,
    {"counters", required_argument, NULL, OPTION_COUNTERS},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char help[] =
    "Writes recordings in the format of another system's tools. FILE is as for cairn decode;\n"
    "the events of several files are merged. OUT has its name only when it is complete. What\n"
    "the format cannot express is reported.\n"
    "\n"
    "  -f, --format FORMAT  the format of the output\n" FORMATS_HELP
    "  -o, --output OUT     the file, directory or URL to write to; - for standard "
    "output\n" CLI_CHOICE_HELP
    "      --counters LIST  fields whose numbers are counters: Depth,Peer.Port\n"
    "  -h, --help           print this\n"
    "\n"
    "Exit status: 0; 1 if a file could be read in part only, or OUT could not be written; 2 if\n"
    "the command line is invalid; 3 if OUT lacks something that the events have; 4 if a\n"
    "PATTERN matched no event, none has the fields of EXPR, or a FILE lacks the time of day\n"
    "that TIME is.\n"
    "\n"
    "  cairn export -f perfetto -o trace.pftrace trace.cairn\n"
    "  cairn export -f ctf -o trace.ctf -e 'MyProvider:*' trace.cairn && babeltrace2 trace.ctf\n";

struct export_arguments {
    const struct cli_verb *verb;
    struct cli_inputs inputs;
    struct cairn_exporter_options options;
    const char *format; /* its name; NULL: none was given */
    struct cli_words counters;
    char *counter_text; /* that the words point into */
};

struct exporting {
    const struct export_arguments *args;
    struct cairn_exporter *exporter;
    struct cli_export_progress progress;
    int error;        /* of writing */
    bool is_finished; /* or `error` is set */
};

static volatile sig_atomic_t end_signal;

/* ---- the command line ---- */

static int refuse_format(const struct export_arguments *args, const char *name)
{
    char list[1024];
    FILE *text = fmemopen(list, sizeof(list), "w");

    *list = 0;
    for (int n = 0; text && n < CAIRN_EXCHANGE_FORMAT_COUNT; n++)
        (void)fprintf(text, "%s%s", n ? ", " : "", format_names[n]);
    if (text)
        (void)fclose(text);
    if (name)
        cli_error(args->verb, "no such format: %s (%s)", name, list);
    else
        cli_error(args->verb, "-f FORMAT is needed (%s)", list);
    return CLI_USAGE;
}

/* True for the name of a format, and for the same with a point: "trace.dat". */
static bool is_name(const char *name, const char *format)
{
    size_t n = 0;

    while (format[n] && (name[n] == format[n] || (format[n] == '_' && name[n] == '.')))
        n++;
    return !format[n] && !name[n];
}

static int take_format(struct export_arguments *args, const char *name)
{
    for (int n = 0; n < CAIRN_EXCHANGE_FORMAT_COUNT; n++) {
        if (!is_name(name, format_names[n]))
            continue;
        args->options.format = (enum cairn_exchange_format)n;
        args->format = format_names[n];
        return CLI_OK;
    }
    return refuse_format(args, name);
}

/* "Depth,Peer.Port" */
static int take_counters(struct export_arguments *args, const char *text)
{
    size_t count = 1;
    char *rest;

    for (const char *at = text; *at; at++)
        count += *at == ',';
    free(args->counter_text);
    free((void *)args->counters.words);
    args->counters.count = 0;
    args->counter_text = strdup(text);
    args->counters.words = (const char **)calloc(count, sizeof(*args->counters.words));
    if (!args->counter_text || !args->counters.words) {
        cli_error(args->verb, "%s", strerror(ENOMEM));
        return CLI_FAILED;
    }
    rest = args->counter_text;
    for (char *name = strsep(&rest, ","); name; name = strsep(&rest, ",")) {
        if (!*name) {
            cli_error(args->verb, "--counters has an empty name: %s", text);
            return CLI_USAGE;
        }
        args->counters.words[args->counters.count++] = name;
    }
    return CLI_OK;
}

static int take_option(struct export_arguments *args, int option, char **argv)
{
    int status = cli_choice_take(&args->inputs.choice, option, optarg);

    if (status >= 0)
        return status;
    switch (option) {
    case 'o':
        args->options.path = optarg;
        return CLI_OK;
    case 'f':
        return take_format(args, optarg);
    case OPTION_COUNTERS:
        return take_counters(args, optarg);
    default:
        return cli_bad_option(args->verb, option, argv);
    }
}

/* Returns an exit status. Sets *ret_help if the user asks for help. */
static int parse_arguments(int argc, char **argv, struct export_arguments *args, bool *ret_help)
{
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, ":e:f:o:h", options, NULL)) != -1) {
        int status;

        if (option == 'h') {
            *ret_help = true;
            return CLI_OK;
        }
        status = take_option(args, option, argv);
        if (status)
            return status;
    }
    if (!args->format)
        return refuse_format(args, NULL);
    if (!args->options.path) {
        cli_error(args->verb, "-o OUT is needed");
        return CLI_USAGE;
    }
    cli_inputs_take(&args->inputs, argc, argv, optind);
    args->options.by_wall = args->inputs.count > 1; /* their clocks may differ */
    args->options.counters = args->counters.words;
    args->options.counter_count = args->counters.count;
    return CLI_OK;
}

/* ---- events ---- */

static int handle(void *context, struct cairn_reader *reader, const struct cairn_event *event,
                  uint64_t *damaged)
{
    struct exporting *exporting = (struct exporting *)context;
    const struct cairn_exporter_counts *counts = cairn_exporter_counts(exporting->exporter);
    uint64_t damaged_before = counts->damaged;

    if (end_signal)
        return ECANCELED;
    exporting->error = cairn_exporter_event(exporting->exporter, reader, event);
    *damaged += counts->damaged - damaged_before;
    cli_export_progress_show(&exporting->progress, reader, counts->events);
    return exporting->error ? ECANCELED : 0;
}

/* After the last event, while the reader is open. */
static int finish(void *context, struct cairn_reader *reader, uint64_t *damaged)
{
    struct exporting *exporting = (struct exporting *)context;

    (void)damaged;
    cli_export_progress_clear(&exporting->progress);
    if (exporting->error || end_signal)
        return ECANCELED;
    exporting->error = cairn_exporter_finish(exporting->exporter, reader);
    exporting->is_finished = !exporting->error;
    return exporting->error ? ECANCELED : 0;
}

static void note_signal(int number)
{
    end_signal = number;
}

/* A second signal ends the program at once. */
static void catch_signals(void)
{
    struct sigaction action = {.sa_handler = note_signal, .sa_flags = (int)SA_RESETHAND};
    static const int signals[] = {SIGINT, SIGTERM, SIGHUP};

    for (size_t n = 0; n < sizeof(signals) / sizeof(*signals); n++)
        (void)sigaction(signals[n], &action, NULL);
    (void)signal(SIGPIPE, SIG_IGN); /* writing fails with EPIPE instead */
}

/* ---- the output ---- */

static bool is_input(const struct export_arguments *args)
{
    struct stat output;

    return !stat(args->options.path, &output) && S_ISREG(output.st_mode) &&
           cli_paths_have((const char *const *)args->inputs.paths, (size_t)args->inputs.count,
                          &output);
}

static int report_create(const struct export_arguments *args, int err)
{
    const char *path = args->options.path;
    const char *library = cairn_exporter_missing_library(args->options.format);
    const char *program = cairn_exporter_program(args->options.format);

    if (err == EOPNOTSUPP && library)
        cli_error(args->verb, "this build has no format %s: it was built without %s", args->format,
                  library);
    else if (err == EOPNOTSUPP && program)
        cli_error(args->verb, "the format %s needs the program %s, which is not in PATH",
                  args->format, program);
    else if (err == EOPNOTSUPP)
        cli_error(
            args->verb,
            "cannot send by HTTP: libcurl.so.4 is not installed, or this was built without it");
    else if (err == EEXIST)
        cli_error(args->verb, "cannot write %s: the directory exists and is not empty", path);
    else if (err == ENOTDIR && !strcmp(path, "-"))
        cli_error(args->verb, "the format %s is a directory, which standard output is not",
                  args->format);
    else
        cli_errno(args->verb, err, "cannot write %s", path);
    return CLI_FAILED;
}

/* Reports what differs from the events. Returns the exit status. */
static int report_notes(const struct export_arguments *args, const struct cairn_exporter *exporter)
{
    const struct cairn_exporter_counts *counts = cairn_exporter_counts(exporter);
    const char *problem = cairn_exporter_problem(exporter);
    int status = CLI_OK;

    if (problem)
        cli_error(args->verb, "%s: %s", args->options.path, problem);
    for (int n = 0; n < CAIRN_EXPORTER_NOTE_COUNT; n++) {
        enum cairn_exporter_note note = (enum cairn_exporter_note)n;

        if (!counts->notes[n])
            continue;
        cli_error(args->verb, "%s: %" PRIu64 " %s", args->options.path, counts->notes[n],
                  cairn_exporter_note_text(note));
        if (cairn_exporter_note_is_loss(note))
            status = CLI_LOST;
    }
    return status;
}

static int report_end(const struct exporting *exporting, int status)
{
    const struct export_arguments *args = exporting->args;
    const char *problem = exporting->exporter ? cairn_exporter_problem(exporting->exporter) : NULL;
    int lost = CLI_OK;

    if (exporting->error && problem)
        cli_error(args->verb, "cannot write %s: %s", args->options.path, problem);
    else if (exporting->error)
        cli_errno(args->verb, exporting->error, "cannot write %s", args->options.path);
    else if (end_signal && !exporting->is_finished)
        cli_error(args->verb, "interrupted: there is no %s", args->options.path);
    if (exporting->error || !exporting->is_finished)
        return end_signal ? CLI_SIGNAL + end_signal : CLI_FAILED;
    lost = report_notes(args, exporting->exporter);
    return status ? status : lost;
}

static int export_events(struct export_arguments *args)
{
    struct exporting exporting = {.args = args};
    struct cli_inputs *inputs = &args->inputs;
    int err = is_input(args) ? EBUSY : cairn_exporter_create(&args->options, &exporting.exporter);
    int status;

    if (err == EBUSY)
        cli_error(args->verb, "cannot write %s: it is one of the inputs", args->options.path);
    else if (err)
        report_create(args, err);
    if (err)
        return CLI_FAILED;
    catch_signals();
    cli_export_progress_begin(&exporting.progress, inputs->paths, inputs->count);
    inputs->context = &exporting;
    inputs->event = handle;
    inputs->end = finish;
    inputs->options.without_raw = !inputs->choice.selection;
    status = cli_inputs_read(inputs);
    status = report_end(&exporting, status);
    cairn_exporter_destroy(exporting.exporter);
    return status;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct export_arguments args = {
        .verb = verb,
        .inputs = {.verb = verb, .choice = {.verb = verb}, .options = CAIRN_READER_OPTIONS_INIT},
        .options = CAIRN_EXPORTER_OPTIONS_INIT,
    };
    bool help_wanted = false;
    int status = parse_arguments(argc, argv, &args, &help_wanted);

    if (help_wanted)
        status = cli_print_help(verb);
    else if (!status)
        status = cli_choice_begin(&args.inputs.choice);
    if (!status && !help_wanted)
        status = export_events(&args);
    cli_choice_end(&args.inputs.choice);
    free((void *)args.counters.words);
    free(args.counter_text);
    return status;
}

const struct cli_verb cli_export = {
    .name = "export",
    .summary = "write a recording in the format of another system",
    .usage = "export -f FORMAT -o OUT [options] [FILE...]",
    .help = help,
    .run = run,
};
