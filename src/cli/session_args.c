/* SPDX-License-Identifier: MIT */
/* Reads, writes and changes the arguments that are kept of a session. */
#include "cli/session_args.h"

#include <cairn/inspect.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

/* The size of all arguments: half of what a process can be given by default. */
#define ARGUMENTS_MAX_BYTES ((size_t)1 << 20)

bool cli_session_path(const struct cli_verb *verb, const char *name, const char *suffix,
                      char path[CLI_SESSION_PATH_BYTES])
{
    char directory[4096];
    int error = cairn_directory_locate(directory, sizeof(directory), NULL);

    if (error) {
        if (verb)
            cli_directory_error(verb, error, "cannot find the tracing directory");
        return false;
    }
    (void)snprintf(path, CLI_SESSION_PATH_BYTES, "%s/recorders/%s.%s~", directory, name, suffix);
    return true;
}

int cli_session_lock(const struct cli_verb *verb, const char *name)
{
    char path[CLI_SESSION_PATH_BYTES];
    int error = 0;
    int fd;

    if (!cli_session_path(verb, name, "args", path))
        return -1;
    *strrchr(path, '/') = '\0';
    fd = open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (fd < 0)
        error = errno;
    while (!error && flock(fd, LOCK_EX))
        error = errno == EINTR ? 0 : errno;
    if (!error)
        return fd;
    cli_errno(verb, error, "cannot lock %s", path);
    if (fd >= 0)
        close(fd);
    return -1;
}

/* ---- writing ---- */

static bool put(FILE *file, const char *text)
{
    return fwrite(text, 1, strlen(text) + 1, file) == strlen(text) + 1;
}

static bool is_too_long(const struct cli_session_args *args)
{
    size_t size = strlen(args->directory) + 1;

    for (int i = 0; i < args->argc && size <= ARGUMENTS_MAX_BYTES; i++)
        size += strlen(args->argv[i]) + 1;
    return size > ARGUMENTS_MAX_BYTES;
}

/* A command that is killed leaves the former file. */
bool cli_session_args_write(const struct cli_verb *verb, const char *name,
                            const struct cli_session_args *args)
{
    char path[CLI_SESSION_PATH_BYTES];
    char new_path[CLI_SESSION_PATH_BYTES];
    FILE *file;
    bool is_written;

    if (!cli_session_path(verb, name, "args", path) ||
        !cli_session_path(verb, name, "new-args", new_path))
        return false;
    if (is_too_long(args)) {
        cli_error(verb, "%s: all arguments together have more than %zu bytes", name,
                  ARGUMENTS_MAX_BYTES);
        return false;
    }
    file = fopen(new_path, "we");
    is_written = file && put(file, args->directory);
    for (int i = 0; i < args->argc && is_written; i++)
        is_written = put(file, args->argv[i]);
    if (file && fclose(file))
        is_written = false;
    if (is_written)
        is_written = !rename(new_path, path);
    if (!is_written)
        cli_errno(verb, errno, "cannot write %s", path);
    return is_written;
}

/* ---- reading ---- */

static bool read_all(FILE *file, struct cli_session_args *args, size_t *ret_size)
{
    struct stat st;
    size_t size;

    if (fstat(fileno(file), &st) || st.st_size <= 0 || (size_t)st.st_size > ARGUMENTS_MAX_BYTES)
        return false;
    size = (size_t)st.st_size;
    args->kept = malloc(size);
    if (!args->kept || fread(args->kept, 1, size, file) != size || args->kept[size - 1])
        return false;
    *ret_size = size;
    return true;
}

static bool read_kept(const struct cli_verb *verb, const char *name, struct cli_session_args *args,
                      size_t *ret_size)
{
    char path[CLI_SESSION_PATH_BYTES];
    FILE *file = cli_session_path(verb, name, "args", path) ? fopen(path, "re") : NULL;
    bool is_read = file && read_all(file, args, ret_size);

    if (file)
        (void)fclose(file);
    return is_read;
}

