/* SPDX-License-Identifier: MIT */
/* Lists of CPUs and threads. */
#include "perf_events/machine.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

#define CPU_MAX 65536ul

bool perf_events_parse_cpus(const char *text, struct cairn_bytes *cpus)
{
    while (*text && *text != '\n') {
        char *end;
        unsigned long first = strtoul(text, &end, 10);
        unsigned long last = first;

        if (end == text)
            return false;
        text = end;
        if (*text == '-') {
            last = strtoul(text + 1, &end, 10);
            if (end == text + 1)
                return false;
            text = end;
        }
        if (last < first || last >= CPU_MAX || (*text && *text != ',' && *text != '\n'))
            return false;
        for (; first <= last; first++)
            perf_data_bytes_put_u32(cpus, (uint32_t)first);
        text += *text == ',';
    }
    return true;
}

int perf_events_online_cpus(struct cairn_bytes *cpus)
{
    FILE *file = fopen("/sys/devices/system/cpu/online", "re");
    char text[4096];
    int err = file ? 0 : errno;

    if (file && (!fgets(text, sizeof(text), file) || !perf_events_parse_cpus(text, cpus)))
        err = EBADMSG;
    if (file)
        fclose(file);
    return err ? err : cpus->error;
}

uint32_t perf_events_count_changed(const struct cairn_bytes *before, const struct cairn_bytes *now)
{
    size_t a = 0;
    size_t b = 0;
    uint32_t changed = 0;

    while (a < perf_events_count_of(before) || b < perf_events_count_of(now)) {
        uint64_t x = a < perf_events_count_of(before) ? perf_events_number(before, a) : UINT64_MAX;
        uint64_t y = b < perf_events_count_of(now) ? perf_events_number(now, b) : UINT64_MAX;

        changed += x != y;
        a += x <= y;
        b += y <= x;
    }
    return changed;
}

/* Adds the names of a directory that are numbers. */
static int add_numbers(const char *path, struct cairn_bytes *numbers)
{
    DIR *directory = opendir(path);
    const struct dirent *entry;

    if (!directory)
        return errno;
    while ((entry = readdir(directory))) {
        char *end;
        unsigned long number = strtoul(entry->d_name, &end, 10);

        if (end != entry->d_name && !*end)
            perf_data_bytes_put_u32(numbers, (uint32_t)number);
    }
    closedir(directory);
    return numbers->error;
}

int perf_events_threads_of(int32_t pid, struct cairn_bytes *tids)
{
    char path[64];
    int err;

    (void)snprintf(path, sizeof(path), "/proc/%d/task", pid);
    err = add_numbers(path, tids);
    return err == ENOENT ? ESRCH : err;
}

int perf_events_processes(struct cairn_bytes *pids)
{
    return add_numbers("/proc", pids);
}
