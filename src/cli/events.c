/* SPDX-License-Identifier: MIT */
/* cairn events: adds, deletes and lists events, by lines in the format of dynamic_events. */
#include "cli/event_word.h"
#include "engine/registry_text.h"
#include "engine/sweep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};

static const char help[] =
    "Adds events to the local engine and deletes them, by lines in the format of tracefs's\n"
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

static void print(void *arg, const char *text, size_t size_bytes)
{
    (void)fwrite(text, 1, size_bytes, arg);
}

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

/* Accepts the system before the name. Any other slash would be a directory of tracefs. */
static int add_line(struct engine_registry *local, const char *line)
{
    char text[CAIRN_COMMAND_MAX_BYTES + 8];
    const char *command = cli_event_command(line);
    int length = snprintf(text, sizeof(text), "u:%s", command);

    if (is_other_kind(line) || command[strcspn(command, "/ :")] == '/')
        return EINVAL;
    return length < (int)sizeof(text) ? engine_registry_command(local, text) : E2BIG;
}

static int delete_line(struct engine_registry *local, const char *line)
{
    char text[CAIRN_COMMAND_MAX_BYTES + 8];
    bool is_whole = *line == '-' || *line == '!';
    int length = snprintf(text, sizeof(text), "%s%s",
                          is_whole ? "" : "-:", is_whole ? line : cli_event_command(line));

    return length < (int)sizeof(text) ? engine_registry_command(local, text) : E2BIG;
}

static int run_line(const struct cli_verb *verb, struct engine_registry *local, const char *line,
                    bool adds)
{
    int error = adds ? add_line(local, line) : delete_line(local, line);

    if (!error)
        return CLI_OK;
    cli_error(verb, "cannot %s %s: %s", adds ? "add" : "delete", line, text_of(error, adds));
    return CLI_FAILED;
}

static int run_lines(const struct cli_verb *verb, struct engine_registry *local, char **lines,
                     bool adds)
{
    int status = CLI_OK;

    for (; *lines && !status; lines++)
        status = run_line(verb, local, *lines, adds);
    return status;
}

/* ---- standard input ---- */

/* A growing array of lines, with a NULL at its end. */
struct lines {
    char **at;
    size_t count;
};

static bool append(struct lines *lines, const char *line)
{
    char **at = realloc((void *)lines->at, (lines->count + 2) * sizeof(*at));

    if (!at)
        return false;
    lines->at = at;
    at[lines->count] = strdup(line);
    at[lines->count + 1] = NULL;
    return at[lines->count++] != NULL;
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
            fine = append(lines, text);
    }
    free(line);
    return fine && !ferror(stdin);
}

/* Called before the registry is locked: standard input may be slow. */
static bool read_lines(char **words, struct lines *ret_lines)
{
    bool fine = true;

    for (; fine && *words; words++)
        fine = strcmp(*words, "-") != 0 ? append(ret_lines, *words) : append_input(ret_lines);
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

static int run_locked(const struct cli_verb *verb, struct engine_registry *local,
                      enum action action, char **lines)
{
    engine_registry_sweep(local);
    if (action != LIST)
        return lines ? run_lines(verb, local, lines, action == ADD) : CLI_OK;
    engine_registry_print_commands(local, print, stdout);
    return CLI_OK;
}

static int run_action(const struct cli_verb *verb, enum action action, char **lines)
{
    struct engine_registry local = {.lock_fd = -1};
    int status = CLI_FAILED;
    int error = engine_registry_open(&local);

    if (!error)
        error = engine_registry_lock(&local);
    if (!error) {
        status = run_locked(verb, &local, action, lines);
        engine_registry_unlock(&local);
    } else {
        cli_directory_error(verb, error, "cannot use the tracing directory");
    }
    engine_registry_close(&local);
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
    struct lines lines = {0};
    enum action action;
    int status;
    int option;

    optind = 1;
    while ((option = getopt_long(argc, argv, "+:h", options, NULL)) != -1)
        return option == 'h' ? cli_print_help(verb) : cli_bad_option(verb, option, argv);
    if (!parse_words(verb, argv + optind, &action))
        return CLI_USAGE;
    if (action == LIST || read_lines(argv + optind + 1, &lines)) {
        status = run_action(verb, action, lines.at);
    } else {
        cli_errno(verb, errno, "cannot read the lines");
        status = CLI_FAILED;
    }
    free_lines(&lines);
    return status;
}

const struct cli_verb cli_events = {
    .name = "events",
    .summary = "add and delete events, by lines in the format of dynamic_events",
    .usage = "events [options] [list | add LINE... | delete LINE...]",
    .help = help,
    .run = run,
};
