/* SPDX-License-Identifier: MIT */
/* Finds out by /proc if a page is in memory, and otherwise which file it is of. */
#include "run/pages.h"
#include "run/fuse.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define PRESENT (UINT64_C(3) << 62) /* bits of an entry of pagemap: in memory, or swapped */

static FILE *open_text(uint32_t tid, const char *name)
{
    char path[48];

    (void)snprintf(path, sizeof(path), "/proc/%u/%s", tid, name);
    return fopen(path, "re");
}

int run_pages_open(uint32_t tid)
{
    char path[48];

    (void)snprintf(path, sizeof(path), "/proc/%u/pagemap", tid);
    return open(path, O_RDONLY | O_CLOEXEC);
}

static bool is_present(int pages, uint64_t number)
{
    uint64_t entry;

    return pread(pages, &entry, sizeof(entry), (off_t)(number * sizeof(entry))) ==
               (ssize_t)sizeof(entry) &&
           entry & PRESENT;
}

/* A line of maps: BEGIN-END, permissions, offset, the device as hexadecimal MAJOR:MINOR. True if it
 * has the address. */
static bool parse_mapping(const char *line, uint64_t address, unsigned long ret_device[2])
{
    char *at;
    char device[32];
    uint64_t begin = strtoull(line, &at, 16);
    uint64_t end = *at == '-' ? strtoull(at + 1, &at, 16) : 0;

    if (begin > address || address >= end || sscanf(at, " %*s %*s %31s", device) != 1)
        return false;
    ret_device[0] = strtoul(device, &at, 16);
    ret_device[1] = *at == ':' ? strtoul(at + 1, NULL, 16) : 0;
    return true;
}

/* The device of the file that is mapped at an address, as the tables of mounts have it. */
static bool find_device(uint32_t tid, uint64_t address, char device[32])
{
    FILE *maps = open_text(tid, "maps");
    unsigned long found[2] = {0};
    bool is_found = false;
    char *line = NULL;
    size_t space = 0;

    while (maps && !is_found && getline(&line, &space, maps) > 0)
        is_found = parse_mapping(line, address, found);
    if (maps)
        (void)fclose(maps);
    free(line);
    (void)snprintf(device, 32, "%lu:%lu", found[0], found[1]);
    return is_found && (found[0] || found[1]);
}

/* A line of mountinfo: two numbers, the device, ..., " - ", the type. */
static bool is_mount_of_ours(const char *line, const char *device)
{
    const char *type = strstr(line, " - ");
    char found[32];

    return type && sscanf(line, "%*d %*d %31s", found) == 1 && !strcmp(found, device) &&
           !strncmp(type + strlen(" - "), RUN_FUSE_TYPE " ", strlen(RUN_FUSE_TYPE " "));
}

static bool is_device_of_ours(uint32_t tid, const char *device)
{
    FILE *mounts = open_text(tid, "mountinfo");
    bool is_found = false;
    char *line = NULL;
    size_t space = 0;

    while (mounts && !is_found && getline(&line, &space, mounts) > 0)
        is_found = is_mount_of_ours(line, device);
    if (mounts)
        (void)fclose(mounts);
    free(line);
    return is_found;
}

bool run_pages_can_be_read(int pages, uint32_t tid, uint64_t address, size_t size_bytes)
{
    const uint64_t page_bytes = (uint64_t)sysconf(_SC_PAGESIZE);
    uint64_t last = (address + (size_bytes ? size_bytes - 1 : 0)) / page_bytes;
    char device[32];

    for (uint64_t number = address / page_bytes; number <= last; number++) {
        if (!is_present(pages, number) && find_device(tid, number * page_bytes, device) &&
            is_device_of_ours(tid, device))
            return false;
    }
    return true;
}
