/* SPDX-License-Identifier: MIT */
/* cairn record: from programs' events to a perf.data file. */
#include "cli/cli.h"
#include "cli/command.h"
#include "cli/record_report.h"

#include <cairn/session.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define DEFAULT_OUTPUT "perf.data"

struct record {
    const struct cli_verb *verb;
    const char **patterns;
    const char **filters; /* of each pattern, or NULL */
    size_t pattern_count;
    const char *output;
    size_t buffer_bytes;
    uint64_t duration_ns; /* 0: no end */
    bool quiet;
    char **argv; /* as given, for the file */
    int argc;
    char **command_argv; /* NULL: none */
    int fd;
    struct cairn_session *session;
    struct cli_command command;
    sigset_t signals; /* as they were */
    sigset_t watched; /* those that we wait for */
    uint64_t start_ns;
};

static uint64_t now_ns(void)
{
    struct timespec t;

    (void)clock_gettime(CLOCK_MONOTONIC, &t);
    return (uint64_t)t.tv_sec * 1000000000u + (uint64_t)t.tv_nsec;
}

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

/* The system's name may stand before an event's, as perf writes it. */
static const char *strip_system(const char *pattern)
{
    static const char system[] = "user_events:";

    return strncmp(pattern, system, sizeof(system) - 1) ? pattern : pattern + sizeof(system) - 1;
}

static int set_filter(struct record *r, const char *filter)
{
    if (!r->pattern_count)
        r->patterns[r->pattern_count++] = "*";
    if (r->filters[r->pattern_count - 1]) {
        cli_error(r->verb, "an -e has one --filter; put two together with && or ||");
        return CLI_USAGE;
    }
    r->filters[r->pattern_count - 1] = filter;
    return CLI_OK;
}

