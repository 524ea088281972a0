/* SPDX-License-Identifier: MIT */
/* Starts a recorder in the background. */
#include "cli/session_start.h"

#include "cli/session_args.h"

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

/* Time that a recorder may take until it answers. */
#define START_TRIES 1000
#define PAUSE_NS    10000000L
#define ASK_MS      2000u

/* Words that are put before the arguments: cairn record --name NAME -o FILE. */
#define ARGUMENTS 6

struct session_start {
    const struct cli_verb *verb;
    const char *name;
    struct cli_session_args args;
};

/* ---- files ---- */

void cli_session_forget(const char *name)
{
    static const char *const suffixes[] = {"args", "new-args", "log"};
    char path[CLI_SESSION_PATH_BYTES];

    for (size_t i = 0; i < sizeof(suffixes) / sizeof(*suffixes); i++) {
        if (cli_session_path(NULL, name, suffixes[i], path))
            (void)unlink(path);
    }
}

bool cli_session_can_continue(const char *name)
{
    char path[CLI_SESSION_PATH_BYTES];

    return cli_session_path(NULL, name, "args", path) && !access(path, R_OK) &&
           cli_session_path(NULL, name, "kept", path) && !access(path, R_OK);
}

/* ---- the process ---- */

static char **arguments(const struct session_start *s, char *file)
{
    static char program[] = "cairn";
    static char record[] = "record";
    static char name_option[] = "--name";
    static char output_option[] = "-o";
    char **argv = calloc((size_t)s->args.argc + ARGUMENTS + 1, sizeof(*argv));

    if (!argv)
        return NULL;
    argv[0] = program;
    argv[1] = record;
    argv[2] = name_option;
    argv[3] = (char *)(uintptr_t)s->name;
    argv[4] = output_option;
    argv[5] = file;
    for (int i = 0; i < s->args.argc; i++)
        argv[ARGUMENTS + i] = s->args.argv[i];
    return argv;
}

/* In the child, which is to outlive the terminal. */
static _Noreturn void become_recorder(const struct session_start *s, char **argv, const char *log)
{
    int null = open("/dev/null", O_RDWR);
    int output = open(log, O_WRONLY | O_CREAT | O_TRUNC | O_APPEND | O_NOFOLLOW, 0600);

    (void)setsid();
    if (null < 0 || output < 0 || dup2(null, STDIN_FILENO) < 0 || dup2(output, STDOUT_FILENO) < 0 ||
        dup2(output, STDERR_FILENO) < 0 || chdir(s->args.directory))
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

void cli_session_print_log(const char *name)
{
    char path[CLI_SESSION_PATH_BYTES];

    if (cli_session_path(NULL, name, "log", path))
        print_log(path);
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
    char log[CLI_SESSION_PATH_BYTES];
    char **argv;
    int status = 0;
    pid_t pid;

    (void)snprintf(file, sizeof(file), "%s.cairn", s->name);
    argv = arguments(s, file);
    if (!argv || !cli_session_path(s->verb, s->name, "log", log)) {
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

/* Waits for a process that was killed and has not ended yet. Makes the directory of recorders. */
static void wait_until_free(const char *name)
{
    struct cairn_recorder *probe;

    if (!cairn_recorder_open(name, &probe))
        cairn_recorder_close(probe);
}

static int check(struct session_start *s, bool is_new)
{
    if (is_in_use(s->name)) {
        cli_error(s->verb, "there is a session of the name %s already", s->name);
        return CLI_FAILED;
    }
    if (!is_new && !cli_session_args_read(s->verb, s->name, &s->args)) {
        cli_error(s->verb,
                  "no session of the name %s was started before: which events? (-e PATTERN)",
                  s->name);
        return CLI_USAGE;
    }
    if (is_new && !getcwd(s->args.directory, sizeof(s->args.directory))) {
        cli_errno(s->verb, errno, "cannot find the working directory");
        return CLI_FAILED;
    }
    wait_until_free(s->name);
    return is_new && !cli_session_args_write(s->verb, s->name, &s->args) ? CLI_FAILED : CLI_OK;
}

int cli_session_start(const struct cli_verb *verb, const char *name, char **argv, int argc)
{
    struct session_start s = {.verb = verb, .name = name};
    bool is_new = argc > 0;
    int status;

    if (is_new) {
        s.args.argv = argv;
        s.args.argc = argc;
    }
    status = check(&s, is_new);
    if (!status)
        status = start(&s);
    if (status && is_new)
        cli_session_forget(name);
    cli_session_args_free(&s.args);
    return status;
}
