/* SPDX-License-Identifier: MIT */
/* Facts about this machine for the header of a recording. */
#ifndef PERF_DATA_HOST_H
#define PERF_DATA_HOST_H

#include <stdint.h>
#include <sys/utsname.h>

/* Unknown texts are "", unknown numbers 0. */
struct perf_data_host_facts {
    struct utsname uts;
    char cpudesc[128];
    char cpuid[64];
    uint32_t cpus_available;
    uint32_t cpus_online;
    uint64_t total_mem_kib;
};

void perf_data_host_gather(struct perf_data_host_facts *facts);

struct cairn_perf_host;

/* Sets the facts to those of another machine, as a recording has them. */
void perf_data_host_set(struct perf_data_host_facts *facts, const struct cairn_perf_host *host);

#endif
