/* SPDX-License-Identifier: MIT */
/* cairn report: shows recordings in one HTML file. */
#include "cli/inputs.h"

#include <cairn/inspect.h>
#include <cairn/report.h>

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

enum { OPTION_TITLE = CLI_CHOICE_END, OPTION_FIELDS_MAX };

static const struct option options[] = {
    CLI_CHOICE_OPTIONS,
    {"output", required_argument, NULL, 'o'},
    {"title", required_argument, NULL, OPTION_TITLE},
    {"fields-max", required_argument, NULL, OPTION_FIELDS_MAX},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char help[] =
    "Writes recordings as one HTML file: a summary, a timeline of threads, and a table of all\n"
    "events. A browser opens it without a network.\n"
    "\n"
    "  -o, --output FILE      the HTML file, - for standard output [default: report.html]\n" //
    CLI_CHOICE_HELP "      --title TEXT       the page's title [default: the names of the files]\n"
    "      --fields-max SIZE  when the data is larger, leave out the fields of further events;\n"
    "                         they are still in the timeline [default: 256M]\n"
    "  -q, --quiet            print neither progress nor the result\n"
    "  -h, --help             print this\n"
    "\n"
    "Exit status: 0; 1 if a file or an event could be read in part only; 2 if the command line\n"
    "is invalid; 4 if a PATTERN matched no event, none has the fields of EXPR, or a FILE lacks\n"
    "the time of day that TIME is.\n"
    "\n"
    "  cairn report -o trace.html trace.cairn\n"
    "  cairn report --since 25% --until 30% trace.cairn\n";

#define FIELDS_MAX_BYTES ((size_t)256 << 20)

struct report_state {
    const struct cli_verb *verb;
    struct cli_inputs inputs;
    const char *path;
    const char *title;
    char names[CLI_TITLE_BYTES];
    size_t fields_max_bytes;
    bool is_quiet;
    int fd;
    int error; /* of writing */
    struct cairn_report *report;

    /* Progress, on a terminal. */
    bool shows_progress;
    uint64_t input_bytes; /* of all inputs, which are regular files; 0: not known */
    uint64_t *read_bytes; /* of each input; NULL: not known */
    uint64_t shown_ns;
    uint64_t events;
};

/* ---- the command line ---- */

static int take_option(struct report_state *report, int option, char **argv)
{
    int status = cli_choice_take(&report->inputs.choice, option, optarg);

    if (status >= 0)
        return status;
    switch (option) {
    case 'o':
        report->path = optarg;
        return CLI_OK;
    case OPTION_TITLE:
        report->title = optarg;
        return CLI_OK;
    case OPTION_FIELDS_MAX:
        if (cli_parse_size(optarg, &report->fields_max_bytes))
            return CLI_OK;
        cli_error(report->verb, "not a size: %s", optarg);
        return CLI_USAGE;
    case 'q':
        report->is_quiet = true;
        return CLI_OK;
    default:
        return cli_bad_option(report->verb, option, argv);
    }
}

static int parse_arguments(int argc, char **argv, struct report_state *report, bool *ret_help)
{
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, ":e:o:qh", options, NULL)) != -1) {
        int status;

        if (option == 'h') {
            *ret_help = true;
            return CLI_OK;
        }
        status = take_option(report, option, argv);
        if (status)
            return status;
    }
    cli_inputs_take(&report->inputs, argc, argv, optind);
    if (!report->title)
        report->title = cli_inputs_title(&report->inputs, report->names, sizeof(report->names));
    return CLI_OK;
}

/* ---- progress ---- */

#define PROGRESS_EVERY_EVENTS 4096u
#define PROGRESS_EVERY_NS     UINT64_C(100000000)
#define BAR_WIDTH             30

static void begin_progress(struct report_state *report)
{
    struct stat st;

    report->shows_progress = !report->is_quiet && isatty(STDERR_FILENO);
    if (!report->shows_progress)
        return;
    report->read_bytes =
        (uint64_t *)calloc((size_t)report->inputs.count, sizeof(*report->read_bytes));
    for (int n = 0; n < report->inputs.count && report->read_bytes; n++) {
        if (stat(report->inputs.paths[n], &st) || !S_ISREG(st.st_mode)) {
            free(report->read_bytes);
            report->read_bytes = NULL;
            break;
        }
        report->input_bytes += (uint64_t)st.st_size;
    }
}

/* The number of bytes that were read of all inputs. */
static uint64_t read_so_far(struct report_state *report, struct cairn_reader *reader)
{
    size_t source = cairn_reader_source(reader);
    uint64_t sum = 0;

    if (source < (size_t)report->inputs.count)
        report->read_bytes[source] = cairn_reader_position(reader)->offset;
    for (int n = 0; n < report->inputs.count; n++)
        sum += report->read_bytes[n];
    return sum;
}

