/* SPDX-License-Identifier: MIT */
/* Reads the facts about a process from /proc. */
#include "run/process.h"
#include "run/fuse.h"

#include <elf.h>
#include <fcntl.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

enum { STAT_PARENT = 4, STAT_START = 22 };

#define DEVICE_BYTES 24
#define PRESENT      (UINT64_C(3) << 62) /* bits of an entry of pagemap: in memory, or swapped */

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

/* ---- its pages: in memory, or of a file of the mount ---- */

static bool is_present(int pages, uint64_t number)
{
    uint64_t entry;

    return pread(pages, &entry, sizeof(entry), (off_t)(number * sizeof(entry))) ==
               (ssize_t)sizeof(entry) &&
           entry & PRESENT;
}

/* A line of maps: BEGIN-END, permissions, offset, device, ... True if it has the address. */
static bool parse_mapping(const char *line, uint64_t address, char device[DEVICE_BYTES])
{
    char *at;
    uint64_t begin = strtoull(line, &at, 16);
    uint64_t end = *at == '-' ? strtoull(at + 1, &at, 16) : 0;

    return begin <= address && address < end && sscanf(at, " %*s %*s %23s", device) == 1;
}

/* True if a file of the mount is mapped at an address. */
static bool is_of_mount(uint32_t tid, uint64_t address)
{
    char found[DEVICE_BYTES] = "";
    char ours[DEVICE_BYTES];
    int fd = run_process_open(tid, "maps", O_RDONLY);
    FILE *maps = fd < 0 ? NULL : fdopen(fd, "r");
    char *line = NULL;
    size_t space = 0;

    while (maps && getline(&line, &space, maps) > 0 && !parse_mapping(line, address, found))
        ;
    if (maps)
        (void)fclose(maps);
    else if (fd >= 0)
        close(fd);
    free(line);
    (void)snprintf(ours, sizeof(ours), "%02x:%02x", run_fuse_device[0], run_fuse_device[1]);
    return !strcmp(found, ours);
}

bool run_process_may_be_read(int pages, uint32_t tid, uint64_t address, size_t size_bytes)
{
    const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t last = (address + (size_bytes ? size_bytes - 1 : 0)) / page_bytes;

    for (uint64_t number = address / page_bytes; number <= last; number++) {
        if (!is_present(pages, number) && is_of_mount(tid, number * page_bytes))
            return false;
    }
    return true;
}
