/* SPDX-License-Identifier: MIT */
/* Starts a server in a process of its own. */
#include "run/background.h"
#include "run/fuse.h"
#include "run/server.h"

#include <errno.h>
#include <fcntl.h>
#include <stddef.h>
#include <sys/wait.h>
#include <unistd.h>

static int status_fd;

static void be_ready(void *context)
{
    int error = 0;

    (void)context;
    (void)!write(status_fd, &error, sizeof(error));
    close(status_fd);
    status_fd = -1;
}

/* A session of its own: it gets no signals of the terminal. */
static void leave_terminal(void)
{
    int null = open("/dev/null", O_RDWR | O_CLOEXEC);

    (void)setsid();
    for (int i = STDIN_FILENO; i <= STDERR_FILENO; i++)
        (void)dup2(null, i);
    if (null > STDERR_FILENO)
        close(null);
}

/* The server keeps no descriptor of the program: a pipe of its output must end with it. */
static void leave_descriptors(int *fd)
{
    leave_terminal();
    if (dup2(*fd, STDERR_FILENO + 1) >= 0 && dup2(status_fd, STDERR_FILENO + 2) >= 0) {
        *fd = STDERR_FILENO + 1;
        status_fd = STDERR_FILENO + 2;
        (void)close_range(STDERR_FILENO + 3, ~0u, 0);
    }
}

static _Noreturn void serve(int fd, const char *directory, int (*leave)(const char *directory))
{
    int error = leave ? leave(directory) : 0;

    leave_descriptors(&fd);
    if (!error)
        error = run_server_prepare();
    if (!error)
        error = run_server_serve(fd, be_ready, NULL);
    if (status_fd >= 0)
        (void)!write(status_fd, &error, sizeof(error));
    else if (error && !leave)
        (void)run_fuse_unmount(directory);
    _exit(error != 0);
}

int run_background_start(int fd, const char *directory, int (*leave)(const char *directory))
{
    int ends[2];
    int error = EIO;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC))
        return errno;
    status_fd = ends[1];
    pid = fork();
    if (pid < 0)
        error = errno;
    if (pid == 0) {
        pid_t server = fork();

        if (server == 0)
            serve(fd, directory, leave);
        _exit(server < 0);
    }
    close(ends[1]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    if (pid > 0 && read(ends[0], &error, sizeof(error)) != (ssize_t)sizeof(error))
        error = EIO; /* it was ended by a signal */
    close(ends[0]);
    return error;
}
