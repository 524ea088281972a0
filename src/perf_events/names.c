/* SPDX-License-Identifier: MIT */
/*
 * Names and mappings of threads that run when the recording begins: as records that the kernel
 * would have made, had it recorded before. They have the time before the kernel's own records
 * began.
 */
#include "perf_events/internal.h"

#include "os/inspect.h"

#include <inttypes.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define COMM_BYTES 16u

#define MISC_USER      2u
#define MISC_MMAP_DATA 0x2000u /* PERF_RECORD_MISC_MMAP_DATA: of no code */

/* The end of such a record, by CAIRN_RECORD_SAMPLE_TYPE. */
struct names_trailer {
    uint32_t pid;
    uint32_t tid;
    uint64_t time_ns;
    uint32_t cpu;
    uint32_t reserved;
    uint64_t id;
};

static void put_trailer(const struct perf_events *events, uint32_t pid, uint32_t tid,
                        struct cairn_bytes *records)
{
    const struct names_trailer trailer = {
        .pid = pid, .tid = tid, .time_ns = events->begun_ns, .id = events->events[0]->ids[0]};

    perf_data_bytes_put(records, &trailer, sizeof(trailer));
}

/* Adds a record: its parts after the header, and a text that is padded with NULs. */
static void put_record(const struct perf_events *events, struct perf_event_header header,
                       const uint32_t thread[2], const void *fields, size_t fields_bytes,
                       const char *text, struct cairn_bytes *records)
{
    size_t text_bytes = (strlen(text) + 8) & ~(size_t)7;

    header.size = (uint16_t)(sizeof(header) + 2 * sizeof(uint32_t) + fields_bytes + text_bytes +
                             sizeof(struct names_trailer));
    perf_data_bytes_put(records, &header, sizeof(header));
    perf_data_bytes_put(records, thread, 2 * sizeof(uint32_t));
    perf_data_bytes_put(records, fields, fields_bytes);
    perf_data_bytes_put(records, text, strlen(text));
    perf_data_bytes_put_zeros(records, text_bytes - strlen(text));
    put_trailer(events, thread[0], thread[1], records);
}

void perf_events_put_name(const struct perf_events *events, uint32_t pid, uint32_t tid,
                          struct cairn_bytes *records)
{
    const uint32_t thread[2] = {pid, tid};
    char name[COMM_BYTES];

    if (os_thread_name_of(pid, tid, name, sizeof(name)))
        put_record(events, (struct perf_event_header){.type = PERF_RECORD_COMM}, thread, NULL, 0,
                   name, records);
}

/* ---- mappings ---- */

/* The fields of MMAP2 between the thread and the path. */
struct mapping {
    uint64_t start;
    uint64_t length;
    uint64_t file_offset;
    uint32_t major;
    uint32_t minor;
    uint64_t inode;
    uint64_t generation;
    uint32_t protection;
    uint32_t flags;
};

/* Parses a line of /proc/PID/maps. False: it is not of a file. */
static bool parse_mapping(const char *line, struct mapping *ret_mapping, const char **ret_path,
                          bool *ret_is_code)
{
    struct mapping m = {.protection = 5, .flags = 2}; /* readable and executable, private */
    char access[5];
    uint64_t end;
    int path_at = 0;

    if (sscanf(
            line, "%" SCNx64 "-%" SCNx64 " %4s %" SCNx64 " %" SCNx32 ":%" SCNx32 " %" SCNu64 " %n",
            &m.start, &end, access, &m.file_offset, &m.major, &m.minor, &m.inode, &path_at) < 7 ||
        !path_at || (line[path_at] != '/' && line[path_at] != '['))
        return false;
    m.length = end - m.start;
    *ret_is_code = access[2] == 'x';
    if (!*ret_is_code)
        m.protection = 1;
    *ret_mapping = m;
    *ret_path = line + path_at;
    return true;
}

void perf_events_put_maps(const struct perf_events *events, uint32_t pid,
                          struct cairn_bytes *records)
{
    const uint32_t thread[2] = {pid, pid};
    char path[64];
    char *line = NULL;
    size_t capacity = 0;
    ssize_t length;
    FILE *maps;

    (void)snprintf(path, sizeof(path), "/proc/%" PRIu32 "/maps", pid);
    maps = fopen(path, "re");
    while (maps && (length = getline(&line, &capacity, maps)) > 0) {
        struct mapping mapping;
        const char *file;
        bool is_code;

        line[length - (line[length - 1] == '\n')] = '\0';
        if (length < PATH_MAX && parse_mapping(line, &mapping, &file, &is_code) &&
            (is_code || events->stack_bytes))
            put_record(events,
                       (struct perf_event_header){.type = PERF_RECORD_MMAP2,
                                                  .misc = is_code ? MISC_USER
                                                                  : MISC_USER | MISC_MMAP_DATA},
                       thread, &mapping, sizeof(mapping), file, records);
    }
    free(line);
    if (maps)
        fclose(maps);
}

/* ---- the kernel ---- */

/* The address of the kernel's first function; 0: not known, or not shown to this user. */
static uint64_t kernel_text(void)
{
    FILE *symbols = fopen("/proc/kallsyms", "re");
    char line[512];
    uint64_t address = 0;

    while (symbols && fgets(line, sizeof(line), symbols)) {
        char *end;
        uint64_t value = strtoull(line, &end, 16);

        if (!strcmp(end, " T _text\n")) {
            address = value;
            break;
        }
    }
    if (symbols)
        fclose(symbols);
    return address;
}

/* Readers name addresses of the kernel if this symbol has the same address where they read. */
void perf_events_put_kernel(const struct perf_events *events, struct cairn_bytes *records)
{
    const uint32_t thread[2] = {UINT32_MAX, 0};
    uint64_t address = kernel_text();
    const uint64_t fields[3] = {address, UINT64_MAX - address, address};

    if (address)
        put_record(
            events,
            (struct perf_event_header){.type = PERF_RECORD_MMAP, .misc = PERF_RECORD_MISC_KERNEL},
            thread, fields, sizeof(fields), "[kernel.kallsyms]_text", records);
}
