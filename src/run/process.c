/* SPDX-License-Identifier: MIT */
/* Reads the facts about a process from /proc. */
#include "run/process.h"
#include "run/fuse.h"

#include <elf.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/kcmp.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#define PRESENT (UINT64_C(3) << 62) /* bits of an entry of pagemap: in memory, or swapped */

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

/* True if a file of the mount is mapped at an address. */
static bool is_of_mount(uint32_t tid, uint64_t address)
{
    int fd = run_process_open(tid, "maps", O_RDONLY);
    FILE *maps = fd < 0 ? NULL : fdopen(fd, "r");
    uint32_t device[2] = {0};
    uint64_t begin = 0;
    uint64_t end = 0;

    /* Lines of a range, permissions, offset, device, ... */
    while (maps && (address < begin || address >= end) &&
           fscanf(maps, "%" SCNx64 "-%" SCNx64 " %*s %*s %x:%x%*[^\n]", &begin, &end, &device[0],
                  &device[1]) == 4)
        ;
    if (maps)
        (void)fclose(maps);
    else if (fd >= 0)
        close(fd);
    return begin <= address && address < end && !memcmp(device, run_fuse_device, sizeof(device));
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
