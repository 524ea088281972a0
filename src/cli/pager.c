/* SPDX-License-Identifier: MIT */
/* Starts a pager, and decides whether there are colours. */
#include "cli/pager.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

static int pager_fd = -1;

bool cli_wants_color(int fd)
{
    const char *no_color = getenv("NO_COLOR");
    const char *term = getenv("TERM");

    if ((no_color && *no_color) || !term || !strcmp(term, "dumb"))
        return false;
    return fd == pager_fd || isatty(fd);
}

/* The command, or NULL. */
static const char *find_pager(void)
{
    const char *command = getenv("CAIRN_PAGER");

    if (!command)
        command = getenv("PAGER");
    if (!command)
        command = !access("/usr/bin/less", X_OK) || !access("/bin/less", X_OK) ? "less" : "";
    return *command && strcmp(command, "cat") != 0 ? command : NULL;
}

static void run_pager(const char *command, const int pipe_fds[2])
{
    (void)dup2(pipe_fds[0], STDIN_FILENO);
    close(pipe_fds[0]);
    close(pipe_fds[1]);
    /* Like git: colours, and no pager if the output fits on the screen. */
    (void)setenv("LESS", "FRSX", 0);
    execl("/bin/sh", "sh", "-c", command, (char *)NULL);
    _exit(127);
}

void cli_pager_begin(struct cli_pager *pager, int *fd)
{
    const char *command = isatty(STDOUT_FILENO) ? find_pager() : NULL;
    int pipe_fds[2];

    if (!command || pipe2(pipe_fds, O_CLOEXEC) < 0)
        return;
    pager->pid = fork();
    if (!pager->pid)
        run_pager(command, pipe_fds);
    close(pipe_fds[0]);
    if (pager->pid < 0) {
        close(pipe_fds[1]);
        return;
    }
    /* Only the pager handles Ctrl-C, and it may end before our output does. */
    (void)signal(SIGINT, SIG_IGN);
    (void)signal(SIGPIPE, SIG_IGN);
    pager->fd = pager_fd = *fd = pipe_fds[1];
}

void cli_pager_end(struct cli_pager *pager)
{
    if (pager->fd < 0)
        return;
    close(pager->fd);
    while (waitpid(pager->pid, NULL, 0) < 0 && errno == EINTR)
        ;
    pager->fd = pager_fd = -1;
    (void)signal(SIGINT, SIG_DFL);
}
