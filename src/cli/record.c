/* SPDX-License-Identifier: MIT */
/* cairn record: records events of programs to a file or stream, a trace file or perf.data. */
#include "cli/collection.h"
#include "cli/flight.h"
#include "cli/format.h"
#include "cli/kernel.h"
#include "cli/libc.h"
#include "cli/missing.h"
#include "cli/record_output.h"
#include "cli/record_report.h"
#include "cli/remote.h"
#include "cli/rotation.h"
#include "cli/storage.h"
#include "cli/triggers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#define DEFAULT_OUTPUT "trace.cairn"

struct record_state {
    struct cli_collection collection;
    struct cli_kernel kernel;
    bool is_filter_refused;   /* by the kernel */
    bool is_filter_of_kernel; /* the last pattern was one of the kernel's events */
    const struct cli_verb *verb;
    size_t buffer_bytes;
    uint32_t block_ms;
    struct cli_format format;
    bool with_libc;
    bool quiet;
    char **argv; /* also written to the file */
    int argc;
    struct cli_record_output output;
    struct cli_progress progress;
    struct cli_rotation rotation;
    struct cli_flight flight;
    struct cli_triggers triggers;
    struct cli_remote remote;
    uint32_t checked_tracepoints; /* whose filters were checked and reported */
};

/* ---- options ---- */

enum {
    OPTION_BUFFER = 256,
    OPTION_DURATION,
    OPTION_FILTER,
    OPTION_KERNEL_BUFFER,
    OPTION_KERNEL,
    OPTION_CALL_GRAPH,
    OPTION_FUNCTION,
    OPTION_SDT,
    OPTION_LIBC,
    OPTION_ROTATE,
    OPTION_KEEP,
    OPTION_LIMIT,
    OPTION_FLIGHT,
    OPTION_ON,
    OPTION_NAME,
    OPTION_BLOCK,
};

