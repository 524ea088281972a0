/* SPDX-License-Identifier: MIT */
/* cairn session: recordings that outlive the terminal from which they were started. */
#include "cli/asking.h"
#include "cli/collection.h"
#include "cli/remote.h"
#include "cli/session_args.h"
#include "cli/session_start.h"

#include <cairn/inspect.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#define END_TRIES 3000
#define ASK_MS    60000u
#define PAUSE_NS  10000000L

static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};

static const char help[] =
    "Starts recordings that continue in the background, and controls them. Each is an ordinary\n"
    "process, `cairn record`; there is no daemon.\n"
    "\n"
    "  start NAME OPTION...  start a recording with these options of `cairn record`; the file\n"
    "                        is NAME.cairn in the working directory, if there is no -o\n"
    "  start NAME            start it again, after its process has ended\n"
    "  list                  list recordings that have a name\n"
    "  snapshot NAME         write what a flight recorder has kept, as `cairn snapshot` does\n"
    "  add NAME EVENT [--filter FILTER]...\n"
    "                        record these events, too: patterns and filters as `cairn record`\n"
    "                        takes them\n"
    "  remove NAME EVENT...  do not record them any more: patterns that were given\n"
    "  stop NAME             end it: what was recorded is in its file then. Prints what the\n"
    "                        recorder has said, and the name of the file\n"
    "\n"
    "  -e, --event EVENT     of add and remove: the same as EVENT\n"
    "      --filter FILTER   of add: only those of the EVENT before it that FILTER selects\n"
    "  -h, --help            print this\n"
    "\n"
    "Exit status: 0; 1 if that failed, or there is no such recording; 2 if the command line is\n"
    "invalid.\n"
    "\n"
    "  cairn session start web -e 'MyCompany_Web_*' --limit 1G\n"
    "  cairn session add web MyCompany_Web:Request --filter 'Status >= 500'\n"
    "  cairn session stop web\n";

/* ---- list ---- */

struct session_list {
    const struct cli_verb *verb;
    uint32_t count;
};

static void print_head(void)
{
    printf("%-16s %8s %14s %10s %10s %-6s %s\n", "NAME", "PID", "EVENTS", "LOST", "BYTES", "MODE",
           "FILE");
}

static uint64_t number_of(const struct cli_answer *answer, const char *word)
{
    char value[32];

    return strtoull(cli_answer_value(answer, word, value, sizeof(value)), NULL, 10);
}

static void print_one(void *context, const char *name, int32_t pid)
{
    struct session_list *list = context;
    struct cli_answer answer;
    char mode[16];
    char file[sizeof(answer.text)];
    char bytes[CAIRN_NUMBER_TEXT_BYTES];

    if (!list->count++)
        print_head();
    /* One that is being killed has ended before it answers. */
    if (pid < 0 ||
        cairn_recorder_ask(name, "status", ASK_MS, answer.text, sizeof(answer.text)) == ENOENT) {
        printf("%-16s %8s its process has ended; `cairn session start %s` continues\n", name, "-",
               name);
        return;
    }
    if (!cli_ask_recorder(list->verb, name, "status", &answer))
        return;
    printf("%-16s %8" PRId32 " %14" PRIu64 " %10" PRIu64 " %10s %-6s %s\n", name, pid,
           number_of(&answer, "events"), number_of(&answer, "lost"),
           cairn_size_text(number_of(&answer, "bytes"), bytes),
           cli_answer_value(&answer, "mode", mode, sizeof(mode)),
           cli_answer_value(&answer, "file", file, sizeof(file)));
}

static int list_sessions(const struct cli_verb *verb)
{
    struct session_list list = {.verb = verb};
    int error = cairn_recorder_each(print_one, &list);

    if (!error)
        return CLI_OK;
    cli_directory_error(verb, error, "cannot find recorders");
    return CLI_FAILED;
}

/* ---- stop ---- */

/* Its file is complete when its process has left the name. */
static bool wait_for_end(const char *name)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    struct cairn_recorder *probe;

    for (int i = 0; i < END_TRIES; i++) {
        if (!cairn_recorder_open(name, &probe)) {
            cairn_recorder_close(probe);
            return true;
        }
        (void)nanosleep(&pause, NULL);
    }
    return false;
}

/* Events that programs have written since its process was killed are in their buffers: the
 * recording is continued, and ends with all of them. */
static bool is_to_be_continued(const char *name)
{
    char answer[CAIRN_RECORDER_REQUEST_BYTES];

    return cli_session_can_continue(name) &&
           cairn_recorder_ask(name, "status", ASK_MS, answer, sizeof(answer)) == ENOENT;
}

static int stop(const struct cli_verb *verb, const char *name)
{
    struct cli_answer answer;
    char file[sizeof(answer.text)];

    if (is_to_be_continued(name))
        (void)cli_session_start(verb, name, NULL, 0);
    if (!cairn_recorder_forget(name)) { /* it has ended already */
        cli_session_print_log(name);
        cli_session_forget(name);
        return CLI_OK;
    }
    if (!cli_ask_recorder(verb, name, "status", &answer))
        return CLI_FAILED;
    (void)cli_answer_value(&answer, "file", file, sizeof(file));
    if (!cli_ask_recorder(verb, name, "stop", &answer))
        return CLI_FAILED;
    if (!wait_for_end(name)) {
        cli_error(verb, "%s does not end", name);
        return CLI_FAILED;
    }
    cli_session_print_log(name);
    cli_session_forget(name);
    puts(file);
    return CLI_OK;
}

