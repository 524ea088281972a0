/* SPDX-License-Identifier: MIT */
/*
 * A program that uses the kernel's user_events as documented, and closes, replaces and inherits its
 * descriptors in unusual ways.
 *
 * usage: by_book closefrom|close_range|close_all|dup2|vfork|spawn|bare|write-9
 */
#include "engine/kernel_abi.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/ioctl.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define TRACING "/sys/kernel/tracing/"

static uint32_t words[2];

static void fail(const char *what)
{
    perror(what);
    exit(1);
}

/* Opens user_events_data, registers `by_book u32 a`, and enables it. */
static int begin(uint32_t *word, uint32_t *index)
{
    struct engine_user_reg reg = {
        .size = sizeof(reg),
        .enable_size = sizeof(*word),
        .enable_addr = (uintptr_t)word,
        .name_args = (uintptr_t) "by_book u32 a",
    };
    int fd = open(TRACING "user_events_data", O_RDWR);
    int switch_fd;

    if (fd < 0 || ioctl(fd, ENGINE_USER_EVENTS_REG, &reg))
        fail("registering");
    switch_fd = open(TRACING "events/user_events/by_book/enable", O_WRONLY);
    if (write(switch_fd, "1", 1) != 1)
        fail("enabling");
    close(switch_fd);
    *index = reg.write_index;
    return fd;
}

static void write_number(int fd, uint32_t index, uint32_t number)
{
    struct iovec parts[] = {{&index, sizeof(index)}, {&number, sizeof(number)}};

    if (writev(fd, parts, 2) == 8)
        printf("wrote %u\n", number);
    else
        printf("%u: %s\n", number, strerror(errno));
    (void)fflush(stdout);
}

/* Closes all descriptors, in one of three ways, and begins again. */
static void begin_again(int how)
{
    uint32_t index;
    int fd = begin(&words[0], &index);

    write_number(fd, index, 1);
    if (how == 0)
        closefrom(3);
    else if (how == 1)
        (void)close_range(3, ~0u, 0);
    for (int i = 3; how == 2 && i < 1024; i++)
        (void)syscall(SYS_close, i); /* not by close() of the C library */
    write_number(fd, index, 2);
    fd = begin(&words[1], &index);
    write_number(fd, index, 3);
    if (how == 2)
        printf("enabled: %u\n", words[1]);
    else
        printf("enabled: %u %u\n", words[0], words[1]);
}

/* Replaces the descriptor with another file. */
static void replace(void)
{
    char text[8] = "nothing";
    uint32_t index;
    int fd = begin(&words[0], &index);
    int ends[2];

    if (pipe(ends) || dup2(ends[1], fd) != fd)
        fail("dup2");
    write_number(fd, index, 1); /* into the pipe */
    if (read(ends[0], text, sizeof(text)) != 8 || memcmp(text, &index, sizeof(index)) != 0)
        fail("the pipe");
    close(fd);
    fd = begin(&words[1], &index);
    write_number(fd, index, 2);
}

/* Starts this program with user_events_data as descriptor 9, and with an environment. */
static void start(bool by_spawn, char **environment, char *self)
{
    char *arguments[] = {self, "write-9", NULL};
    posix_spawn_file_actions_t actions;
    uint32_t index;
    int fd = begin(&words[0], &index);
    pid_t pid;

    (void)posix_spawn_file_actions_init(&actions);
    (void)posix_spawn_file_actions_adddup2(&actions, fd, 9);
    if (by_spawn && posix_spawn(&pid, self, &actions, NULL, arguments, environment))
        fail("posix_spawn");
    if (!by_spawn) {
        pid = vfork();
        if (pid == 0) {
            (void)dup2(fd, 9);
            closefrom(10);
            (void)execve(self, arguments, environment);
            _exit(1);
        }
    }
    (void)posix_spawn_file_actions_destroy(&actions);
    (void)waitpid(pid, NULL, 0);
    write_number(fd, index, 2); /* the descriptor of this process is still open */
}

int main(int argc, char **argv)
{
    static const char *const closers[] = {"closefrom", "close_range", "close_all"};
    static char *none[] = {NULL};
    const char *mode = argc > 1 ? argv[1] : "";

    for (int i = 0; i < 3; i++) {
        if (!strcmp(mode, closers[i]))
            begin_again(i);
    }
    if (!strcmp(mode, "dup2"))
        replace();
    else if (!strcmp(mode, "vfork") || !strcmp(mode, "spawn"))
        start(*mode == 's', environ, "/proc/self/exe");
    else if (!strcmp(mode, "bare"))
        start(false, none, "/proc/self/exe");
    else if (!strcmp(mode, "write-9"))
        write_number(9, 0, 9);
    return 0;
}
