/* SPDX-License-Identifier: MIT */
/* cairn events: adds and deletes events by the lines of dynamic_events. */
#include "cli/event_word.h"
#include "engine/registry_text.h"
#include "engine/sweep.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const struct option options[] = {{"help", no_argument, NULL, 'h'}, {0}};

static const char help[] =
    "Adds events to the local engine, and deletes them, by the lines that tracefs's\n"
    "dynamic_events takes. Without a word, or with list, it prints all events as such lines.\n"
    "\n"
    "  add 'NAME type field; ...'   adds an event that stays until it is deleted; u:NAME\n"
    "                               is the same\n"
    "  delete NAME                  deletes an event that nobody uses; so do -:NAME, and\n"
    "                               u:NAME and !u:NAME type field; ... if it has these fields\n"
    "  -h, --help                   print this\n"
    "\n"
    "Several lines may be given; - stands for the lines of standard input, of which empty\n"
    "ones and comments (#) are passed over. The first that fails ends it.\n"
    "Exit status: 0; 1 when one could not be added or deleted.\n"
    "\n"
    "  cairn events add 'requests u32 count; char[16] peer'\n"
    "  cairn events add - <events.txt\n"
    "  cairn events delete requests\n";

static void print(void *arg, const char *text, size_t size_bytes)
{
    (void)fwrite(text, 1, size_bytes, arg);
}

static const char *meaning_of(int error, bool adds)
{
    switch (error) {
    case EINVAL:
        return adds ? "this is no line of dynamic_events that adds a user event"
                    : "this is no line of dynamic_events that deletes";
    case E2BIG:
        return "it is too long: a name has up to 255 bytes, all of it up to 511";
    case EADDRINUSE:
        return "the name is in use with other fields";
    case EBUSY:
        return adds ? "the tracing directory is locked" : "somebody uses it";
    case ENOENT:
        return "there is no such event";
    case ENOSPC:
        return "there is no room for another event";
    default:
        return strerror(error);
    }
}

/* ---- lines ---- */

/* "X:" in front: other dynamic events of the kernel, or a line that deletes. */
static bool has_other_kind(const char *line)
{
    return *line == '!' || *line == '-' || (line[0] && line[1] == ':' && line[0] != 'u');
}

/* The system may stand before the name; a slash within that would be a folder of tracefs. */
static int add_line(struct cairn_engine_registry *local, const char *line)
{
    char text[CAIRN_COMMAND_MAX_BYTES + 8];
    const char *command = cli_event_command(line);
    int length = snprintf(text, sizeof(text), "u:%s", command);

    if (has_other_kind(line) || command[strcspn(command, "/ :")] == '/')
        return EINVAL;
    return length < (int)sizeof(text) ? cairn_registry_command(local, text) : E2BIG;
}

static int delete_line(struct cairn_engine_registry *local, const char *line)
{
    char text[CAIRN_COMMAND_MAX_BYTES + 8];
    bool is_whole = *line == '-' || *line == '!';
    int length = snprintf(text, sizeof(text), "%s%s",
                          is_whole ? "" : "-:", is_whole ? line : cli_event_command(line));

    return length < (int)sizeof(text) ? cairn_registry_command(local, text) : E2BIG;
}

static int do_line(const struct cli_verb *verb, struct cairn_engine_registry *local, const char *line,
                   bool adds)
{
    int error = adds ? add_line(local, line) : delete_line(local, line);

    if (!error)
        return CLI_OK;
    cli_error(verb, "cannot %s %s: %s", adds ? "add" : "delete", line, meaning_of(error, adds));
    return CLI_FAILED;
}

static int do_words(const struct cli_verb *verb, struct cairn_engine_registry *local, char **lines, bool adds)
{
    int status = CLI_OK;

    for (; *lines && !status; lines++)
        status = do_line(verb, local, *lines, adds);
    return status;
}

/* ---- standard input ---- */

/* A growing list of words, NULL at its end. */
struct words {
    char **at;
    size_t count;
};

static bool append(struct words *words, const char *word)
{
    char **at = realloc((void *)words->at, (words->count + 2) * sizeof(*at));

    if (!at)
        return false;
    words->at = at;
    at[words->count] = strdup(word);
    at[words->count + 1] = NULL;
    return at[words->count++] != NULL;
}

static bool append_input(struct words *words)
{
    char *line = NULL;
    size_t room = 0;
    bool fine = true;

    for (ssize_t length; fine && (length = getline(&line, &room, stdin)) >= 0;) {
        const char *text = line + strspn(line, " \t");

        /* What follows a NUL would not be seen. */
        if (strlen(line) != (size_t)length) {
            errno = EBADMSG;
            fine = false;
        }
        line[strcspn(line, "\r\n")] = 0;
        for (size_t end = strlen(line); end && strchr(" \t", line[end - 1]);)
            line[--end] = 0;
        if (fine && *text && *text != '#')
            fine = append(words, text);
    }
    free(line);
    return fine && !ferror(stdin);
}

/* Read before the registry is locked: whoever writes them may take his time. */
static bool read_lines(char **words, struct words *ret_lines)
{
    bool fine = true;

    for (; fine && *words; words++)
        fine = strcmp(*words, "-") != 0 ? append(ret_lines, *words) : append_input(ret_lines);
    return fine;
}

static void free_lines(struct words *lines)
{
    for (size_t i = 0; i < lines->count; i++)
        free(lines->at[i]);
    free((void *)lines->at);
}

/* ---- the verb ---- */

enum action { LIST, ADD, DELETE };

static int run_locked(const struct cli_verb *verb, struct cairn_engine_registry *local, enum action action,
                      char **lines)
{
    cairn_registry_sweep(local);
    if (action != LIST)
        return lines ? do_words(verb, local, lines, action == ADD) : CLI_OK;
    cairn_registry_print_commands(local, print, stdout);
    return CLI_OK;
}

static int run_action(const struct cli_verb *verb, enum action action, char **lines)
{
    struct cairn_engine_registry local = {.lock_fd = -1};
    int status = CLI_FAILED;
    int error = cairn_engine_registry_open(&local);

    if (!error)
        error = cairn_engine_registry_lock(&local);
    if (!error) {
        status = run_locked(verb, &local, action, lines);
        cairn_engine_registry_unlock(&local);
    } else {
        cli_directory_error(verb, error, "cannot use the tracing directory");
    }
    cairn_engine_registry_close(&local);
    return status;
}

/* False: the words make no sense; it has been said. */
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
    cli_error(verb, "say list, or add or delete and what");
    fprintf(stderr, "Try: cairn %s --help\n", verb->name);
    return false;
}

static int run(const struct cli_verb *verb, int argc, char **argv)
{
    struct words lines = {0};
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
        cli_errno(verb, errno, "reading the lines");
        status = CLI_FAILED;
    }
    free_lines(&lines);
    return status;
}

const struct cli_verb cli_events = {
    .name = "events",
    .summary = "add events and delete them, by lines of dynamic_events",
    .usage = "events [options] [list | add LINE... | delete LINE...]",
    .help = help,
    .run = run,
};
