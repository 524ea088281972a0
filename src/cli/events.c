/* SPDX-License-Identifier: MIT */
/* cairn events: adds, deletes and lists events, by lines in the format of dynamic_events. */
#include "cli/event_word.h"

#include <cairn/inspect.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};

static const char help[] =
    "Adds and deletes events of the local engine, with lines in the format of tracefs's\n"
    "dynamic_events. Without arguments, or with list, it prints all events as such lines.\n"
    "\n"
    "  add 'NAME type field; ...'   add an event that remains until it is deleted; u:NAME\n"
    "                               is the same\n"
    "  delete NAME                  delete an event that is not in use; -:NAME, u:NAME and\n"
    "                               !u:NAME are the same. With fields after the name, only\n"
    "                               an event with these fields is deleted\n"
    "  -h, --help                   print this\n"
    "\n"
    "Several lines may be given; - stands for the lines of standard input, of which empty\n"
    "ones and comments (#) are ignored. The first line that fails ends the command.\n"
    "Exit status: 0; 1 if a line failed; 2 if the command line is invalid.\n"
    "\n"
    "  cairn events add 'requests u32 count; char[16] peer'\n"
    "  cairn events add - <events.txt\n"
    "  cairn events delete requests\n";

static const char *text_of(int error, bool adds)
{
    switch (error) {
    case EINVAL:
        return adds ? "expected NAME or u:NAME, then the fields: TYPE FIELD; TYPE FIELD"
                    : "expected NAME, -:NAME or !u:NAME";
    case E2BIG:
        return "it is too long: a name has up to 255 bytes, a line up to 511";
    case EADDRINUSE:
        return "the name is in use with other fields (cairn list --fields prints them)";
    case EBUSY:
        return adds ? "the tracing directory is locked" : "it is in use";
    case ENOENT:
        return "there is no such event";
    case ENOSPC:
        return "no space for another event in the tracing directory (run cairn doctor)";
    default:
        return strerror(error);
    }
}

/* ---- lines ---- */

/* True for a line that begins with "X:", another kind of dynamic event, or one that deletes. */
static bool is_other_kind(const char *line)
{
    return *line == '!' || *line == '-' || (line[0] && line[1] == ':' && line[0] != 'u');
}

/*
 * The line of dynamic_events for one that was given. Accepts the system before a name that is
 * added; any other slash would be a directory of tracefs. Invalid lines become "", which is invalid
 * there. Returns NULL: no memory; freed by the caller.
 */
static char *make_line(const char *given, bool adds)
{
    const char *command = cli_event_command(given);
    char *line;
    int length;

    if (adds && (is_other_kind(given) || command[strcspn(command, "/ :")] == '/'))
        return strdup("");
    if (adds)
        length = asprintf(&line, "u:%s", command);
    else if (*given == '-' || *given == '!')
        length = asprintf(&line, "%s", given);
    else
        length = asprintf(&line, "-:%s", command);
    return length < 0 ? NULL : line;
}

/* ---- standard input ---- */

/* A growing array of lines. */
struct lines {
    char **at;
    size_t count;
};

/* Takes the line over, which may be NULL: no memory. */
static bool append(struct lines *lines, char *line)
{
    char **at = realloc((void *)lines->at, (lines->count + 1) * sizeof(*at));

    if (!at || !line) {
        lines->at = at ? at : lines->at;
        free(line);
        return false;
    }
    lines->at = at;
    at[lines->count++] = line;
    return true;
}

static bool append_input(struct lines *lines)
{
    char *line = NULL;
    size_t capacity = 0;
    bool fine = true;

    for (ssize_t length; fine && (length = getline(&line, &capacity, stdin)) >= 0;) {
        const char *text = line + strspn(line, " \t");

        /* The text after a NUL would be ignored silently. */
        if (strlen(line) != (size_t)length) {
            errno = EBADMSG;
            fine = false;
        }
        line[strcspn(line, "\r\n")] = 0;
        for (size_t end = strlen(line); end && strchr(" \t", line[end - 1]);)
            line[--end] = 0;
        if (fine && *text && *text != '#')
            fine = append(lines, strdup(text));
    }
    free(line);
    return fine && !ferror(stdin);
}

