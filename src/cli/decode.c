/* SPDX-License-Identifier: MIT */
/* cairn decode: prints the events of recordings. */
#include "cli/inputs.h"
#include "cli/pager.h"

#include <cairn/export.h>
#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define STYLE_NAME(NAME, name, description) #name,
#define STYLE_HELP(NAME, name, description) "                       " #name ": " description "\n"
#define STYLES_HELP                         CAIRN_STYLES(STYLE_HELP)

static const char *const style_names[] = {CAIRN_STYLES(STYLE_NAME)};

/* By enum cairn_printer_time. */
static const char *const time_names[] = {"", "utc", "local", "mono", "delta", "epoch-ns"};
#define TIME_COUNT (sizeof(time_names) / sizeof(*time_names))

#define JOBS_MAX 256

enum {
    OPTION_HEAD = CLI_CHOICE_END,
    OPTION_TAIL,
    OPTION_FIELDS,
    OPTION_TIME,
    OPTION_ORDER,
    OPTION_NO_PAGER,
};

static const struct option options[] = {
    {"format", required_argument, NULL, 'f'},
    {"output", required_argument, NULL, 'o'},
    CLI_CHOICE_OPTIONS,
    {"head", required_argument, NULL, OPTION_HEAD},
    {"tail", required_argument, NULL, OPTION_TAIL},
    {"fields", required_argument, NULL, OPTION_FIELDS},
    {"time", required_argument, NULL, OPTION_TIME},
    {"order", required_argument, NULL, OPTION_ORDER},
    {"jobs", required_argument, NULL, 'j'},
    {"no-pager", no_argument, NULL, OPTION_NO_PAGER},
    {"help", no_argument, NULL, 'h'},
    {0},
};

static const char help[] =
    "Prints the events of trace files, of perf.data files by cairn, perf or others, of\n"
    "trace.dat files of trace-cmd, and of text of the kernel's trace_pipe, in order of time.\n"
    "FILE may be - for standard input. Without FILE, standard input is read if it is a pipe or\n"
    "a file, otherwise perf.data. The events of several files are merged, except in the format\n"
    "json, which has a list for each file.\n"
    "\n"
    "  -f, --format FORMAT  the format of the output [default: json]\n" STYLES_HELP
    "  -o, --output FILE    write to FILE instead of standard output\n" CLI_CHOICE_HELP
    "      --head N         the first N events of those\n"
    "      --tail N         the last N events of those\n"
    "      --fields LIST    only these fields, as in Name,Peer.Port; in csv they are columns\n"
    "      --time FORM      utc, local, mono (the recording's clock), delta, epoch-ns\n"
    "                       [default: mono in text, otherwise utc]\n"
    "      --order ORDER    time, or file: as files have them, one after the other\n"
    "  -j, --jobs N         decode with N threads: the same events, and in the same order unless\n"
    "                       a recorder wrote some late [default: 1]\n"
    "      --no-pager       on a terminal, do not start $PAGER\n"
    "  -h, --help           print this\n"
    "\n"
    "Exit status: 0; 1 if a file or an event could be read in part only, or the output\n"
    "could not be written; 2 if the command line is invalid; 4 if a PATTERN matched no event,\n"
    "none has the fields of EXPR or one of LIST, or a FILE lacks the time of day that TIME is.\n"
    "\n"
    "  cairn decode -f text trace.perf.data\n"
    "  cairn decode -f csv -e 'MyProvider:Request' --fields Path,DurationUs trace.cairn\n"
    "  cairn record -o - -- ./program | cairn decode -f jsonl -\n";

struct decode_arguments {
    const struct cli_verb *verb;
    struct cli_inputs inputs;
    enum cairn_style style;
    enum cairn_printer_time time;
    struct cli_words fields;
    char *field_text;   /* that the names of fields point into */
    uint64_t head;      /* UINT64_MAX: all */
    uint64_t tail;      /* if has_tail is true: 0 is none */
    uint64_t jobs;      /* threads */
    const char *output; /* NULL: standard output */
    bool has_tail;
    bool no_pager;
};

/* The output, and copies of the events that may be the last ones. */
struct decoding {
    const struct decode_arguments *args;
    struct cairn_printer *printer;
    char **keys;                    /* of the files in the document */
    uint64_t events;                /* printed, or copied */
    struct cairn_event_copy **last; /* the last args->tail, in a ring; as many as there were yet */
    uint64_t copies;                /* in it */
    uint64_t capacity;
};

