/* SPDX-License-Identifier: MIT */
/*
 * Starts a recorder in the background. How it was started is kept in the tracing directory, in
 * NAME.args~ next to its socket: the directory, and the arguments, each NUL-terminated. Its
 * messages are in NAME.log~.
 */
#include "cli/session_start.h"

#include <cairn/inspect.h>
#include <cairn/session.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define PATH_BYTES 4200u

/* The size of all arguments. */
#define ARGUMENTS_MAX_BYTES 65536u

/* Time that a recorder may take until it answers. */
#define START_TRIES 1000
#define PAUSE_NS    10000000L
#define ASK_MS      2000u

/* Words that are put before the arguments: cairn record --name NAME -o FILE. */
#define ARGUMENTS 6

struct session_start {
    const struct cli_verb *verb;
    const char *name;
    char directory[PATH_BYTES]; /* to run in */
    char **argv;
    int argc;
    char *kept; /* memory of kept arguments */
};

/* ---- files ---- */

/* False: the tracing directory cannot be used, which was reported. */
static bool path_of(const struct cli_verb *verb, const char *name, const char *suffix,
                    char path[PATH_BYTES])
{
    char directory[4096];
    int error = cairn_directory_locate(directory, sizeof(directory), NULL);

    if (error) {
        if (verb)
            cli_directory_error(verb, error, "cannot find the tracing directory");
        return false;
    }
    (void)snprintf(path, PATH_BYTES, "%s/recorders/%s.%s~", directory, name, suffix);
    return true;
}

void cli_session_forget(const char *name)
{
    static const char *const suffixes[] = {"args", "log"};
    char path[PATH_BYTES];

    for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
        if (path_of(NULL, name, suffixes[i], path))
            (void)unlink(path);
    }
}

bool cli_session_can_continue(const char *name)
{
    char path[PATH_BYTES];

    return path_of(NULL, name, "args", path) && !access(path, R_OK) &&
           path_of(NULL, name, "kept", path) && !access(path, R_OK);
}

static bool put(FILE *file, const char *text)
{
    return fwrite(text, 1, strlen(text) + 1, file) == strlen(text) + 1;
}

static bool write_arguments(const struct session_start *s)
{
    char path[PATH_BYTES];
    FILE *file;
    bool is_written;

    if (!path_of(s->verb, s->name, "args", path))
        return false;
    file = fopen(path, "we");
    is_written = file && put(file, s->directory);
    for (int i = 0; i < s->argc && is_written; i++)
        is_written = put(file, s->argv[i]);
    if (file && fclose(file))
        is_written = false;
    if (!is_written)
        cli_errno(s->verb, errno, "cannot write %s", path);
    return is_written;
}

static bool read_kept(struct session_start *s, size_t *ret_size)
{
    char path[PATH_BYTES];
    FILE *file;

    s->kept = malloc(ARGUMENTS_MAX_BYTES);
    if (!s->kept || !path_of(s->verb, s->name, "args", path))
        return false;
    file = fopen(path, "re");
    if (!file)
        return false;
    *ret_size = fread(s->kept, 1, ARGUMENTS_MAX_BYTES, file);
    (void)fclose(file);
    return *ret_size && !s->kept[*ret_size - 1];
}

/* False: nothing is kept. */
static bool recall(struct session_start *s)
{
    size_t size;
    size_t at;

    if (!read_kept(s, &size) || strlen(s->kept) >= sizeof(s->directory))
        return false;
    (void)snprintf(s->directory, sizeof(s->directory), "%s", s->kept);
    s->argv = calloc(size, sizeof(*s->argv));
    if (!s->argv)
        return false;
    for (at = strlen(s->kept) + 1; at < size; at += strlen(s->kept + at) + 1)
        s->argv[s->argc++] = s->kept + at;
    return true;
}

/* ---- the process ---- */

static char **arguments(const struct session_start *s, char *file)
{
    static char program[] = "cairn";
    static char record[] = "record";
    static char name_option[] = "--name";
    static char output_option[] = "-o";
    char **argv = calloc((size_t)s->argc + ARGUMENTS + 1, sizeof(*argv));

    if (!argv)
        return NULL;
    argv[0] = program;
    argv[1] = record;
    argv[2] = name_option;
    argv[3] = (char *)(uintptr_t)s->name;
    argv[4] = output_option;
    argv[5] = file;
    for (int i = 0; i < s->argc; i++)
        argv[ARGUMENTS + i] = s->argv[i];
    return argv;
}

