/* SPDX-License-Identifier: MIT */
/* Functions for programs that use the kernel's user_events as documented, without cairn. */
#ifndef TESTS_TRACEFS_TEST_H
#define TESTS_TRACEFS_TEST_H

#include "engine/kernel_abi.h"

#include <errno.h>
#include <fcntl.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <cmocka.h>

#define TRACING "/sys/kernel/tracing/"
#define EVENT   TRACING "events/user_events/"

#define REG_PERSIST 1
#define REG_MULTI   2
#define REG_MAX     4

/* For tests of what a mount cannot do as the kernel does: man/cairn-mount.1 has a list of it. */
static inline void skip_by_mount(void)
{
    if (getenv("CAIRN_TEST_MOUNT"))
        skip();
}

/* For tests of what a library in the program does not serve: docs/user_events.md has the list. */
static inline void skip_by_library(void)
{
    if (getenv("CAIRN_TEST_LIBRARY"))
        skip();
}

static inline int open_data(void)
{
    return open(TRACING "user_events_data", O_RDWR | O_CLOEXEC);
}

/* Returns 0 with the write index, or the errno code. */
static inline int reg_word(int fd, const char *command, void *word, uint8_t size, uint8_t bit,
                           uint16_t flags, uint32_t *index)
{
    struct engine_user_reg reg = {
        .size = sizeof(reg),
        .enable_bit = bit,
        .enable_size = size,
        .flags = flags,
        .enable_addr = (uintptr_t)word,
        .name_args = (uintptr_t)command,
    };

    if (ioctl(fd, ENGINE_USER_EVENTS_REG, &reg))
        return errno;
    if (index)
        *index = reg.write_index;
    return 0;
}

static inline int reg(int fd, const char *command, uint32_t *word, uint32_t *index)
{
    return reg_word(fd, command, word, 4, 0, 0, index);
}

static inline int unreg(int fd, void *word, uint8_t bit)
{
    struct engine_user_unreg request = {
        .size = sizeof(request),
        .disable_bit = bit,
        .disable_addr = (uintptr_t)word,
    };

    return ioctl(fd, ENGINE_USER_EVENTS_UNREG, &request) ? errno : 0;
}

static inline int del(int fd, const char *name)
{
    return ioctl(fd, ENGINE_USER_EVENTS_DEL, name) ? errno : 0;
}

/* The kernel removes an event a short time after its last user. */
static inline int del_soon(int fd, const char *name)
{
    const struct timespec pause = {.tv_nsec = 1000000};
    int error = EBUSY;

    for (int i = 0; i < 100000 && error == EBUSY; i++) {
        error = del(fd, name);
        (void)nanosleep(&pause, NULL);
    }
    return error;
}

/* Returns 0 or the errno code of the write. */
static inline int put(const char *path, const char *text)
{
    int fd = open(path, O_WRONLY | O_CLOEXEC);
    int error = fd < 0 || write(fd, text, strlen(text)) != (ssize_t)strlen(text) ? errno : 0;

    if (fd >= 0)
        close(fd);
    return error;
}

static inline int enable(const char *event, bool on)
{
    char path[256];

    (void)snprintf(path, sizeof(path), EVENT "%s/enable", event);
    return put(path, on ? "1" : "0");
}

static inline bool exists(const char *event)
{
    char path[256];
    struct stat st;

    (void)snprintf(path, sizeof(path), EVENT "%s", event);
    return !stat(path, &st);
}

/* Waits a short time: the kernel is not immediate either. */
static inline bool goes_away(const char *event)
{
    const struct timespec pause = {.tv_nsec = 1000000};

    for (int i = 0; i < 100000; i++) {
        if (!exists(event))
            return true;
        (void)nanosleep(&pause, NULL);
    }
    return false;
}

/* Reads a whole file with read; NUL-terminated. */
static inline const char *text_of(const char *path)
{
    static char text[1 << 18];
    size_t used = 0;
    ssize_t size;
    int fd = open(path, O_RDONLY | O_CLOEXEC);

    assert_true(fd >= 0);
    while ((size = read(fd, text + used, sizeof(text) - 1 - used)) > 0)
        used += (size_t)size;
    text[used] = 0;
    close(fd);
    return text;
}

/* Returns 0 or the errno code. */
static inline int clear_trace(void)
{
    int fd = open(TRACING "trace", O_WRONLY | O_TRUNC | O_CLOEXEC);

    if (fd < 0)
        return errno;
    close(fd);
    return 0;
}

/* Number of occurrences of the text in `trace`. */
static inline int traced(const char *what)
{
    const char *text = text_of(TRACING "trace");
    int count = 0;

    while ((text = strstr(text, what))) {
        text += strlen(what);
        count++;
    }
    return count;
}

/* Writes an event with one u32. Returns 0 or the errno code. */
static inline int write_number(int fd, uint32_t index, uint32_t number)
{
    struct iovec parts[] = {{&index, sizeof(index)}, {&number, sizeof(number)}};

    return writev(fd, parts, 2) == 8 ? 0 : errno;
}

/* Waits for some time until a word has a value. */
static inline bool becomes(const uint32_t *word, uint32_t value)
{
    const struct timespec pause = {.tv_nsec = 500000};

    for (int i = 0; i < 100000; i++) {
        if (__atomic_load_n(word, __ATOMIC_RELAXED) == value)
            return true;
        (void)nanosleep(&pause, NULL);
    }
    return false;
}

static inline int status_of(pid_t pid)
{
    int status;

    assert_int_equal(waitpid(pid, &status, 0), pid);
    return WIFEXITED(status) ? WEXITSTATUS(status) : 1000 + WTERMSIG(status);
}

#endif
