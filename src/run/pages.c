/* SPDX-License-Identifier: MIT */
/* Finds out by /proc if a page is in memory, and otherwise whether it is of the mount. */
#include "run/pages.h"
#include "run/fuse.h"
#include "run/process.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define DEVICE_BYTES 24

#define PRESENT (UINT64_C(3) << 62) /* bits of an entry of pagemap: in memory, or swapped */

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

bool run_pages_can_be_read(int pages, uint32_t tid, uint64_t address, size_t size_bytes)
{
    const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t last = (address + (size_bytes ? size_bytes - 1 : 0)) / page_bytes;

    for (uint64_t number = address / page_bytes; number <= last; number++) {
        if (!is_present(pages, number) && is_of_mount(tid, number * page_bytes))
            return false;
    }
    return true;
}
