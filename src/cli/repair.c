/* SPDX-License-Identifier: MIT */
/* cairn repair: removes damaged blocks of a trace file and writes its index. */
#include "cli/made_output.h"

#include <cairn/repair.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const struct option options[] = {
    {"output", required_argument, NULL, 'o'},
    {"quiet", no_argument, NULL, 'q'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char help[] =
    "Repairs a trace file that is damaged, or that has no end because its recorder was killed.\n"
    "If only the end is missing, it is added to FILE. Otherwise the damaged parts are reported\n"
    "and removed: a new file replaces FILE, which is renamed to FILE.old. Do not repair a file\n"
    "that is still being recorded.\n"
    "\n"
    "  -o, --output OUT   write the whole file to OUT, and do not change FILE\n"
    "  -q, --quiet        print errors and removed parts only\n"
    "  -h, --help         print this\n"
    "\n"
    "Exit status: 0 if the file is complete, or is now, with all events; 1 if it could not\n"
    "be repaired; 2 if the command line is invalid; 3 if damaged parts were removed.\n"
    "\n"
    "  cairn repair trace.cairn\n";

struct repair_arguments {
    const struct cli_verb *verb;
    const char *input;
    const char *output; /* NULL: the input */
    bool quiet;
};

/* If help is requested it sets *ret_help instead. */
static int parse_arguments(int argc, char **argv, struct repair_arguments *args, bool *ret_help)
{
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, ":o:qh", options, NULL)) != -1) {
        if (option == 'h') {
            *ret_help = true;
            return CLI_OK;
        }
        if (option == 'o')
            args->output = optarg;
        else if (option == 'q')
            args->quiet = true;
        else
            return cli_bad_option(args->verb, option, argv);
    }
    if (argc - optind != 1) {
        cli_error(args->verb, "one file is needed");
        return CLI_USAGE;
    }
    args->input = argv[optind];
    return CLI_OK;
}

static void report_damage(const struct repair_arguments *args, const struct cairn_repair *repair)
{
    const struct cairn_repair_report *report = cairn_repair_report(repair);
    struct cairn_repair_damage damage;

    for (size_t n = 0; cairn_repair_damage(repair, n, &damage); n++) {
        if (damage.offset == damage.end)
            cli_error(args->verb, "%s: at byte %" PRIu64 ": %s", args->input, damage.offset,
                      damage.text);
        else
            cli_error(args->verb, "%s: removed bytes %" PRIu64 " to %" PRIu64 ": %s", args->input,
                      damage.offset, damage.end - 1, damage.text);
    }
    if (report->lost)
        cli_error(args->verb, "%s: %" PRIu64 " events were in these bytes", args->input,
                  report->lost);
    if (report->undescribed)
        cli_error(args->verb,
                  "%s: %" PRIu64 " events cannot be decoded: their descriptions were lost",
                  args->input, report->undescribed);
}

static int fail(const struct repair_arguments *args, int err, const char *path)
{
    cli_errno(args->verb, err, "%s", path);
    return CLI_FAILED;
}

/* A file that is growing is still being recorded. */
static int append(const struct repair_arguments *args, struct cairn_repair *repair)
{
    int fd = open(args->input, O_RDWR | O_CLOEXEC);
    struct stat st;
    int err = fd < 0 || fstat(fd, &st) ? errno : 0;

    if (!err && (uint64_t)st.st_size != cairn_repair_report(repair)->size_bytes)
        err = EBUSY;
    err = err ? err : cairn_repair_append(repair, fd);
    if (!err && fsync(fd) && errno != EINVAL && errno != EROFS)
        err = errno;
    if (fd >= 0 && close(fd) && !err)
        err = errno;
    return err ? fail(args, err, args->input) : CLI_OK;
}

static int copy(const struct repair_arguments *args, struct cairn_repair *repair)
{
    struct cli_record_output output = {
        .verb = args->verb, .path = args->output ? args->output : args->input, .fd = -1};
    int status = cli_made_output_open(&output);
    int err = 0;

    if (!status && output.mode == CAIRN_PERF_FILE && !output.temporary) {
        cli_error(args->verb, "%s cannot be replaced", output.path);
        status = CLI_FAILED;
    }
    if (!status)
        err = cairn_repair_copy(repair, output.fd);
    if (err)
        status = fail(args, err, cli_record_output_name(&output));
    if (!status)
        cli_made_output_keep(&output);
    if (!cli_record_output_close(&output))
        status = CLI_FAILED;
    return status;
}

static int examine(const struct repair_arguments *args, struct cairn_repair **ret_repair)
{
    const struct cairn_repair_options options = {.size = sizeof(options), .path = args->input};
    struct cairn_perf_error error;
    int err = cairn_repair_create(&options, &error, ret_repair);

    if (!err)
        return CLI_OK;
    if (err == EINVAL)
        cli_error(args->verb, "%s: a stream cannot be repaired", args->input);
    else if (err == EBADMSG && error.text)
        cli_error(args->verb, "%s: %s", args->input, error.text);
    else
        cli_errno(args->verb, err, "%s%s%s", args->input, error.text ? ": " : "",
                  error.text ? error.text : "");
    return CLI_FAILED;
}

static int repair_examined(const struct repair_arguments *args, struct cairn_repair *repair)
{
    const struct cairn_repair_report *report = cairn_repair_report(repair);
    bool is_whole = report->is_whole && !args->output;
    int status = CLI_OK;

    if (!is_whole) {
        report_damage(args, repair);
        status = report->can_append && !args->output ? append(args, repair) : copy(args, repair);
    }
    if (!status && !args->quiet)
        fprintf(stderr, "%s %s complete: %" PRIu64 " events in %" PRIu64 " blocks.\n",
                args->output ? args->output : args->input, is_whole ? "is" : "is now",
                report->events, report->blocks);
    return !status && report->damage_count ? CLI_LOST : status;
}

static int repair_file(const struct repair_arguments *args)
{
    struct cairn_repair *repair;
    int status = examine(args, &repair);

    if (status)
        return status;
    status = repair_examined(args, repair);
    cairn_repair_destroy(repair);
    return status;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct repair_arguments args = {.verb = verb};
    bool help_wanted = false;
    int status = parse_arguments(argc, argv, &args, &help_wanted);

    if (help_wanted)
        return cli_print_help(verb);
    return status ? status : repair_file(&args);
}

const struct cli_verb cli_repair = {
    .name = "repair",
    .summary = "repair a trace file that is damaged, or whose recorder was killed",
    .usage = "repair [options] FILE",
    .help = help,
    .run = run,
};
