/* SPDX-License-Identifier: MIT */
/* cairn decode: from a perf.data file to JSON and text. */
#include "cli/missing.h"

#include <cairn/decode.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

static const char *const style_names[CAIRN_STYLE_COUNT] = {"json", "jsonl", "text"};

static const struct option options[] = {
    {"format", required_argument, NULL, 'f'},
    {"output", required_argument, NULL, 'o'},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char help[] =
    "Prints the events of perf.data files, made by cairn, perf or others, in the order of\n"
    "time. FILE may be - for standard input. Without FILE: what comes through standard\n"
    "input, or perf.data.\n"
    "\n"
    "  -f, --format FORMAT  json: one document, as perf-decode prints it [the default]\n"
    "                       jsonl: one object for each event, on a line of its own\n"
    "                       text: one line for each event, as in trace_pipe\n"
    "  -o, --output FILE    write to FILE instead of standard output\n"
    "  -h, --help           print this\n"
    "\n"
    "Exit status: 0; 1 when a file or an event could be read in part only, or something\n"
    "could not be written; 2 for a wrong command line.\n"
    "\n"
    "  cairn decode -f text trace.perf.data\n"
    "  cairn record -o - -- ./program | cairn decode -f jsonl -\n";

struct arguments {
    const struct cli_verb *verb;
    enum cairn_style style;
    const char *output; /* NULL: standard output */
    char **inputs;
    int input_count;
};

static bool parse_style(const struct cli_verb *verb, const char *name, enum cairn_style *ret_style)
{
    for (int style = 0; style < CAIRN_STYLE_COUNT; style++) {
        if (!strcmp(name, style_names[style])) {
            *ret_style = (enum cairn_style)style;
            return true;
        }
    }
    cli_error(verb, "no such format: %s; there are json, jsonl and text", name);
    return false;
}

/* A pipe or a file at standard input is what is meant, as in `cairn decode <FILE`. */
static bool input_is_given(void)
{
    struct stat st;

    return !fstat(STDIN_FILENO, &st) && (S_ISFIFO(st.st_mode) || S_ISREG(st.st_mode));
}

/* Sets *ret_help instead when help is asked for. */
static int parse_arguments(int argc, char **argv, struct arguments *args, bool *ret_help)
{
    static char *recording[] = {(char *)"perf.data"};
    static char *standard_input[] = {(char *)"-"};
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, ":f:o:h", options, NULL)) != -1) {
        if (option == 'h') {
            *ret_help = true;
            return CLI_OK;
        }
        if (option == 'o')
            args->output = optarg;
        else if (option != 'f')
            return cli_bad_option(args->verb, option, argv);
        else if (!parse_style(args->verb, optarg, &args->style))
            return CLI_USAGE;
    }
    args->inputs = optind < argc ? argv + optind : input_is_given() ? standard_input : recording;
    args->input_count = optind < argc ? argc - optind : 1;
    return CLI_OK;
}

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The key of a file in the document: its name, or where two have the same, its path. */
static const char *key_of(const struct arguments *args, int index)
{
    const char *path = args->inputs[index];
    const char *name = base_name(path);

    for (int n = 0; n < args->input_count; n++) {
        if (n != index && !strcmp(base_name(args->inputs[n]), name))
            return path;
    }
    return strcmp(path, "-") ? name : "stdin";
}

/* Empties the output, if it is sure that it is none of the inputs. */
static int empty_output(const struct arguments *args, int fd)
{
    struct stat output;
    struct stat input;

    if (fstat(fd, &output) < 0)
        return errno;
    if (!S_ISREG(output.st_mode))
        return 0;
    for (int n = 0; n < args->input_count; n++) {
        if (!stat(args->inputs[n], &input) && input.st_dev == output.st_dev &&
            input.st_ino == output.st_ino)
            return EEXIST;
    }
    return ftruncate(fd, 0) < 0 ? errno : 0;
}

static int open_output(const struct arguments *args, int *ret_fd)
{
    int fd =
        args->output ? open(args->output, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : STDOUT_FILENO;
    int err = 0;

    if (fd < 0)
        err = errno;
    else if (args->output)
        err = empty_output(args, fd);
    if (err) {
        cli_error(args->verb, "%s: %s", args->output,
                  err == EEXIST ? "this is one of the inputs" : strerror(err));
        if (fd >= 0)
            close(fd);
        return err;
    }
    *ret_fd = fd;
    return 0;
}

/* Of what the file says the place is told; of what the system says, its words. */
static void tell_error(const struct cli_verb *verb, const char *path, int err,
                       const struct cairn_perf_error *error)
{
    const char *text = error->code == err && error->text ? error->text : NULL;

    if (text && err == EBADMSG)
        cli_error(verb, "%s: at byte %" PRIu64 ": %s", path, error->offset, text);
    else if (text)
        cli_errno(verb, err, "%s: %s", path, text);
    else
        cli_errno(verb, err, "%s", path);
}

/* Says what is not as it should be. Returns the exit status. */
static int tell(const struct cli_verb *verb, const char *path, int err,
                const struct cairn_decode_report *report)
{
    if (report->lost)
        cli_error(verb, "%s: %" PRIu64 " events were lost while recording", path, report->lost);
    cli_report_missing_from(verb, path, &report->missing);
    if (report->damaged || report->unreadable)
        cli_error(verb,
                  "%s: of %" PRIu64 " events %" PRIu64 " are damaged, %" PRIu64
                  " more cannot be read at all",
                  path, report->events, report->damaged, report->unreadable);
    if (err)
        tell_error(verb, path, err, &report->error);
    return err || report->damaged || report->unreadable ? CLI_FAILED : CLI_OK;
}

static int decode_inputs(const struct arguments *args, struct cairn_printer *printer)
{
    int status = CLI_OK;

    for (int n = 0; n < args->input_count && !cairn_printer_has_failed(printer); n++) {
        struct cairn_decode_report report;
        int err = cairn_decode_file(args->inputs[n], key_of(args, n), printer, &report);

        if (tell(args->verb, args->inputs[n], err, &report) != CLI_OK)
            status = CLI_FAILED;
    }
    return status;
}

/* A reader that goes away, as `head` does, need not be told of. */
static int tell_output(const struct arguments *args, int err)
{
    if (err && err != EPIPE)
        cli_errno(args->verb, err, "%s", args->output ? args->output : "standard output");
    return err ? CLI_FAILED : CLI_OK;
}

static int decode(const struct arguments *args, int fd)
{
    struct cairn_printer *printer;
    int err = cairn_printer_create(args->style, fd, &printer);
    int status;

    if (err)
        return tell_output(args, err);
    status = decode_inputs(args, printer);
    if (tell_output(args, cairn_printer_finish(printer)) != CLI_OK)
        status = CLI_FAILED;
    cairn_printer_destroy(printer);
    return status;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct arguments args = {.verb = verb, .style = CAIRN_STYLE_JSON};
    bool help_wanted = false;
    int status = parse_arguments(argc, argv, &args, &help_wanted);
    int fd;

    if (help_wanted)
        return cli_print_help(verb);
    if (status)
        return status;
    if (open_output(&args, &fd))
        return CLI_FAILED;
    status = decode(&args, fd);
    if (args.output && close(fd) < 0)
        status = tell_output(&args, errno);
    return status;
}

const struct cli_verb cli_decode = {
    .name = "decode",
    .summary = "print the events of a recording as JSON or as text",
    .usage = "decode [options] [FILE...]",
    .help = help,
    .run = run,
};
