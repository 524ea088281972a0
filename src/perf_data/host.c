/* SPDX-License-Identifier: MIT */
/* Facts about this machine. */
#include "perf_data/host.h"

#include <cairn/perf_data.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#define WORD_BYTES 32u

/* Returns the value of a line "key<tabs>: value" if the line has that key, otherwise NULL. */
static const char *value_of(char *line, const char *key)
{
    size_t key_bytes = strlen(key);
    char *at = line + key_bytes;

    if (strncmp(line, key, key_bytes) != 0)
        return NULL;
    at += strspn(at, " \t");
    if (*at != ':')
        return NULL;
    at += 1 + strspn(at + 1, " \t");
    at[strcspn(at, "\n")] = '\0';
    return at;
}

static void copy_first(char *to, size_t size, const char *value)
{
    if (value && !to[0])
        snprintf(to, size, "%s", value);
}

/* Reads /proc/cpuinfo's text about the first CPU. */
static void gather_cpu(struct perf_data_host_facts *facts)
{
    char vendor[WORD_BYTES] = "";
    char family[WORD_BYTES] = "";
    char model[WORD_BYTES] = "";
    char stepping[WORD_BYTES] = "";
    char line[512];
    FILE *cpuinfo = fopen("/proc/cpuinfo", "re");

    if (!cpuinfo)
        return;
    while (fgets(line, sizeof(line), cpuinfo) && line[0] != '\n') {
        copy_first(facts->cpudesc, sizeof(facts->cpudesc), value_of(line, "model name"));
        copy_first(vendor, sizeof(vendor), value_of(line, "vendor_id"));
        copy_first(family, sizeof(family), value_of(line, "cpu family"));
        copy_first(model, sizeof(model), value_of(line, "model"));
        copy_first(stepping, sizeof(stepping), value_of(line, "stepping"));
    }
    fclose(cpuinfo);
    if (vendor[0] && family[0] && model[0] && stepping[0]) {
        int length = snprintf(facts->cpuid, sizeof(facts->cpuid), "%s,%s,%s,%s", vendor, family,
                              model, stepping);

        if (length >= (int)sizeof(facts->cpuid)) /* do not use a truncated one */
            facts->cpuid[0] = '\0';
    }
}

static uint64_t positive(long number)
{
    return number > 0 ? (uint64_t)number : 0;
}

void perf_data_host_gather(struct perf_data_host_facts *facts)
{
    *facts = (struct perf_data_host_facts){0};
    uname(&facts->uts);
    gather_cpu(facts);
    facts->cpus_available = (uint32_t)positive(sysconf(_SC_NPROCESSORS_CONF));
    facts->cpus_online = (uint32_t)positive(sysconf(_SC_NPROCESSORS_ONLN));
    facts->total_mem_kib =
        positive(sysconf(_SC_PHYS_PAGES)) * (positive(sysconf(_SC_PAGESIZE)) / 1024);
}

static void set(char *to, size_t size, const char *text)
{
    snprintf(to, size, "%s", text ? text : "");
}

void perf_data_host_set(struct perf_data_host_facts *facts, const struct cairn_perf_host *host)
{
    *facts = (struct perf_data_host_facts){
        .cpus_available = host->cpus_available,
        .cpus_online = host->cpus_online,
        .total_mem_kib = host->total_mem_kib,
    };
    set(facts->uts.nodename, sizeof(facts->uts.nodename), host->hostname);
    set(facts->uts.release, sizeof(facts->uts.release), host->osrelease);
    set(facts->uts.machine, sizeof(facts->uts.machine), host->arch);
    set(facts->cpudesc, sizeof(facts->cpudesc), host->cpudesc);
    set(facts->cpuid, sizeof(facts->cpuid), host->cpuid);
}