static int apply_option(struct record *r, int option)
{
    switch (option) {
    case 'e':
        r->patterns[r->pattern_count++] = strip_system(optarg);
        break;
    case 'o':
        r->output = optarg;
        break;
    case OPTION_BUFFER:
        if (!cli_parse_size(optarg, &r->buffer_bytes) ||
            r->buffer_bytes < CAIRN_SESSION_BUFFER_MIN_BYTES ||
            r->buffer_bytes > CAIRN_SESSION_BUFFER_MAX_BYTES) {
            cli_error(r->verb, "--buffer-size is 512K to 512M, not %s", optarg);
            return CLI_USAGE;
        }
        break;
    case OPTION_FILTER:
        return set_filter(r, optarg);
    case OPTION_DURATION:
        if (!cli_parse_seconds(optarg, &r->duration_ns)) {
            cli_error(r->verb, "--duration is a number of seconds, not %s", optarg);
            return CLI_USAGE;
        }
        break;
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
    if (!status && optind < r->argc)
        r->command_argv = r->argv + optind;
    if (!r->pattern_count)
        r->patterns[r->pattern_count++] = "*";
    return status;
}

/* ---- the session ---- */

static int open_output(struct record *r)
{
    if (!strcmp(r->output, "-")) {
        if (isatty(STDOUT_FILENO)) {
            cli_error(r->verb, "standard output is a terminal: -o - is for a pipe or a file");
            return CLI_USAGE;
        }
        r->fd = STDOUT_FILENO;
        return CLI_OK;
    }
    r->fd = open(r->output, O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (r->fd < 0) {
        cli_errno(r->verb, errno, "cannot write %s", r->output);
        return CLI_FAILED;
    }
    return CLI_OK;
}

static int create_session(struct record *r)
{
    const struct cairn_session_options session_options = {
        .patterns = r->patterns,
        .pattern_count = r->pattern_count,
        .filters = r->filters,
        .buffer_bytes = r->buffer_bytes,
        .fd = r->fd,
        .mode = r->fd == STDOUT_FILENO ? CAIRN_PERF_PIPE : CAIRN_PERF_FILE,
        .arg_count = r->argc,
        .args = (const char *const *)r->argv,
    };
    int error = cairn_session_create(&session_options, &r->session);

    if (!error)
        return CLI_OK;
    if (error == E2BIG)
        cli_error(r->verb, "the patterns are too long together");
    else
        cli_errno(r->verb, error, "cannot record");
    fprintf(stderr, "cairn doctor tells more about what works here.\n");
    return CLI_FAILED;
}

static int start_command(struct record *r)
{
    int error;

    if (!r->command_argv)
        return CLI_OK;
    error = cli_command_start(&r->command, r->command_argv, &r->signals);
    if (!error)
        return CLI_OK;
    cli_errno(r->verb, error, "cannot run %s", r->command_argv[0]);
    return error == ENOENT ? CLI_NOT_FOUND : CLI_CANNOT_RUN;
}

static void block_signals(struct record *r)
{
    sigset_t blocked;

    sigemptyset(&r->watched);
    sigaddset(&r->watched, SIGINT);
    sigaddset(&r->watched, SIGTERM);
    sigaddset(&r->watched, SIGHUP);
    sigaddset(&r->watched, SIGCHLD);
    (void)sigprocmask(SIG_BLOCK, &r->watched, &r->signals);
    /* A reader that goes away is an error of writing. Not ignored: the command would inherit that.
     */
    sigemptyset(&blocked);
    sigaddset(&blocked, SIGPIPE);
    (void)sigprocmask(SIG_BLOCK, &blocked, NULL);
}

/* Sleeps for at most so long. False: a signal says to end. */
static bool wait_for_signal(struct record *r, uint32_t wait_ms)
{
    const struct timespec timeout = {wait_ms / 1000, (long)(wait_ms % 1000) * 1000000};
    int signal_number = sigtimedwait(&r->watched, NULL, &timeout);

    if (signal_number <= 0 || signal_number == SIGCHLD)
        return true;
    /* At a terminal, Ctrl-C reaches the command as well. */
    r->command.asked_to_end = true;
    return false;
}

static bool is_over(struct record *r)
{
    if (r->command_argv && cli_command_has_ended(&r->command))
        return true;
    return r->duration_ns && now_ns() - r->start_ns >= r->duration_ns;
}

/* Polls until the end; returns the first failure of writing. */
static int collect(struct record *r)
{
    struct cli_progress progress = {.enabled = !r->quiet && isatty(STDERR_FILENO)};
    uint32_t wait_ms = 0;
    int error;

    do {
        error = cairn_session_poll(r->session, &wait_ms);
        cli_progress_show(&progress, r->session, now_ns() - r->start_ns);
    } while (!error && !is_over(r) && wait_for_signal(r, wait_ms));
    cli_progress_clear(&progress);
    return error;
}

static int exit_status(const struct record *r, int error)
{
    int status = r->command_argv ? cli_command_exit_status(&r->command) : CLI_OK;

    if (error)
        return CLI_FAILED;
    if (status)
        return status;
    return cairn_session_count(r->session).lost || cairn_session_count(r->session).damaged
               ? CLI_LOST
               : CLI_OK;
}

/* Tracing has failed: that is no reason to end the program that was traced. */
static void outlast_command(struct record *r)
{
    while (r->command_argv && !cli_command_has_ended(&r->command) && wait_for_signal(r, 1000))
        ;
}

/* Ends the session; returns the first failure of writing. */
static int end_session(struct record *r, int error)
{
    int finish_error;

    if (error) {
        cli_errno(r->verb, error, "writing %s", r->output);
        (void)cairn_session_finish(r->session);
        outlast_command(r);
    }
    if (r->command_argv)
        cli_command_stop(&r->command);
    if (error)
        return error;
    finish_error = cairn_session_finish(r->session);
    if (finish_error)
        cli_errno(r->verb, finish_error, "writing %s", r->output);
    return finish_error;
}

static int run_session(struct record *r)
{
    int status = create_session(r);
    int error;

    if (status)
        return status;
    r->start_ns = now_ns();
    status = start_command(r);
    if (status)
        return status;
    if (!r->quiet && !r->command_argv)
        fprintf(stderr, "Recording to %s. Ctrl-C ends it.\n", r->output);
    error = end_session(r, collect(r));
    cli_report(r->verb, r->session, now_ns() - r->start_ns, r->output, r->quiet);
    if (!error) {
        cli_report_unmatched(r->verb, r->session, r->patterns, r->pattern_count);
        cli_report_filters(r->verb, r->session, r->quiet);
    }
    if (r->command_argv)
        cli_report_command(r->verb, &r->command, r->command_argv[0]);
    return exit_status(r, error);
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct record r = {
        .verb = verb, .argc = argc, .argv = argv, .output = DEFAULT_OUTPUT, .fd = -1};
    bool help_wanted = false;
    int status;

    r.patterns = calloc((size_t)argc + 1, sizeof(*r.patterns));
    r.filters = calloc((size_t)argc + 1, sizeof(*r.filters));
    if (!r.patterns || !r.filters) {
        cli_errno(verb, ENOMEM, "cannot start");
        return CLI_FAILED;
    }
    status = parse_options(&r, &help_wanted);
    if (help_wanted)
        status = cli_print_help(verb);
    else if (!status)
        status = open_output(&r);
    if (!status && !help_wanted) {
        block_signals(&r);
        status = run_session(&r);
    }
    cairn_session_destroy(r.session);
    if (r.fd > STDERR_FILENO && close(r.fd) && !status) {
        cli_errno(verb, errno, "writing %s", r.output);
        status = CLI_FAILED;
    }
    free((void *)r.patterns);
    free((void *)r.filters);
    return status;
}

const struct cli_verb cli_record = {
    .name = "record",
    .summary = "record events of programs to a perf.data file",
    .usage = "record [options] [-- COMMAND [ARG...]]",
    .help = help,
    .run = run,
};
