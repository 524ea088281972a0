/* SPDX-License-Identifier: MIT */
/*
 * Counts the processes that have written, each once. A process has several pools if several
 * libraries in it contain the engine, or if one is loaded again and again.
 */
#include "os/process.h"
#include "session/internal.h"

/* The value of a process that has ended: the number may be another one's from then on. Others have
 * a part of the time when they started, 0 if that is not known. */
#define ENDED     0x80000000u
#define START_MAX 0x7fffffffu

/* When there are more, living ones are counted again. */
#define COUNTED_MAX (1u << 20)

/* A process's pid namespace is that of all of its pools. */
static uint64_t key_of(const struct session_pool *pool, uint32_t pid)
{
    return pool->pid_namespace << 32 | pid;
}

static uint32_t start_of(const struct session_pool *pool, uint32_t pid)
{
    struct os_process_stat stat;

    return pool->namespace_is_ours && os_process_stat(pid, &stat)
               ? (uint32_t)stat.start_ticks & START_MAX
               : 0;
}

static bool is_same(uint32_t counted, uint32_t start)
{
    return counted != PERF_DATA_MAP_NONE && counted != ENDED &&
           (!counted || !start || counted == start);
}

void session_count_process(struct cairn_session *session, const struct session_pool *pool,
                           uint32_t pid)
{
    uint32_t counted = perf_data_map_get(&session->counted, key_of(pool, pid));
    uint32_t start = start_of(pool, pid);

    if (is_same(counted, start) && (counted || !start))
        return;
    session->counts.processes += !is_same(counted, start);
    if (session->counted.count >= COUNTED_MAX)
        perf_data_map_free(&session->counted);
    (void)perf_data_map_set(&session->counted, key_of(pool, pid), start);
}

void session_count_end(struct cairn_session *session, const struct session_pool *pool, uint32_t pid)
{
    uint64_t key = key_of(pool, pid);

    if (perf_data_map_get(&session->counted, key) != PERF_DATA_MAP_NONE)
        (void)perf_data_map_set(&session->counted, key, ENDED);
}