static const struct option options[] = {
    {"event", required_argument, NULL, 'e'},
    {"filter", required_argument, NULL, OPTION_FILTER},
    {"kernel-event", required_argument, NULL, 'k'},
    {"kernel", required_argument, NULL, OPTION_KERNEL},
    {"all", no_argument, NULL, 'a'},
    {"pid", required_argument, NULL, 'p'},
    {"user", required_argument, NULL, 'u'},
    {"function", required_argument, NULL, OPTION_FUNCTION},
    {"sdt", required_argument, NULL, OPTION_SDT},
    {"libc", no_argument, NULL, OPTION_LIBC},
    {"call-graph", required_argument, NULL, OPTION_CALL_GRAPH},
    {"kernel-buffer", required_argument, NULL, OPTION_KERNEL_BUFFER},
    {"output", required_argument, NULL, 'o'},
    {"format", required_argument, NULL, 'f'},
    {"compress", optional_argument, NULL, 'z'},
    {"buffer-size", required_argument, NULL, OPTION_BUFFER},
    {"duration", required_argument, NULL, OPTION_DURATION},
    {"rotate", required_argument, NULL, OPTION_ROTATE},
    {"keep", required_argument, NULL, OPTION_KEEP},
    {"limit", required_argument, NULL, OPTION_LIMIT},
    {"flight", optional_argument, NULL, OPTION_FLIGHT},
    {"on", required_argument, NULL, OPTION_ON},
    {"name", required_argument, NULL, OPTION_NAME},
    {"block", optional_argument, NULL, OPTION_BLOCK},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char help[] =
    "Records the events of programs that use cairn, whether they started before or\n"
    "start later, until Ctrl-C, or until COMMAND ends.\n"
    "\n"
    "  -e, --event PATTERN    events to record: a glob on names of tracepoints, as `cairn list`\n"
    "                         prints them, or PROVIDER:EVENT, as `cairn decode` does; at its\n"
    "                         end /every=N/ or /rate=N/ samples, /stack/ adds the stack of the\n"
    "                         thread; may be given again [default: *]\n"
    "      --libc             record what COMMAND asks of the C library, too, as events libc_*:\n"
    "                         allocations, waits for locks, calls that read and write\n"
    "      --filter FILTER    of the events of the -e before it, record only those that\n"
    "                         FILTER selects, in ftrace's language, which programs apply\n"
    "                         before they write: 'Size > 100 && Owner.User == 0'\n"
    "  -k, --kernel-event PATTERN\n"
    "                         record events of the kernel, too: a glob on their names, as in\n"
    "                         'sched:sched_*'; may be given again, and have a --filter\n"
    "      --kernel NAME      record the kernel's events of sched (switches, wakeups, "
    "migrations),\n"
    "                         syscalls, io (requests to block devices) or memory (faults, "
    "pages);\n"
    "                         or when threads left a CPU and continued (switches), which needs\n"
    "                         no privilege\n"
    "      --function CALL    record calls of functions, with their arguments if the program\n"
    "                         has debug information: PROGRAM:NAME, a glob on the name; /stack/\n"
    "                         at its end, and at that of PROBE, adds the callers\n"
    "      --sdt PROBE        record static probes (USDT): PROGRAM:NAME, a glob on NAME or on\n"
    "                         PROVIDER:NAME\n"
    "                         They are those of COMMAND and its children, or of:\n"
    "  -a, --all              all processes; and events of programs in all tracing\n"
    "                         directories of the machine, those of containers too\n"
    "  -p, --pid PID          this process, or several (PID,PID), and children they start\n"
    "  -u, --user USER        USER's processes that run, and the children that they start\n"
    "  -g                     record the stack of each event of the kernel, too: the kernel's and\n"
    "                         the program's, by frame pointers; /stack/ at the end of a PATTERN\n"
    "                         does it for its events only\n"
    "      --call-graph MODE  the same, by: fp (frame pointers); dwarf or dwarf,SIZE (SIZE bytes\n"
    "                         of the program's stack, for perf to unwind) [8K]\n"
    "      --kernel-buffer SIZE\n"
    "                         size of the buffer of each CPU, 64K to 512M [default: 4M]\n"
    "  -o, --output FILE      file to write; an existing one becomes FILE.old. The format is\n"
    "                         perf.data if its name ends in .data, else a trace file.\n"
    "                         FILE - writes a stream to standard output, and the output of\n"
    "                         COMMAND to standard error [default: " DEFAULT_OUTPUT "]\n"
    "  -f, --format FORMAT    cairn (a trace file) or perf, whatever FILE is called\n"
    "  -z, --compress[=LEVEL] compress a trace file by zstd, level 1 to 19 [3]; auto: only\n"
    "                         while the recorder has time for it\n"
    "      --buffer-size SIZE size of each process's buffer, 512K to 512M [default: 16M]\n"
    "      --block[=MS]       a program whose buffer is full waits for the recorder, MS\n"
    "                         milliseconds at most, instead of losing the event [1000]\n"
    "      --duration SECONDS end after this time, and terminate a COMMAND that is still\n"
    "                         running (SIGTERM)\n"
    "      --rotate WHEN      when FILE has this size or age (64M, 10m), it gets a number in its\n"
    "                         name, and a new FILE continues\n"
    "      --keep N           keep N files besides FILE, and remove older ones\n"
    "      --limit SIZE       remove the oldest ones when all files together are larger\n"
    "      --flight[=LIMIT]   keep the latest events in memory only: of a size, a time or both,\n"
    "                         64M, 30s or 30s,256M. FILE is written at the end; SIGUSR2 and\n"
    "                         `cairn snapshot` write a file with a number in its name [64M]\n"
    "      --on CONDITION ACTION\n"
    "                         when an event happens that CONDITION ('EVENT && FILTER') selects,\n"
    "                         write a snapshot (snapshot), end (stop), or run a command\n"
    "                         (exec:COMMAND); may be given again\n"
    "      --name NAME        the name by which `cairn session` and `cairn snapshot` find this\n"
    "                         recorder\n"
    "  -q, --quiet            print errors only\n"
    "  -h, --help             print this\n"
    "\n"
    "Exit status: COMMAND's own (128 + N if signal N killed it), unless that is 0 or\n"
    "COMMAND was terminated by cairn; otherwise\n"
    "3 if events are missing (lost, or of processes that could not be recorded),\n"
    "4 if a pattern matched no tracepoint or a filter selected no event,\n"
    "1 if the recording failed, 2 if the command line is invalid,\n"
    "126 or 127 if COMMAND could not be run.\n"
    "\n"
    "  cairn record -e 'MyCompany_*' -- ./program\n"
    "  cairn record -o - | cairn decode -f text -\n";

#define BLOCK_MS 1000u

static int set_block(struct record_state *r, const char *text)
{
    char *end;
    unsigned long ms = text ? strtoul(text, &end, 10) : BLOCK_MS;

    if (text && (*text < '0' || *text > '9' || *end || !ms || ms > CAIRN_SESSION_BLOCK_MAX_MS)) {
        cli_error(r->verb, "invalid --block=%s: expected milliseconds, 1 to %u", text,
                  CAIRN_SESSION_BLOCK_MAX_MS);
        return CLI_USAGE;
    }
    r->block_ms = (uint32_t)ms;
    return CLI_OK;
}

/* Returned for an option that another function applies. */
#define OPTION_IS_OTHER (-1)

/* Options for events of programs, and for filters. */
static int apply_event_option(struct record_state *r, int option)
{
    switch (option) {
    case 'e':
        r->is_filter_of_kernel = false;
        return cli_collection_add_pattern(&r->collection, optarg);
    case OPTION_FILTER:
        if (r->is_filter_of_kernel)
            return cli_kernel_add_filter(&r->kernel, optarg);
        return cli_collection_add_filter(&r->collection, optarg);
    case OPTION_LIBC:
        r->with_libc = true;
        return CLI_OK;
    case OPTION_BUFFER:
        return cli_collection_parse_buffer(r->verb, optarg, &r->buffer_bytes);
    case OPTION_BLOCK:
        return set_block(r, optarg);
    default:
        return OPTION_IS_OTHER;
    }
}

/* Options for what the kernel records: its events, and probes in programs. */
static int apply_kernel_option(struct record_state *r, int option)
{
    switch (option) {
    case 'k':
        r->is_filter_of_kernel = true;
        return cli_kernel_add_pattern(&r->kernel, optarg);
    case OPTION_KERNEL:
        r->is_filter_of_kernel = true;
        return cli_kernel_add_preset(&r->kernel, optarg);
    case OPTION_FUNCTION:
        r->kernel.functions[r->kernel.function_count++] = optarg;
        return CLI_OK;
    case OPTION_SDT:
        r->kernel.static_probes[r->kernel.static_probe_count++] = optarg;
        return CLI_OK;
    case 'a':
        r->kernel.is_all = true;
        return CLI_OK;
    case 'p':
        return cli_kernel_add_pids(&r->kernel, optarg);
    case 'u':
        return cli_kernel_add_user(&r->kernel, optarg);
    case 'g':
        return cli_kernel_set_stacks(&r->kernel, "fp");
    case OPTION_CALL_GRAPH:
        return cli_kernel_set_stacks(&r->kernel, optarg);
    case OPTION_KERNEL_BUFFER:
        return cli_kernel_set_buffer(&r->kernel, optarg);
    default:
        return OPTION_IS_OTHER;
    }
}

/* Options for files: which ones are written, and when. */
static int apply_output_option(struct record_state *r, int option)
{
    switch (option) {
    case 'o':
        r->output.path = optarg;
        return CLI_OK;
    case 'f':
        return cli_format_set(r->verb, optarg, &r->format);
    case 'z':
        return cli_format_set_level(r->verb, optarg, true, &r->format);
    case OPTION_ROTATE:
        return cli_rotation_set(&r->rotation, optarg);
    case OPTION_KEEP:
        return cli_rotation_set_keep(&r->rotation, optarg);
    case OPTION_LIMIT:
        return cli_rotation_set_limit(&r->rotation, optarg);
    case OPTION_FLIGHT:
        return cli_flight_set(&r->flight, optarg);
    default:
        return OPTION_IS_OTHER;
    }
}

static int apply_option(void *context, int option, char **argv)
{
    struct record_state *r = context;
    int status = apply_event_option(r, option);

    if (status == OPTION_IS_OTHER)
        status = apply_kernel_option(r, option);
    if (status == OPTION_IS_OTHER)
        status = apply_output_option(r, option);
    if (status != OPTION_IS_OTHER)
        return status;
    switch (option) {
    case OPTION_DURATION:
        return cli_collection_set_duration(&r->collection, optarg);
    case OPTION_NAME:
        return cli_remote_set_name(&r->remote, optarg);
    case OPTION_ON:
        return cli_triggers_add(&r->triggers, optarg, optind < r->argc ? r->argv[optind++] : NULL);
    case 'q':
        r->quiet = true;
        return CLI_OK;
    default:
        return cli_bad_option(r->verb, option, argv);
    }
}

/* Returns an exit status. Sets *ret_help if the user asks for help. */
static int parse_options(struct record_state *r, bool *ret_help)
{
    const struct cli_collection_options how = {"+:e:k:ap:u:go:f:z::qh", options, apply_option, r};
    int status = cli_collection_parse(&r->collection, &how, r->argc, r->argv, ret_help);

    if (status || *ret_help)
        return status;
    status = cli_format_check(r->verb, r->output.path, &r->format);
    r->collection.is_quiet_without_events =
        cli_kernel_is_wanted(&r->kernel) && r->collection.is_all;
    r->kernel.has_command = r->collection.command_argv != NULL;
    r->kernel.with_maps = cli_collection_wants_stacks(&r->collection);
    if (!status)
        status = cli_kernel_check(&r->kernel, r->kernel.has_command);
    if (!status && r->with_libc && !r->collection.command_argv) {
        cli_error(r->verb, "--libc loads a library into COMMAND: add one");
        status = CLI_USAGE;
    }
    return status;
}

/* ---- the session ---- */

static void look_at_triggers(struct record_state *r)
{
    struct cli_command_setting setting = cli_collection_setting(&r->collection);
    bool wants_snapshot = r->collection.signals.wants_snapshot;

    cli_remote_poll(&r->remote);
    setting.output_to_error = r->output.is_standard_output;
    r->collection.signals.wants_snapshot = false;
    cli_triggers_poll(&r->triggers, &setting, &wants_snapshot, &r->collection.is_stopped);
    if (!wants_snapshot)
        return;
    cli_progress_clear(&r->progress);
    cli_flight_take(&r->flight, r->collection.recorder);
}

/* Events of the last moment. */
static void end_triggers(struct record_state *r)
{
    struct cli_command_setting setting = cli_collection_setting(&r->collection);
    bool wants_snapshot = false;

    setting.output_to_error = r->output.is_standard_output;
    cli_triggers_end(&r->triggers, &setting, &wants_snapshot);
    if (wants_snapshot)
        cli_flight_take(&r->flight, r->collection.recorder);
}

static int show_progress(void *context)
{
    struct record_state *r = context;

    if (cairn_session_counts(r->collection.session)->tracepoints > r->checked_tracepoints)
        cli_progress_clear(&r->progress);
    cli_report_filter_problems(r->verb, r->collection.session, &r->checked_tracepoints);
    cli_report_useless_filters(r->verb, r->collection.session, r->collection.pattern_count,
                               &r->collection.reported_filters, &r->progress);
    cli_progress_show(&r->progress, r->collection.session,
                      cli_collection_elapsed_ns(&r->collection));
    cli_rotation_poll(&r->rotation, r->collection.recorder);
    look_at_triggers(r);
    return 0;
}

static void report(struct record_state *r, int error)
{
    struct cli_collection *c = &r->collection;
    struct cairn_session_counts counts = *cairn_session_counts(c->session);

    /* Its place does not depend on how long the session was. */
    if (!error && !c->is_quiet_without_events && counts.filtered)
        cli_report_useless_filters(r->verb, c->session, c->pattern_count, &c->reported_filters,
                                   NULL);
    if (!r->quiet && !r->output.is_lost)
        cli_record_report(c->session, cli_collection_elapsed_ns(c),
                          r->output.mode == CAIRN_PERF_FILE && !r->flight.is_wanted ? r->output.path
                                                                                    : NULL,
                          error != 0);
    if (!r->quiet)
        cli_rotation_report(&r->rotation);
    if (!r->quiet && !error)
        cli_kernel_advise(&r->kernel);
    if (!r->quiet && !error && r->flight.is_wanted)
        cli_flight_report(&r->flight);
    cli_report_missing(r->verb, &counts);
    if (!error) {
        if (!c->is_quiet_without_events)
            cli_report_unmatched(r->verb, c->session,
                                 &(struct cli_patterns){c->patterns, c->filters, c->pattern_count,
                                                        c->reported_filters});
        cli_report_filters(c->session, r->quiet);
    }
    if (c->command_argv)
        cli_report_command(r->verb, &c->command, c->command_argv[0]);
}

static int begin_session(struct record_state *r, struct cairn_session_options *options)
{
    int status = cli_collection_begin(&r->collection, options);

    if (!status)
        r->is_filter_refused = !cli_kernel_report_filters(&r->kernel, r->collection.session);
    if (!status && cli_kernel_has_useless_filter(&r->kernel, r->collection.session))
        status = CLI_NOTHING; /* before the command runs */
    return status;
}

static int check_modes(struct record_state *r, struct cairn_session_options *options)
{
    int status = cli_rotation_check(&r->rotation, &r->output, options);

    if (!status)
        status = cli_flight_check(&r->flight, &r->output, options);
    if (status || r->flight.is_wanted || !cli_triggers_want_snapshots(&r->triggers))
        return status;
    cli_error(r->verb, "--on ... snapshot needs --flight");
    return CLI_USAGE;
}

/* A recorder of a name whose process is killed: the next one of the name continues. */
static bool can_be_resumed(const struct record_state *r,
                           const struct cairn_session_options *options)
{
    return r->remote.name && options->format == CAIRN_SESSION_TRACE &&
           options->mode == CAIRN_PERF_FILE && !r->flight.is_wanted;
}

/* Begins the session and the command. Returns an exit status. An existing recording is replaced
 * only after the command has started. */
static int begin(struct record_state *r)
{
    struct cairn_session_options session_options = {
        .size = sizeof(session_options),
        .buffer_bytes = r->buffer_bytes,
        .block_ms = r->block_ms,
        .mode = r->output.mode,
        .arg_count = r->argc,
        .args = (const char *const *)r->argv,
        .format = cli_format_is_trace(r->output.path, &r->format) ? CAIRN_SESSION_TRACE
                                                                  : CAIRN_SESSION_PERF,
        .compression = r->format.level,
        .kernel = cli_kernel_options(&r->kernel),
        .is_of_machine = r->kernel.is_all,
    };
    int status;

    status = check_modes(r, &session_options);
    if (status)
        return status;
    r->collection.signals.takes_snapshots = r->flight.is_wanted;
    cli_collection_prepare(&r->collection);
    if (!r->flight.is_wanted)
        status = cli_record_output_create(&r->output);
    session_options.fd = r->output.fd;
    if (!status)
        status = cli_remote_open(&r->remote);
    if (!status && can_be_resumed(r, &session_options))
        session_options.resume_name = r->remote.name;
    if (!status)
        status = begin_session(r, &session_options);
    if (!status)
        status = cli_triggers_begin(&r->triggers);
    if (!status && r->with_libc)
        status = cli_libc_load(r->verb, r->collection.command_argv[0]);
    if (!status)
        status = cli_collection_start_command(&r->collection, r->output.is_standard_output);
    if (!status) {
        cli_rotation_prepare(&r->rotation, cairn_session_counts(r->collection.session)->is_resumed);
        cli_record_output_keep(&r->output);
        cli_rotation_begin(&r->rotation);
    }
    return status;
}

static uint64_t bytes_of(const struct record_state *r)
{
    return cairn_session_counts(r->collection.session)->bytes;
}

static int run_session(struct record_state *r)
{
    int status = begin(r);
    int error;

    if (status)
        return status;
    if (!r->quiet)
        cli_storage_warn(r->verb);
    if (!r->quiet && !r->collection.command_argv)
        fprintf(stderr, "Recording to %s. Press Ctrl-C to end.\n",
                cli_record_output_name(&r->output));
    if (!r->quiet && !r->collection.command_argv && !r->collection.is_all)
        cli_report_unknown(r->verb, r->collection.session, r->collection.patterns,
                           r->collection.pattern_count);
    r->flight.quiet = r->quiet;
    r->progress.enabled = !r->quiet && isatty(STDERR_FILENO);
    error = cli_collection_run(&r->collection, show_progress, r);
    cli_progress_clear(&r->progress);
    error = cli_collection_end(&r->collection, error, cli_record_output_name(&r->output));
    if (!cli_rotation_end(&r->rotation) && !error)
        error = EIO;
    end_triggers(r);
    if (r->flight.is_wanted) {
        if (!error && !cli_flight_end(&r->flight, r->collection.recorder))
            error = EIO;
    } else if (!error && !cli_record_output_check(&r->output, bytes_of(r))) {
        error = EIO;
    }
    report(r, error);
    status = cli_collection_exit_status(&r->collection, error);
    return !status && r->is_filter_refused ? CLI_NOTHING : status;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct record_state r = {
        .verb = verb,
        .argc = argc,
        .argv = argv,
        .output = {.verb = verb, .path = DEFAULT_OUTPUT, .fd = -1},
        .rotation = {.verb = verb},
        .flight = {.verb = verb},
        .triggers = {.verb = verb},
        .remote = {.verb = verb},
    };
    bool help_wanted = false;
    int status = CLI_FAILED;

    r.remote.collection = &r.collection;
    r.remote.flight = &r.flight;
    r.remote.output = &r.output;
    if (cli_collection_open(&r.collection, verb, argc) && cli_kernel_open(&r.kernel, verb, argc))
        status = parse_options(&r, &help_wanted);
    if (help_wanted)
        status = cli_print_help(verb);
    else if (!status)
        status = cli_record_output_open(&r.output);
    if (!status && !help_wanted)
        status = run_session(&r);
    cli_collection_close(&r.collection);
    cli_kernel_close(&r.kernel);
    cli_rotation_free(&r.rotation);
    cli_triggers_free(&r.triggers);
    cli_remote_close(&r.remote);
    if (!cli_record_output_close(&r.output))
        status = CLI_FAILED;
    return status;
}

const struct cli_verb cli_record = {
    .name = "record",
    .summary = "record events of programs to a file",
    .usage = "record [options] [-- COMMAND [ARG...]]",
    .help = help,
    .run = run,
};