/* ---- the command line ---- */

static const char *separator(int style)
{
    if (!style)
        return "";
    return style + 1 < CAIRN_STYLE_COUNT ? ", " : " and ";
}

/* "json, jsonl and text" */
static void list_styles(char *to, size_t size_bytes)
{
    FILE *list = fmemopen(to, size_bytes, "w");

    *to = 0;
    if (!list)
        return;
    for (int style = 0; style < CAIRN_STYLE_COUNT; style++)
        (void)fprintf(list, "%s%s", separator(style), style_names[style]);
    (void)fclose(list);
}

static int take_style(struct decode_arguments *args, const char *name)
{
    char list[256];

    for (int style = 0; style < CAIRN_STYLE_COUNT; style++) {
        if (!strcmp(name, style_names[style])) {
            args->style = (enum cairn_style)style;
            return CLI_OK;
        }
    }
    list_styles(list, sizeof(list));
    cli_error(args->verb, "no such format: %s (%s)", name, list);
    return CLI_USAGE;
}

static int take_time(struct decode_arguments *args, const char *name)
{
    for (size_t n = 1; n < TIME_COUNT; n++) {
        if (!strcmp(name, time_names[n])) {
            args->time = (enum cairn_printer_time)n;
            return CLI_OK;
        }
    }
    cli_error(args->verb, "no such form of time: %s (utc, local, mono, delta and epoch-ns)", name);
    return CLI_USAGE;
}

static int take_order(struct decode_arguments *args, const char *name)
{
    bool by_file = !strcmp(name, "file");

    if (!by_file && strcmp(name, "time") != 0) {
        cli_error(args->verb, "no such order: %s (time and file)", name);
        return CLI_USAGE;
    }
    args->inputs.by_file = by_file;
    args->inputs.options.in_file_order = by_file;
    return CLI_OK;
}

static int take_count(struct decode_arguments *args, const char *name, const char *text,
                      uint64_t *ret)
{
    char *end;

    errno = 0;
    *ret = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && !errno)
        return CLI_OK;
    cli_error(args->verb, "%s takes a number of events: %s", name, text);
    return CLI_USAGE;
}

/* "Name,Peer.Port" */
static int take_fields(struct decode_arguments *args, const char *text)
{
    size_t count = 1;
    char *rest;

    for (const char *at = text; *at; at++)
        count += *at == ',';
    free(args->field_text);
    free((void *)args->fields.words);
    args->fields.count = 0;
    args->field_text = strdup(text);
    args->fields.words = (const char **)calloc(count, sizeof(*args->fields.words));
    if (!args->field_text || !args->fields.words) {
        cli_error(args->verb, "%s", strerror(ENOMEM));
        return CLI_FAILED;
    }
    rest = args->field_text;
    for (char *name = strsep(&rest, ","); name; name = strsep(&rest, ",")) {
        if (!*name) {
            cli_error(args->verb, "--fields has an empty name: %s", text);
            return CLI_USAGE;
        }
        args->fields.words[args->fields.count++] = name;
    }
    return CLI_OK;
}

static int take_jobs(struct decode_arguments *args, const char *text)
{
    char *end;

    errno = 0;
    args->jobs = strtoull(text, &end, 10);
    if (*text >= '0' && *text <= '9' && !*end && !errno && args->jobs && args->jobs <= JOBS_MAX)
        return CLI_OK;
    cli_error(args->verb, "--jobs takes a number of threads, 1 to %d: %s", JOBS_MAX, text);
    return CLI_USAGE;
}

static int take_option(struct decode_arguments *args, int option, char **argv)
{
    int status = cli_choice_take(&args->inputs.choice, option, optarg);

    if (status >= 0)
        return status;
    switch (option) {
    case 'o':
        args->output = optarg;
        return CLI_OK;
    case 'f':
        return take_style(args, optarg);
    case OPTION_HEAD:
        return take_count(args, "--head", optarg, &args->head);
    case OPTION_TAIL:
        args->has_tail = true;
        return take_count(args, "--tail", optarg, &args->tail);
    case OPTION_FIELDS:
        return take_fields(args, optarg);
    case OPTION_TIME:
        return take_time(args, optarg);
    case OPTION_ORDER:
        return take_order(args, optarg);
    case 'j':
        return take_jobs(args, optarg);
    case OPTION_NO_PAGER:
        args->no_pager = true;
        return CLI_OK;
    default:
        return cli_bad_option(args->verb, option, argv);
    }
}

