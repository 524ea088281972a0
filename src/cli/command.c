/* SPDX-License-Identifier: MIT */
/* Runs the command of a verb in a child process. */
#include "cli/command.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

/* Without a standard error the output is discarded, so that it does not get into our stream. */
static void redirect_output(void)
{
    int null;

    if (dup2(STDERR_FILENO, STDOUT_FILENO) >= 0)
        return;
    null = open("/dev/null", O_WRONLY);
    if (null < 0 || (null != STDOUT_FILENO && dup2(null, STDOUT_FILENO) < 0))
        close(STDOUT_FILENO);
    if (null > STDERR_FILENO)
        close(null);
}

static _Noreturn void exec_command(char **argv, const struct cli_command_setting *setting,
                                   int report_fd)
{
    int error;

    (void)sigprocmask(SIG_SETMASK, setting->signals, NULL);
    if (setting->descriptors)
        (void)setrlimit(RLIMIT_NOFILE, setting->descriptors);
    if (setting->output_to_error)
        redirect_output();
    execvp(argv[0], argv);
    error = errno;
    while (write(report_fd, &error, sizeof(error)) < 0 && errno == EINTR)
        ;
    _exit(CLI_NOT_FOUND);
}

/* Waits until exec succeeds, which closes the other end, or its error arrives. */
static int read_report(int fd)
{
    int error = 0;
    ssize_t size;

    do {
        size = read(fd, &error, sizeof(error));
    } while (size < 0 && errno == EINTR);
    return size == (ssize_t)sizeof(error) ? error : 0;
}

int cli_command_start(struct cli_command *command, char **argv,
                      const struct cli_command_setting *setting)
{
    int ends[2];
    int error;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC))
        return errno;
    pid = fork();
    if (pid == 0)
        exec_command(argv, setting, ends[1]);
    error = pid < 0 ? errno : 0;
    close(ends[1]);
    if (!error)
        error = read_report(ends[0]);
    close(ends[0]);
    if (error) {
        if (pid > 0)
            (void)waitpid(pid, NULL, 0);
        return error;
    }
    *command = (struct cli_command){.pid = pid};
    return 0;
}

int cli_command_run(const struct cli_verb *verb, struct cli_command *command, char **argv,
                    const struct cli_command_setting *setting)
{
    int error = cli_command_start(command, argv, setting);

    if (!error)
        return CLI_OK;
    cli_errno(verb, error, "cannot run %s", argv[0]);
    return error == ENOENT ? CLI_NOT_FOUND : CLI_CANNOT_RUN;
}

bool cli_command_has_ended(struct cli_command *command)
{
    if (command->pid && waitpid(command->pid, &command->status, WNOHANG) == command->pid)
        command->pid = 0;
    return !command->pid;
}

void cli_command_stop(struct cli_command *command)
{
    const struct timespec pause = {.tv_nsec = 10000000};

    if (cli_command_has_ended(command))
        return;
    command->asked_to_end = true;
    (void)kill(command->pid, SIGTERM);
    for (int i = 0; i < 100 && !cli_command_has_ended(command); i++)
        (void)nanosleep(&pause, NULL);
}

static bool asks_to_end(int signal_number)
{
    return signal_number == SIGINT || signal_number == SIGTERM || signal_number == SIGHUP;
}

int cli_command_fatal_signal(const struct cli_command *command)
{
    int signal_number = WIFSIGNALED(command->status) ? WTERMSIG(command->status) : 0;

    return command->asked_to_end && asks_to_end(signal_number) ? 0 : signal_number;
}

int cli_command_exit_status(const struct cli_command *command)
{
    if (WIFEXITED(command->status))
        return WEXITSTATUS(command->status);
    return cli_command_fatal_signal(command) ? CLI_SIGNAL + cli_command_fatal_signal(command)
                                             : CLI_OK;
}
