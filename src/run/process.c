/* SPDX-License-Identifier: MIT */
/* Reads the facts about a process from /proc. */
#include "run/process.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STAT_PARENT = 4, STAT_START = 22 };

int run_process_open(uint32_t pid, const char *name, int flags)
{
    char path[48];

    (void)snprintf(path, sizeof(path), "/proc/%u/%s", pid, name);
    return open(path, flags | O_CLOEXEC);
}

/* Returns the number of bytes, 0 if there are none. */
static size_t read_file(uint32_t pid, const char *name, void *to, size_t space)
{
    int fd = run_process_open(pid, name, O_RDONLY);
    ssize_t size = fd < 0 ? -1 : read(fd, to, space);

    if (fd >= 0)
        close(fd);
    return size > 0 ? (size_t)size : 0;
}

uint32_t run_process_of(uint32_t tid)
{
    char text[1024];
    const char *line;

    text[read_file(tid, "status", text, sizeof(text) - 1)] = 0;
    line = strstr(text, "\nTgid:");
    return line ? (uint32_t)strtoul(line + strlen("\nTgid:"), NULL, 10) : 0;
}

/* Field 2, in parentheses, may contain any byte. */
static uint64_t stat_number(const char *text, int field)
{
    const char *at = strrchr(text, ')');

    for (int i = 2; at && i < field; i++)
        at = strchr(at + 1, ' ');
    return at ? strtoull(at + 1, NULL, 10) : 0;
}

bool run_process_start(uint32_t pid, struct run_process_start *ret_start)
{
    uint64_t tick_ns = UINT64_C(1000000000) / (uint64_t)sysconf(_SC_CLK_TCK);
    char text[1024];

    text[read_file(pid, "stat", text, sizeof(text) - 1)] = 0;
    ret_start->parent = (uint32_t)stat_number(text, STAT_PARENT);
    ret_start->from_ns = stat_number(text, STAT_START) * tick_ns;
    ret_start->until_ns = ret_start->from_ns + tick_ns;
    return *text != 0;
}

/* Programs of 32 bits are not supported: finds nothing. */
bool run_process_origin(uint32_t pid, int memory, uint8_t ret_origin[RUN_ORIGIN_BYTES])
{
    struct {
        unsigned long type;
        unsigned long value;
    } items[64];
    size_t count = read_file(pid, "auxv", items, sizeof(items)) / sizeof(*items);

    for (size_t i = 0; i < count; i++) {
        if (items[i].type == AT_RANDOM)
            return pread(memory, ret_origin, RUN_ORIGIN_BYTES, (off_t)items[i].value) ==
                   RUN_ORIGIN_BYTES;
    }
    return false;
}

bool run_process_shares_memory(uint32_t a, uint32_t b)
{
    return syscall(SYS_kcmp, (pid_t)a, (pid_t)b, KCMP_VM, 0, 0) == 0;
}