bool cli_session_args_read(const struct cli_verb *verb, const char *name,
                           struct cli_session_args *args)
{
    size_t size;
    size_t at;

    if (!read_kept(verb, name, args, &size) || strlen(args->kept) >= sizeof(args->directory))
        return false;
    (void)snprintf(args->directory, sizeof(args->directory), "%s", args->kept);
    args->argv = calloc(size, sizeof(*args->argv));
    if (!args->argv)
        return false;
    for (at = strlen(args->kept) + 1; at < size; at += strlen(args->kept + at) + 1)
        args->argv[args->argc++] = args->kept + at;
    return true;
}

void cli_session_args_free(struct cli_session_args *args)
{
    if (args->kept)
        free(args->argv);
    free(args->kept);
}

/* ---- changing ---- */

static char event_option[] = "-e";
static char filter_option[] = "--filter";

/* The command begins at "--". */
static int end_of_options(const struct cli_session_args *args)
{
    int end = 0;

    while (end < args->argc && strcmp(args->argv[end], "--") != 0)
        end++;
    return end;
}

static void insert(struct cli_session_args *args, int at, char *word)
{
    memmove(args->argv + at + 1, args->argv + at, (size_t)(args->argc - at) * sizeof(*args->argv));
    args->argv[at] = word;
    args->argc++;
}

/* Memory for as many words as there are bytes, and four more. */
static bool extend(struct cli_session_args *args)
{
    char **more = reallocarray(args->argv, (size_t)args->argc + 4, sizeof(*more));

    if (more)
        args->argv = more;
    return more;
}

static void add(struct cli_session_args *args, const char *event, const char *filter)
{
    int at = end_of_options(args);

    insert(args, at, event_option);
    insert(args, at + 1, (char *)(uintptr_t)event);
    if (!filter)
        return;
    insert(args, at + 2, filter_option);
    insert(args, at + 3, (char *)(uintptr_t)filter);
}

/* The number of words at a position that choose an event, in any of the forms of the option; 0:
 * none. */
static int words_of_event(const struct cli_session_args *args, int at, const char *event)
{
    static const char long_option[] = "--event";
    const char *word = args->argv[at];
    bool is_alone = !strcmp(word, event_option) || !strcmp(word, long_option);

    if (is_alone)
        return at + 1 < args->argc && !strcmp(args->argv[at + 1], event) ? 2 : 0;
    if (!strncmp(word, event_option, 2))
        return !strcmp(word + 2, event);
    return !strncmp(word, long_option, sizeof(long_option) - 1) &&
           word[sizeof(long_option) - 1] == '=' && !strcmp(word + sizeof(long_option), event);
}

static int words_of_filter(const struct cli_session_args *args, int at)
{
    if (at >= args->argc || strncmp(args->argv[at], filter_option, sizeof(filter_option) - 1) != 0)
        return 0;
    return args->argv[at][sizeof(filter_option) - 1] ? 1 : 2;
}

/* The first of this text, as the session does. */
static void take_out(struct cli_session_args *args, const char *event)
{
    int end = end_of_options(args);
    int count = 0;
    int at = 0;

    while (at < end && !(count = words_of_event(args, at, event)))
        at++;
    if (!count)
        return;
    count += words_of_filter(args, at + count);
    if (at + count > args->argc)
        count = args->argc - at;
    memmove(args->argv + at, args->argv + at + count,
            (size_t)(args->argc - at - count) * sizeof(*args->argv));
    args->argc -= count;
}

int cli_session_args_change(const struct cli_verb *verb, const char *name, bool is_added,
                            const char *event, const char *filter)
{
    struct cli_session_args args = {.argc = 0};
    bool is_done = true;

    if (cli_session_args_read(verb, name, &args)) {
        is_done = extend(&args);
        if (is_done && is_added)
            add(&args, event, filter);
        else if (is_done)
            take_out(&args, event);
        is_done = is_done && cli_session_args_write(verb, name, &args);
    }
    cli_session_args_free(&args);
    return is_done ? CLI_OK : CLI_FAILED;
}
