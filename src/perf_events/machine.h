/* SPDX-License-Identifier: MIT */
/* CPUs and threads of the machine, as /sys and /proc list them. */
#ifndef PERF_EVENTS_MACHINE_H
#define PERF_EVENTS_MACHINE_H

#include "perf_data/bytes.h"

#include <stdbool.h>

/* A list of numbers: u32 after u32. */
static inline size_t perf_events_count_of(const struct cairn_bytes *numbers)
{
    return numbers->size / sizeof(uint32_t);
}

static inline uint32_t perf_events_number(const struct cairn_bytes *numbers, size_t index)
{
    return ((const uint32_t *)(const void *)numbers->data)[index];
}

/* Adds the CPUs of a list as the kernel writes it: "0-3,8". False: it is malformed. */
bool perf_events_parse_cpus(const char *text, struct cairn_bytes *cpus);

/* Adds the CPUs that are online. Returns 0; ENOMEM; or an error of open. */
int perf_events_online_cpus(struct cairn_bytes *cpus);

/* Counts the CPUs that are in one of two lists only, both sorted. */
uint32_t perf_events_count_changed(const struct cairn_bytes *before, const struct cairn_bytes *now);

/* Adds the threads of a process. Returns 0; ESRCH there is no such process; ENOMEM. */
int perf_events_threads_of(int32_t pid, struct cairn_bytes *tids);

/* Adds all processes. Returns 0; ENOMEM; or an error of open. */
int perf_events_processes(struct cairn_bytes *pids);

#endif