static void show_progress(struct report_state *report, struct cairn_reader *reader)
{
    uint64_t now_ns = cli_now_ns();
    char number[CAIRN_NUMBER_TEXT_BYTES];
    uint64_t offset;
    int done;

    if (now_ns - report->shown_ns < PROGRESS_EVERY_NS)
        return;
    report->shown_ns = now_ns;
    cairn_number_text(report->events, number);
    offset = report->read_bytes ? read_so_far(report, reader) : UINT64_MAX;
    if (offset > report->input_bytes || !report->input_bytes) {
        fprintf(stderr, "\r%s events", number);
        return;
    }
    done = (int)(offset * BAR_WIDTH / report->input_bytes);
    fprintf(stderr, "\r[%.*s%*s] %3d %%  %s events", done, "##############################",
            BAR_WIDTH - done, "", (int)(offset * 100 / report->input_bytes), number);
}

static void end_progress(const struct report_state *report)
{
    if (report->shows_progress)
        fputs("\r\033[K", stderr);
}

/* ---- the file ---- */

static int fail(const struct report_state *report, int err)
{
    cli_error(report->verb, "cannot write %s: %s", report->path, cli_paths_error(err));
    return CLI_FAILED;
}

static int open_output(struct report_state *report)
{
    const struct cairn_report_options report_options = {.size = sizeof(report_options),
                                                        .title = report->title,
                                                        .fields_max_bytes =
                                                            report->fields_max_bytes};

    const struct cli_inputs *inputs = &report->inputs;
    bool is_file = strcmp(report->path, "-") != 0;
    int err = 0;

    report->fd = is_file ? open(report->path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : STDOUT_FILENO;
    if (report->fd < 0)
        return errno;
    if (is_file)
        err =
            cli_paths_empty((const char *const *)inputs->paths, (size_t)inputs->count, report->fd);
    return err ? err : cairn_report_create(&report_options, report->fd, &report->report);
}

static int close_output(const struct report_state *report)
{
    if (report->fd == STDOUT_FILENO || report->fd < 0)
        return CLI_OK;
    return close(report->fd) < 0 ? fail(report, errno) : CLI_OK;
}

/* ---- events ---- */

/* Called when an input is open: an existing page is not replaced before that. */
static void begin(void *context, int index)
{
    struct report_state *report = (struct report_state *)context;

    (void)index;
    report->error = open_output(report);
}

static int handle(void *context, struct cairn_reader *reader, const struct cairn_event *event,
                  uint64_t *damaged)
{
    struct report_state *report = (struct report_state *)context;
    enum cairn_event_error error = CAIRN_EVENT_WHOLE;

    if (!report->error)
        report->error =
            cairn_report_event(report->report, event, cairn_reader_source(reader), &error);
    *damaged += error != CAIRN_EVENT_WHOLE;
    if (report->shows_progress && ++report->events % PROGRESS_EVERY_EVENTS == 0)
        show_progress(report, reader);
    return report->error ? ECANCELED : 0;
}

static void take_source(void *context, size_t source, const char *path,
                        const struct cairn_reader_counts *counts)
{
    struct report_state *report = (struct report_state *)context;

    if (!report->error)
        report->error = cairn_report_set_source(report->report, source, path, counts);
}

static void print_result(const struct report_state *report)
{
    const struct cairn_report_counts *counts = cairn_report_counts(report->report);
    char events[CAIRN_NUMBER_TEXT_BYTES];
    char left_out[CAIRN_NUMBER_TEXT_BYTES];

    if (!report->is_quiet)
        fprintf(stderr, "%s: %s event%s, %.1f MiB%s\n", report->path,
                cairn_number_text(counts->events, events), cli_plural(counts->events),
                (double)counts->size_bytes / (1 << 20),
                counts->is_compressed ? "" : ", not compressed: this build lacks zlib");
    if (counts->without_fields)
        cli_error(report->verb,
                  "the fields of the last %s events were left out (--fields-max); select events "
                  "with -e, --since or --until",
                  cairn_number_text(counts->without_fields, left_out));
}

static int write_report(struct report_state *report)
{
    int status = cli_choice_begin(&report->inputs.choice);

    if (status)
        return status;
    report->inputs.context = report;
    report->inputs.begin = begin;
    report->inputs.event = handle;
    report->inputs.source = take_source;
    begin_progress(report);
    status = cli_inputs_read(&report->inputs);
    end_progress(report);
    if (report->report && !report->error)
        report->error = cairn_report_finish(report->report);
    if (report->error)
        status = fail(report, report->error);
    else if (report->report)
        print_result(report);
    if (close_output(report) && !status)
        status = CLI_FAILED;
    return status;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct report_state report = {
        .verb = verb,
        .inputs = {.verb = verb, .choice = {.verb = verb}, .options = CAIRN_READER_OPTIONS_INIT},
        .path = "report.html",
        .fields_max_bytes = FIELDS_MAX_BYTES,
        .fd = -1,
    };
    bool help_wanted = false;
    int status;

    report.inputs.options.with_switches = true; /* states of threads */
    status = parse_arguments(argc, argv, &report, &help_wanted);

    if (help_wanted)
        status = cli_print_help(verb);
    else if (!status)
        status = write_report(&report);
    cli_choice_end(&report.inputs.choice);
    cairn_report_destroy(report.report);
    free(report.read_bytes);
    return status;
}

const struct cli_verb cli_report = {
    .name = "report",
    .summary = "show a recording as a page: summary, timeline, table",
    .usage = "report [options] [FILE...]",
    .help = help,
    .run = run,
};