/* Returns an exit status. Sets *ret_help if the user asks for help. */
static int parse_arguments(int argc, char **argv, struct decode_arguments *args, bool *ret_help)
{
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, ":e:f:j:o:h", options, NULL)) != -1) {
        int status;

        if (option == 'h') {
            *ret_help = true;
            return CLI_OK;
        }
        status = take_option(args, option, argv);
        if (status)
            return status;
    }
    if (args->has_tail && args->head != UINT64_MAX) {
        cli_error(args->verb, "--head and --tail cannot be combined");
        return CLI_USAGE;
    }
    if (args->has_tail && !args->tail)
        args->head = 0;
    cli_inputs_take(&args->inputs, argc, argv, optind);
    return CLI_OK;
}

/* ---- the output ---- */

static const char *base_name(const char *path)
{
    const char *slash = strrchr(path, '/');

    return slash ? slash + 1 : path;
}

/* The name of a file in the document: its path if another file has the same name. */
static const char *name_of(const struct decode_arguments *args, int index)
{
    const char *path = args->inputs.paths[index];
    const char *name = base_name(path);

    if (!strcmp(path, "-"))
        return "stdin";
    for (int n = 0; n < args->inputs.count; n++) {
        if (n != index && !strcmp(base_name(args->inputs.paths[n]), name))
            return path;
    }
    return name;
}

/* True if one of the first `count` files, other than this one, has its key. */
static bool is_taken(const struct decoding *decoding, int index, int count)
{
    for (int n = 0; n < count; n++) {
        if (n != index && !strcmp(decoding->keys[n], decoding->keys[index]))
            return true;
    }
    return false;
}

/* Makes a key differ from those before it, by a number that makes it no file's name either. Returns
 * 0; ENOMEM. */
static int number_key(struct decoding *decoding, int index)
{
    char **key = &decoding->keys[index];
    bool is_numbered = is_taken(decoding, index, index);

    for (int number = 2; is_numbered; number++) {
        free(*key);
        if (asprintf(key, "%s#%d", name_of(decoding->args, index), number) < 0) {
            *key = NULL;
            return ENOMEM;
        }
        is_numbered = is_taken(decoding, index, decoding->args->inputs.count);
    }
    return 0;
}

/* Makes the keys of the files in the document. Returns 0; ENOMEM. */
static int make_keys(struct decoding *decoding)
{
    int count = decoding->args->inputs.count;
    int err = 0;

    decoding->keys = (char **)calloc((size_t)count, sizeof(*decoding->keys));
    if (!decoding->keys)
        return ENOMEM;
    for (int n = 0; n < count; n++) {
        decoding->keys[n] = strdup(name_of(decoding->args, n));
        if (!decoding->keys[n])
            return ENOMEM;
    }
    for (int n = 0; n < count && !err; n++)
        err = number_key(decoding, n);
    return err;
}

static int open_output(const struct decode_arguments *args, int *ret_fd)
{
    int fd =
        args->output ? open(args->output, O_WRONLY | O_CREAT | O_CLOEXEC, 0666) : STDOUT_FILENO;
    int err = 0;

    if (fd < 0)
        err = errno;
    else if (args->output)
        err = cli_paths_empty((const char *const *)args->inputs.paths, (size_t)args->inputs.count,
                              fd);
    if (err) {
        cli_error(args->verb, "cannot write %s: %s", args->output, cli_paths_error(err));
        if (fd >= 0)
            close(fd);
        return err;
    }
    *ret_fd = fd;
    return 0;
}

/* Reports an error of writing. A reader that ends early, as `head` does, is not reported. */
static int report_output(const struct decode_arguments *args, int err)
{
    if (err && err != EPIPE)
        cli_errno(args->verb, err, "cannot write %s",
                  args->output ? args->output : "standard output");
    return err ? CLI_FAILED : CLI_OK;
}

/* ---- events ---- */

static void begin(void *context, int index)
{
    struct decoding *decoding = (struct decoding *)context;

    cairn_printer_begin(decoding->printer, decoding->keys[index]);
}

static int print(struct decoding *decoding, const struct cairn_event *event, uint64_t *damaged)
{
    *damaged += cairn_printer_event(decoding->printer, event) != CAIRN_EVENT_WHOLE;
    return cairn_printer_has_failed(decoding->printer) ? ECANCELED : 0;
}

