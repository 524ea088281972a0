/* SPDX-License-Identifier: MIT */
/* Translates ids of processes and threads from another pid namespace to ours. */
#include "session/numbers.h"

#include "os/inspect.h"

#include <ctype.h>
#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>

/* The least time between two searches, because processes that have ended are never found. */
#define SEARCH_NS UINT64_C(10000000)

/* Maps the ids in a directory of /proc: all processes of the namespace, or the threads of one. */
static void note_all(struct session_pool *pool, const char *path, uint32_t pid)
{
    DIR *list = opendir(path);
    const struct dirent *item;

    while (list && (item = readdir(list))) {
        uint32_t number = (uint32_t)strtoul(item->d_name, NULL, 10);
        uint32_t inside;

        if (!isdigit((unsigned char)*item->d_name) ||
            (!pid && os_pid_namespace_of(number) != pool->pid_namespace))
            continue;
        inside = os_number_inside(pid ? pid : number, number);
        if (inside)
            (void)perf_data_map_set(&pool->number_of, inside, number);
    }
    if (list)
        closedir(list);
}

static uint32_t find(struct session_pool *pool, uint32_t inside, uint32_t pid)
{
    uint32_t number = perf_data_map_get(&pool->number_of, inside);
    uint64_t now = os_clock_ns();
    char path[48] = "/proc";

    if (number != PERF_DATA_MAP_NONE || now - pool->numbers_searched_ns < SEARCH_NS)
        return number;
    pool->numbers_searched_ns = now;
    if (pid)
        (void)snprintf(path, sizeof(path), "/proc/%u/task", pid);
    note_all(pool, path, pid);
    return perf_data_map_get(&pool->number_of, inside);
}

void session_translate_numbers(struct session_pool *pool, struct cairn_chunk *chunk)
{
    bool is_main = chunk->tid == chunk->pid;
    uint32_t pid;
    uint32_t tid;

    if (pool->namespace_is_ours || !pool->pid_namespace)
        return;
    pid = find(pool, chunk->pid, 0);
    if (pid == PERF_DATA_MAP_NONE)
        return;
    tid = is_main ? pid : find(pool, chunk->tid, pid);
    chunk->pid = pid;
    if (tid != PERF_DATA_MAP_NONE)
        chunk->tid = tid;
}