/* In the child, which is to outlive the terminal. */
static _Noreturn void become_recorder(const struct session_start *s, char **argv, const char *log)
{
    int null = open("/dev/null", O_RDWR);
    int output = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW, 0600);

    (void)setsid();
    if (null < 0 || output < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
        dup2(output, STDERR_FILENO) < 0 || chdir(s->directory))
        _exit(CLI_FAILED);
    if (null > STDERR_FILENO)
        close(null);
    if (output > STDERR_FILENO)
        close(output);
    execv("/proc/self/exe", argv);
    _exit(CLI_FAILED);
}

static void print_log(const char *path)
{
    FILE *file = fopen(path, "re");
    char text[1024];
    size_t size;

    if (!file)
        return;
    while ((size = fread(text, 1, sizeof(text), file)) > 0)
        (void)fwrite(text, 1, size, stderr);
    (void)fclose(file);
}

/* True: it answers. */
static bool wait_until_ready(const struct session_start *s, pid_t pid, int *ret_status)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    char answer[CAIRN_RECORDER_REQUEST_BYTES];

    for (int i = 0; i < START_TRIES; i++) {
        if (waitpid(pid, ret_status, WNOHANG) == pid)
            return false;
        if (!cairn_recorder_ask(s->name, "status", ASK_MS, answer, sizeof(answer)))
            return true;
        (void)nanosleep(&pause, NULL);
    }
    *ret_status = 0;
    return false;
}

static int start(const struct session_start *s)
{
    char file[CAIRN_RECORDER_NAME_BYTES + 8];
    char log[PATH_BYTES];
    char **argv;
    int status = 0;
    pid_t pid;

    (void)snprintf(file, sizeof(file), "%s.cairn", s->name);
    argv = arguments(s, file);
    if (!argv || !path_of(s->verb, s->name, "log", log)) {
        free(argv);
        return CLI_FAILED;
    }
    pid = fork();
    if (!pid)
        become_recorder(s, argv, log);
    free(argv);
    if (pid < 0) {
        cli_errno(s->verb, errno, "cannot start the recorder");
        return CLI_FAILED;
    }
    if (wait_until_ready(s, pid, &status))
        return CLI_OK;
    print_log(log);
    cli_error(s->verb, "the recorder of %s could not begin", s->name);
    return WIFEXITED(status) && WEXITSTATUS(status) == CLI_USAGE ? CLI_USAGE : CLI_FAILED;
}

/* The name is in use while its recorder answers, or exists at all. */
static bool is_in_use(const char *name)
{
    char answer[CAIRN_RECORDER_REQUEST_BYTES];

    return cairn_recorder_ask(name, "status", ASK_MS, answer, sizeof(answer)) != ENOENT;
}

/* A process that was killed has the name until it has ended. Makes the directory of recorders. */
static void wait_until_free(const char *name)
{
    const struct timespec pause = {.tv_nsec = PAUSE_NS};
    struct cairn_recorder *probe;

    for (int i = 0; i < START_TRIES; i++) {
        int error = cairn_recorder_open(name, &probe);

        if (!error)
            cairn_recorder_close(probe);
        if (error != EBUSY)
            return;
        (void)nanosleep(&pause, NULL);
    }
}

static int check(struct session_start *s, bool is_new)
{
    if (is_in_use(s->name)) {
        cli_error(s->verb, "there is a session of the name %s already", s->name);
        return CLI_FAILED;
    }
    if (!is_new && !recall(s)) {
        cli_error(s->verb,
                  "no session of the name %s was started before: which events? (-e PATTERN)",
                  s->name);
        return CLI_USAGE;
    }
    if (is_new && !getcwd(s->directory, sizeof(s->directory))) {
        cli_errno(s->verb, errno, "cannot find the working directory");
        return CLI_FAILED;
    }
    wait_until_free(s->name);
    return is_new && !write_arguments(s) ? CLI_FAILED : CLI_OK;
}

int cli_session_start(const struct cli_verb *verb, const char *name, char **argv, int argc)
{
    struct session_start s = {.verb = verb, .name = name, .argv = argv, .argc = argc};
    bool is_new = argc > 0;
    int status;

    if (!is_new)
        s.argv = NULL;
    status = check(&s, is_new);
    if (!status)
        status = start(&s);
    if (status && is_new)
        cli_session_forget(name);
    if (!is_new)
        free(s.argv);
    free(s.kept);
    return status;
}