/* ---- add, remove ---- */

/* An event that is to be added, and the filter after it; NULL: none. */
struct addition {
    const char *event;
    const char *filter;
};

enum { OPTION_FILTER = 0x100, WORD = 1 };

static const struct option event_options[] = {
    {"event", required_argument, NULL, 'e'},
    {"filter", required_argument, NULL, OPTION_FILTER},
    {0},
};

static int set_filter(const struct cli_verb *verb, struct addition *last, const char *filter)
{
    if (!last || last->filter) {
        cli_error(verb, last ? "each event takes one --filter; combine two with && or ||"
                             : "--filter is for the event before it: there is none");
        return CLI_USAGE;
    }
    if (!cli_collection_check_filter(verb, filter))
        return CLI_USAGE;
    last->filter = filter;
    return CLI_OK;
}

/* The words after NAME, which is the first: EVENT, -e EVENT and --filter FILTER. */
static int parse_events(const struct cli_verb *verb, char **words, int count,
                        struct addition *additions, int *ret_count)
{
    int status = CLI_OK;
    int option;

    optind = 0; /* begins anew, with other letters */
    while (!status && (option = getopt_long(count, words, "-:e:", event_options, NULL)) != -1) {
        struct addition *last = *ret_count ? &additions[*ret_count - 1] : NULL;

        if (option == OPTION_FILTER)
            status = set_filter(verb, last, optarg);
        else if (option == WORD || option == 'e')
            additions[(*ret_count)++].event = optarg;
        else
            status = cli_bad_option(verb, option, words);
    }
    for (; !status && optind < count; optind++) /* after "--" */
        additions[(*ret_count)++].event = words[optind];
    return status;
}

static int ask_change(const struct cli_verb *verb, const char *name, const char *what,
                      const struct addition *addition)
{
    const char *filter = addition->filter ? addition->filter : "";
    char request[CAIRN_RECORDER_REQUEST_BYTES];
    struct cli_answer answer;
    int status;
    int lock;

    if (snprintf(request, sizeof(request), "%s %s%s%s", what, addition->event,
                 *filter ? CLI_REMOTE_FILTER : "", filter) >= (int)sizeof(request) ||
        strpbrk(addition->event, "\n" CLI_REMOTE_FILTER) ||
        strpbrk(filter, "\n" CLI_REMOTE_FILTER)) {
        cli_error(verb, "invalid event: %s", addition->event);
        return CLI_USAGE;
    }
    lock = cli_session_lock(verb, name); /* the order of changes is that of the recorder */
    if (lock < 0)
        return CLI_FAILED;
    status = cli_ask_recorder(verb, name, request, &answer)
                 ? cli_session_args_change(verb, name, !strcmp(what, "add"), addition->event,
                                           addition->filter)
                 : CLI_FAILED;
    close(lock);
    return status;
}

/* All words are checked before the first change. */
static int change(const struct cli_verb *verb, const char *what, char **words, int count)
{
    struct addition *additions = calloc((size_t)count, sizeof(*additions));
    int addition_count = 0;
    int status;

    if (!additions) {
        cli_errno(verb, ENOMEM, "cannot start");
        return CLI_FAILED;
    }
    status = parse_events(verb, words, count, additions, &addition_count);
    if (!status && !addition_count) {
        cli_error(verb, "expected an EVENT after %s", words[0]);
        status = CLI_USAGE;
    }
    for (int i = 0; i < addition_count && !status; i++) {
        if (additions[i].filter && strcmp(what, "add") != 0) {
            cli_error(verb, "--filter is for add: an event is removed with its filter");
            status = CLI_USAGE;
        }
    }
    for (int i = 0; i < addition_count && !status; i++)
        status = ask_change(verb, words[0], what, &additions[i]);
    free(additions);
    return status;
}

/* The words after the options. */
static int run_command(const struct cli_verb *verb, char **words, int count)
{
    if (count == 1 && !strcmp(words[0], "list"))
        return list_sessions(verb);
    if (count >= 2 && !cairn_recorder_name_is_valid(words[1])) {
        cli_error(verb, "invalid name: %s", words[1]);
        return CLI_USAGE;
    }
    if (count >= 2 && !strcmp(words[0], "start"))
        return cli_session_start(verb, words[1], words + 2, count - 2);
    if (count == 2 && !strcmp(words[0], "stop"))
        return stop(verb, words[1]);
    if (count == 2 && !strcmp(words[0], "snapshot"))
        return cli_take_snapshot(verb, words[1]) ? CLI_OK : CLI_FAILED;
    if (count >= 3 && (!strcmp(words[0], "add") || !strcmp(words[0], "remove")))
        return change(verb, words[0], words + 1, count - 1);
    cli_error(verb, "expected start, list, add, remove, snapshot or stop, and a NAME");
    return CLI_USAGE;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, "+:h", options, NULL)) != -1)
        return option == 'h' ? cli_print_help(verb) : cli_bad_option(verb, option, argv);
    return run_command(verb, argv + optind, argc - optind);
}

const struct cli_verb cli_session = {
    .name = "session",
    .summary = "start and control recordings in the background",
    .usage = "session [options] start|list|add|remove|snapshot|stop [NAME [OPTION...]]",
    .help = help,
    .run = run,
};