/* Returns an errno code. Sets *ret_copy to the place of the event with this number. */
static int find_copy(struct decoding *decoding, uint64_t number, struct cairn_event_copy **ret_copy)
{
    uint64_t place = number % decoding->args->tail;
    int err = 0;

    if (place == decoding->capacity) {
        uint64_t capacity = place ? 2 * place : 64;
        void *bigger = reallocarray((void *)decoding->last, capacity, sizeof(*decoding->last));

        if (!bigger)
            return ENOMEM;
        decoding->last = (struct cairn_event_copy **)bigger;
        decoding->capacity = capacity;
    }
    if (place == decoding->copies) {
        err = cairn_event_copy_create(&decoding->last[place]);
        decoding->copies += !err;
    }
    *ret_copy = decoding->last[place];
    return err;
}

static int keep(struct decoding *decoding, uint64_t number, struct cairn_reader *reader,
                const struct cairn_event *event)
{
    struct cairn_event_copy *copy;
    int err = find_copy(decoding, number, &copy);

    return err ? err : cairn_event_copy_set(copy, reader, event);
}

static int handle(void *context, struct cairn_reader *reader, const struct cairn_event *event,
                  uint64_t *damaged)
{
    struct decoding *decoding = (struct decoding *)context;
    const struct decode_arguments *args = decoding->args;
    uint64_t number = decoding->events;
    int err;

    if (number == args->head)
        return ECANCELED;
    decoding->events++;
    if (args->tail)
        return keep(decoding, number, reader, event);
    err = print(decoding, event, damaged);
    return !err && decoding->events == args->head ? ECANCELED : err;
}

/* For readers of the output. */
static void flush(void *context)
{
    (void)cairn_printer_flush(((struct decoding *)context)->printer);
}

/* ---- events, by several threads ---- */

struct decode_thread {
    struct decoding *decoding;
    struct cairn_printer *part;
};

static int begin_thread(void *context, void **ret_state)
{
    struct decode_thread *thread = (struct decode_thread *)calloc(1, sizeof(*thread));
    int err;

    if (!thread)
        return ENOMEM;
    thread->decoding = (struct decoding *)context;
    err = cairn_printer_create_part(thread->decoding->printer, &thread->part);
    if (err) {
        free(thread);
        return err;
    }
    *ret_state = thread;
    return 0;
}

static int handle_in_thread(void *state, const struct cairn_event *event, uint64_t *damaged,
                            size_t *ret_kept_bytes)
{
    struct cairn_printer *part = ((struct decode_thread *)state)->part;

    *damaged += cairn_printer_event(part, event) != CAIRN_EVENT_WHOLE;
    *ret_kept_bytes = cairn_printer_kept_bytes(part);
    return 0;
}

static int pass_on(void *state, bool pauses)
{
    struct decode_thread *thread = (struct decode_thread *)state;
    struct cairn_printer *printer = thread->decoding->printer;

    cairn_printer_append(printer, thread->part);
    if (pauses)
        (void)cairn_printer_flush(printer);
    return cairn_printer_has_failed(printer) ? ECANCELED : 0;
}

static void end_thread(void *context, void *state)
{
    struct decode_thread *thread = (struct decode_thread *)state;

    (void)context;
    cairn_printer_destroy(thread->part);
    free(thread);
}

/* Options that depend on the events before need one thread. */
static uint32_t threads_of(const struct decode_arguments *args)
{
    bool is_in_turn =
        args->tail || args->head != UINT64_MAX || args->time == CAIRN_PRINTER_TIME_DELTA;

    return is_in_turn ? 1 : (uint32_t)args->jobs;
}

/* ---- all ---- */

/* Prints the last events. */
static int print_last(void *context, struct cairn_reader *reader, uint64_t *damaged)
{
    struct decoding *decoding = (struct decoding *)context;
    uint64_t tail = decoding->args->tail;
    uint64_t first = decoding->events > tail ? decoding->events - tail : 0;
    int err = 0;

    (void)reader;
    for (uint64_t n = first; tail && n < decoding->events && !err; n++) {
        const struct cairn_event *event;
        size_t source;

        err = cairn_event_copy_restore(decoding->last[n % tail], &event, &source);
        if (!err)
            err = print(decoding, event, &damaged[source]);
    }
    decoding->events = tail ? 0 : decoding->events;
    return err;
}