/* Called before any is executed: all are executed under one lock, and standard input may be slow.
 */
static bool read_lines(char **words, struct lines *ret_lines)
{
    bool fine = true;

    for (; fine && *words; words++)
        fine =
            strcmp(*words, "-") != 0 ? append(ret_lines, strdup(*words)) : append_input(ret_lines);
    return fine;
}

static void free_lines(struct lines *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->at[i]);
    free((void *)lines->at);
}

/* ---- the verb ---- */

enum action { LIST, ADD, DELETE };

static void print_event(const struct cairn_inspected_event *event)
{
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    char command[CAIRN_COMMAND_MAX_BYTES];
    char text[CAIRN_COMMAND_MAX_BYTES];
    struct cairn_schema schema;

    (void)snprintf(command, sizeof(command), "%s%s", event->name, event->fields);
    if (!cairn_schema_parse_command(command, fields, CAIRN_FIELDS_MAX, &schema, NULL) &&
        !cairn_schema_write_command(&schema, text, sizeof(text), NULL))
        printf("u:%s\n", text);
}

static int list_events(const struct cli_verb *verb)
{
    struct cairn_inspection *inspection;
    int error = cairn_inspection_create(NULL, &inspection);

    if (error) {
        cli_directory_error(verb, error, "cannot use the tracing directory");
        return CLI_FAILED;
    }
    for (uint32_t i = 0; i < cairn_inspection_event_count(inspection); i++)
        print_event(cairn_inspection_event(inspection, i));
    cairn_inspection_destroy(inspection);
    return CLI_OK;
}

static int execute(const struct cli_verb *verb, const struct lines *given,
                   const struct lines *lines, bool adds)
{
    size_t done;
    int error = cairn_directory_execute((const char *const *)lines->at, lines->count, &done);

    if (error && done >= lines->count)
        cli_directory_error(verb, error, "cannot use the tracing directory");
    else if (error)
        cli_error(verb, "cannot %s %s: %s", adds ? "add" : "delete", given->at[done],
                  text_of(error, adds));
    return error ? CLI_FAILED : CLI_OK;
}

static int run_lines(const struct cli_verb *verb, char **words, bool adds)
{
    struct lines given = {0};
    struct lines lines = {0};
    int status = CLI_FAILED;
    bool fine = read_lines(words, &given);

    for (size_t i = 0; fine && i < given.count; i++)
        fine = append(&lines, make_line(given.at[i], adds));
    if (fine)
        status = execute(verb, &given, &lines, adds);
    else
        cli_errno(verb, errno, "cannot read the lines");
    free_lines(&given);
    free_lines(&lines);
    return status;
}

/* False: the words are invalid, and a message was printed. */
static bool parse_words(const struct cli_verb *verb, char **words, enum action *ret_action)
{
    static const char *const names[] = {[LIST] = "list", [ADD] = "add", [DELETE] = "delete"};

    *ret_action = LIST;
    for (size_t i = 0; *words && i < sizeof(names) / sizeof(*names); i++) {
        if (!strcmp(*words, names[i]) && (i == LIST) == !words[1]) {
            *ret_action = (enum action)i;
            return true;
        }
    }
    if (!*words)
        return true;
    cli_error(verb, "expected list, add LINE... or delete LINE...");
    fprintf(stderr, "Try: cairn %s --help\n", verb->name);
    return false;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    enum action action;
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, "+:h", options, NULL)) != -1)
        return option == 'h' ? cli_print_help(verb) : cli_bad_option(verb, option, argv);
    if (!parse_words(verb, argv + optind, &action))
        return CLI_USAGE;
    return action == LIST ? list_events(verb) : run_lines(verb, argv + optind + 1, action == ADD);
}

const struct cli_verb cli_events = {
    .name = "events",
    .summary = "add and delete events, with lines in the format of dynamic_events",
    .usage = "events [options] [list | add LINE... | delete LINE...]",
    .help = help,
    .run = run,
};
