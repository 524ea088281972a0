/* SPDX-License-Identifier: MIT */
/* Starts a server in a process of its own. */
#include "run/server.h"
#include "run/fuse.h"

#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
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

/* The server keeps no descriptor of the program: a pipe of its output must end with it. */
static void leave_descriptors(int *fd)
{
    if (dup2(*fd, STDERR_FILENO + 1) >= 0 && dup2(status_fd, STDERR_FILENO + 2) >= 0) {
        *fd = STDERR_FILENO + 1;
        status_fd = STDERR_FILENO + 2;
        (void)close_range(STDERR_FILENO + 3, ~0u, 0);
    }
}

int run_background_ask(void (*function)(int out, const void *arg), const void *arg,
                       void *ret_answer, size_t size_bytes)
{
    int ends[2];
    int error;
    pid_t pid;

    if (pipe2(ends, O_CLOEXEC))
        return errno;
    pid = fork();
    error = pid < 0 ? errno : 0;
    if (pid == 0) {
        function(ends[1], arg);
        _exit(0);
    }
    close(ends[1]);
    while (pid > 0 && waitpid(pid, NULL, 0) < 0 && errno == EINTR)
        ;
    if (!error && read(ends[0], ret_answer, size_bytes) != (ssize_t)size_bytes)
        error = EIO;
    close(ends[0]);
    return error;
}

struct start {
    int fd;
    const char *directory;
    int (*leave)(const char *directory);
};

static _Noreturn void serve(const struct start *start)
{
    int error = start->leave ? start->leave(start->directory) : 0;
    int fd = start->fd;

    leave_descriptors(&fd);
    if (!error)
        error = run_server_serve(fd, be_ready, NULL);
    if (status_fd >= 0)
        (void)!write(status_fd, &error, sizeof(error));
    else if (error && !start->leave)
        (void)run_fuse_unmount(start->directory);
    _exit(error != 0);
}

static void start_server(int out, const void *start)
{
    status_fd = out;
    /* A session of its own: it gets no signals of the terminal. */
    if (!daemon(true, false))
        serve(start);
}

int run_background_start(int fd, const char *directory, int (*leave)(const char *directory))
{
    const struct start start = {fd, directory, leave};
    int server_error = 0;
    int error = run_background_ask(start_server, &start, &server_error, sizeof(server_error));

    return error ? error : server_error;
}