static int make_printer(struct decoding *decoding, int fd)
{
    const struct decode_arguments *args = decoding->args;
    int err = cairn_printer_create(args->style, fd, &decoding->printer);

    if (!err)
        err = make_keys(decoding);
    if (err)
        return err;
    cairn_printer_set_time(decoding->printer, args->time);
    cairn_printer_set_color(decoding->printer, cli_wants_color(fd));
    if (args->fields.count)
        err = cairn_printer_set_fields(decoding->printer, args->fields.words, args->fields.count);
    return err;
}

/* Returns CLI_NOTHING if no event has one of the fields; those that --head and --tail leave out
 * may. The stack is not one, but may be chosen. */
static int report_fields(void *context)
{
    const struct decoding *decoding = (const struct decoding *)context;
    const struct cli_words *fields = &decoding->args->fields;
    bool prints_all = decoding->args->head == UINT64_MAX && !decoding->args->tail;
    int status = CLI_OK;

    for (size_t n = 0; n < fields->count && prints_all; n++) {
        if (cairn_printer_found_field(decoding->printer, n) || !strcmp(fields->words[n], "stack"))
            continue;
        cli_error(decoding->args->verb, "no event has the field %s", fields->words[n]);
        status = CLI_NOTHING;
    }
    return status;
}

static void release(struct decoding *decoding)
{
    for (uint64_t n = 0; n < decoding->copies; n++)
        cairn_event_copy_destroy(decoding->last[n]);
    free((void *)decoding->last);
    for (int n = 0; decoding->keys && n < decoding->args->inputs.count; n++)
        free(decoding->keys[n]);
    free((void *)decoding->keys);
    cairn_printer_destroy(decoding->printer);
}

static int decode(struct decode_arguments *args, int fd)
{
    struct decoding decoding = {.args = args};
    struct cli_inputs *inputs = &args->inputs;
    int err = make_printer(&decoding, fd);
    int status;

    if (err) {
        release(&decoding);
        return report_output(args, err);
    }
    inputs->context = &decoding;
    inputs->begin = begin;
    inputs->event = handle;
    inputs->pause = flush;
    inputs->end = print_last;
    inputs->report = report_fields;
    inputs->threads = threads_of(args);
    inputs->thread_begin = begin_thread;
    inputs->thread_event = handle_in_thread;
    inputs->thread_pass = pass_on;
    inputs->thread_end = end_thread;
    inputs->by_file |= args->style == CAIRN_STYLE_JSON;
    /* perf-decode's content does not have it, which saves a search for each event. */
    inputs->options.without_comm =
        args->style == CAIRN_STYLE_JSON && !args->inputs.choice.selection;
    inputs->options.without_raw = !args->inputs.choice.selection && !args->tail;
    status = cli_inputs_read(inputs);
    if (report_output(args, cairn_printer_finish(decoding.printer)) != CLI_OK)
        status = CLI_FAILED;
    release(&decoding);
    return status;
}

static int decode_to_output(struct decode_arguments *args)
{
    struct cli_pager pager = {.fd = -1};
    int status = cli_choice_begin(&args->inputs.choice);
    int fd;

    if (status)
        return status;
    if (open_output(args, &fd))
        return CLI_FAILED;
    if (!args->output && !args->no_pager && args->style != CAIRN_STYLE_JSON)
        cli_pager_begin(&pager, &fd);
    status = decode(args, fd);
    if (args->output && close(fd) < 0)
        status = report_output(args, errno);
    cli_pager_end(&pager);
    return status;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct decode_arguments args = {
        .verb = verb,
        .inputs = {.verb = verb, .choice = {.verb = verb}, .options = CAIRN_READER_OPTIONS_INIT},
        .style = CAIRN_STYLE_JSON,
        .head = UINT64_MAX,
        .jobs = 1,
    };
    bool help_wanted = false;
    int status = parse_arguments(argc, argv, &args, &help_wanted);

    if (help_wanted)
        status = cli_print_help(verb);
    else if (!status)
        status = decode_to_output(&args);
    cli_choice_end(&args.inputs.choice);
    free((void *)args.fields.words);
    free(args.field_text);
    return status;
}

const struct cli_verb cli_decode = {
    .name = "decode",
    .summary = "print the events of a recording as JSON, text or CSV",
    .usage = "decode [options] [FILE...]",
    .help = help,
    .run = run,
};
