/* SPDX-License-Identifier: MIT */
/*
 * Many programs that write events at once.
 *
 *   crowd PROGRAMS EVENTS   prints "begun" after the first write, and "written W refused R" at the
 *                           end: what the writes of all programs returned. A program that cannot
 *                           register has all its events refused.
 */
#include "engine/kernel_abi.h"

#include <fcntl.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/uio.h>
#include <sys/wait.h>
#include <unistd.h>

#define DATA     "/sys/kernel/tracing/user_events_data"
#define PAUSE_US 10000

struct counts {
    atomic_uint written;
    atomic_uint refused;
};

static uint32_t enabled;

static int begin(uint32_t *ret_index)
{
    struct engine_user_reg reg = {
        .size = sizeof(reg),
        .enable_size = sizeof(enabled),
        .enable_addr = (uintptr_t)&enabled,
        .name_args = (uintptr_t) "crowd u32 number",
    };
    int data = open(DATA, O_RDWR | O_CLOEXEC);

    if (data >= 0 && ioctl(data, ENGINE_USER_EVENTS_REG, &reg)) {
        close(data);
        return -1;
    }
    *ret_index = reg.write_index;
    return data;
}

static void write_events(struct counts *counts, uint32_t events)
{
    uint32_t index = 0;
    int data = begin(&index);

    for (uint32_t i = 0; i < events; i++) {
        struct iovec parts[] = {{&index, sizeof(index)}, {&i, sizeof(i)}};

        if (data >= 0 && writev(data, parts, 2) > 0)
            atomic_fetch_add(&counts->written, 1);
        else
            atomic_fetch_add(&counts->refused, 1);
        (void)usleep(PAUSE_US);
    }
}

int main(int argc, char **argv)
{
    struct counts *counts =
        mmap(NULL, sizeof(*counts), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int programs = argc == 3 ? atoi(argv[1]) : 0;
    int status = 0;
    int failed = 0;

    if (counts == MAP_FAILED || !programs)
        return 1;
    for (int i = 0; i < programs; i++) {
        pid_t pid = fork();

        if (pid < 0)
            return 1;
        if (pid == 0) {
            write_events(counts, (uint32_t)atoi(argv[2]));
            _exit(0);
        }
    }
    while (!counts->written && !counts->refused)
        (void)usleep(PAUSE_US);
    (void)puts("begun");
    (void)fflush(stdout);
    while (wait(&status) > 0)
        failed += status != 0;
    printf("written %u refused %u\n", counts->written, counts->refused);
    return failed != 0;
}
