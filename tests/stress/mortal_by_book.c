/* SPDX-License-Identifier: MIT */
/*
 * A program to be killed, which uses the kernel's user_events: registers three events, enables one
 * of them, and has trace_pipe open; writes from two threads forever, and prints a line when it has
 * started.
 */
#include "engine/kernel_abi.h"

#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <sys/ioctl.h>
#include <sys/uio.h>
#include <unistd.h>

#define TRACING "/sys/kernel/tracing/"

static uint32_t words[3];
static uint32_t indexes[3];
static int data;

static void *write_for_ever(void *arg)
{
    uint64_t number = (uintptr_t)arg;

    for (unsigned int i = 0;; i++) {
        struct iovec parts[] = {{&indexes[i % 3], sizeof(uint32_t)}, {&number, sizeof(number)}};

        if (__atomic_load_n(&words[i % 3], __ATOMIC_RELAXED))
            (void)!writev(data, parts, 2);
        if (i % 64 == 0)
            (void)usleep(100);
    }
    return NULL;
}

static int register_event(int i, const char *command)
{
    struct engine_user_reg reg = {
        .size = sizeof(reg),
        .enable_size = sizeof(words[i]),
        .enable_addr = (uintptr_t)&words[i],
        .name_args = (uintptr_t)command,
    };

    if (ioctl(data, ENGINE_USER_EVENTS_REG, &reg))
        return -1;
    indexes[i] = reg.write_index;
    return 0;
}

static int enable(void)
{
    int fd = open(TRACING "events/user_events/mortal_a/enable", O_WRONLY);
    int result = write(fd, "1", 1) == 1 ? 0 : -1;

    close(fd);
    return result;
}

int main(void)
{
    static const char *const commands[] = {"mortal_a u64 a", "mortal_b u64 a", "mortal_c u64 a"};
    pthread_t thread;

    data = open(TRACING "user_events_data", O_RDWR);
    for (int i = 0; i < 3; i++) {
        if (register_event(i, commands[i]))
            return 1;
    }
    if (enable() || open(TRACING "trace_pipe", O_RDONLY | O_NONBLOCK) < 0 ||
        pthread_create(&thread, NULL, write_for_ever, NULL) || write(STDOUT_FILENO, "\n", 1) != 1)
        return 1;
    (void)write_for_ever(NULL);
    return 0;
}
