/* SPDX-License-Identifier: MIT */
/* cairn record: from programs' events to a perf.data file. */
#include "cli/collection.h"
#include "cli/record_report.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define DEFAULT_OUTPUT "perf.data"

struct record {
    struct cli_collection collection;
    const struct cli_verb *verb;
    const char *output;
    size_t buffer_bytes;
    bool quiet;
    char **argv; /* as given, for the file */
    int argc;
    int fd;
    enum cairn_perf_mode mode;
    struct cli_progress progress;
    uint32_t problems_told; /* of so many tracepoints */
};

/* ---- options ---- */

enum { OPTION_BUFFER = 256, OPTION_DURATION, OPTION_FILTER };

static const struct option options[] = {
    {"event", required_argument, NULL, 'e'},
    {"filter", required_argument, NULL, OPTION_FILTER},
    {"output", required_argument, NULL, 'o'},
    {"buffer-size", required_argument, NULL, OPTION_BUFFER},
    {"duration", required_argument, NULL, OPTION_DURATION},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char help[] =
    "Records the events of programs that use cairn, whether they started before or\n"
    "start later, until Ctrl-C, or until COMMAND ends.\n"
    "\n"
    "  -e, --event PATTERN    events to record: a glob on their names, as `cairn list`\n"
    "                         shows them; may be given again [default: *]\n"
    "      --filter FILTER    of the events of the -e in front of it only those that FILTER\n"
    "                         chooses, in ftrace's language: 'size > 100 && name ~ \"a*\"'\n"
    "  -o, --output FILE      perf.data file to write; - is standard output, as a stream\n"
    "                         [default: " DEFAULT_OUTPUT "]\n"
    "      --buffer-size SIZE of each process's buffer, 512K to 512M [default: 16M]\n"
    "      --duration SECONDS end after so long; a COMMAND that still runs then is asked\n"
    "                         to end too (SIGTERM)\n"
    "  -q, --quiet            print errors only\n"
    "  -h, --help             print this\n"
    "\n"
    "Exit status: COMMAND's own (128 + N when signal N killed it) unless that is 0, or it\n"
    "ended because the recording did;\n"
    "3 when events were lost, 1 when the recording failed, 2 for a wrong command line,\n"
    "126 or 127 when COMMAND could not be run.\n"
    "\n"
    "  cairn record -e 'MyCompany_*' -- ./program\n"
    "  cairn record -o - | cairn decode -f text -\n";

static int apply_option(struct record *r, int option)
{
    switch (option) {
    case 'e':
        cli_collection_add_pattern(&r->collection, optarg);
        break;
    case 'o':
        r->output = optarg;
        break;
    case OPTION_BUFFER:
        return cli_collection_parse_buffer(r->verb, optarg, &r->buffer_bytes);
    case OPTION_FILTER:
        return cli_collection_add_filter(&r->collection, optarg);
    case OPTION_DURATION:
        return cli_collection_set_duration(&r->collection, optarg);
    case 'q':
        r->quiet = true;
        break;
    default:
        return cli_bad_option(r->verb, option, r->argv);
    }
    return CLI_OK;
}

/* Sets *ret_help instead when help is asked for. */
static int parse_options(struct record *r, bool *ret_help)
{
    int option;
    int status = CLI_OK;

    optind = 1;
    while (!status && (option = getopt_long(r->argc, r->argv, "+:e:o:qh", options, NULL)) != -1) {
        if (option == 'h') {
            *ret_help = true;
            return CLI_OK;
        }
        status = apply_option(r, option);
    }
    if (!status)
        cli_collection_end_options(&r->collection, r->argc, r->argv);
    return status;
}

/* ---- the session ---- */

/* A pipe with a name, a device: what is no file gets a pipe stream, as standard output does. */
static bool is_stream(const char *path)
{
    struct stat st;

    return !stat(path, &st) && !S_ISREG(st.st_mode) && !S_ISDIR(st.st_mode);
}

static int open_output(struct record *r)
{
    if (!strcmp(r->output, "-")) {
        if (isatty(STDOUT_FILENO)) {
            cli_error(r->verb, "standard output is a terminal: -o - is for a pipe or a file");
            return CLI_USAGE;
        }
        r->fd = STDOUT_FILENO;
        r->mode = CAIRN_PERF_PIPE;
        return CLI_OK;
    }
    r->mode = is_stream(r->output) ? CAIRN_PERF_PIPE : CAIRN_PERF_FILE;
    r->fd = r->mode == CAIRN_PERF_PIPE
                ? open(r->output, O_WRONLY | O_CLOEXEC)
                : open(r->output, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (r->fd < 0) {
        cli_errno(r->verb, errno, "cannot write %s", r->output);
        return CLI_FAILED;
    }
    return CLI_OK;
}

static int show_progress(void *context)
{
    struct record *r = context;

    if (cairn_session_count(r->collection.session).tracepoints > r->problems_told)
        cli_progress_clear(&r->progress);
    cli_report_filter_problems(r->verb, r->collection.session, &r->problems_told);
    cli_progress_show(&r->progress, r->collection.session,
                      cli_collection_elapsed_ns(&r->collection));
    return 0;
}

static void report(struct record *r, int error)
{
    const struct cli_collection *c = &r->collection;

    cli_report(r->verb, c->session, cli_collection_elapsed_ns(c),
               r->mode == CAIRN_PERF_FILE ? r->output : NULL, r->quiet);
    if (!error) {
        cli_report_unmatched(r->verb, c->session, c->patterns, c->pattern_count);
        cli_report_filters(c->session, r->quiet);
    }
    if (c->command_argv)
        cli_report_command(r->verb, &c->command, c->command_argv[0]);
}

static int run_session(struct record *r)
{
    struct cairn_session_options session_options = {
        .buffer_bytes = r->buffer_bytes,
        .fd = r->fd,
        .mode = r->mode,
        .arg_count = r->argc,
        .args = (const char *const *)r->argv,
    };
    int status = cli_collection_begin(&r->collection, &session_options);
    int error;

    if (status)
        return status;
    if (!r->quiet && !r->collection.command_argv)
        fprintf(stderr, "Recording to %s. Ctrl-C ends it.\n", r->output);
    r->progress.enabled = !r->quiet && isatty(STDERR_FILENO);
    error = cli_collection_run(&r->collection, show_progress, r);
    cli_progress_clear(&r->progress);
    error = cli_collection_end(&r->collection, error, r->output);
    report(r, error);
    return cli_collection_exit_status(&r->collection, error);
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct record r = {
        .verb = verb, .argc = argc, .argv = argv, .output = DEFAULT_OUTPUT, .fd = -1};
    bool help_wanted = false;
    int status = CLI_FAILED;

    if (cli_collection_open(&r.collection, verb, argc))
        status = parse_options(&r, &help_wanted);
    if (help_wanted)
        status = cli_print_help(verb);
    else if (!status)
        status = open_output(&r);
    if (!status && !help_wanted)
        status = run_session(&r);
    cli_collection_close(&r.collection);
    if (r.fd > STDERR_FILENO && close(r.fd) && !status) {
        cli_errno(verb, errno, "writing %s", r.output);
        status = CLI_FAILED;
    }
    return status;
}

const struct cli_verb cli_record = {
    .name = "record",
    .summary = "record events of programs to a perf.data file",
    .usage = "record [options] [-- COMMAND [ARG...]]",
    .help = help,
    .run = run,
};
