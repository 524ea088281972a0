/* SPDX-License-Identifier: MIT */
/*
 * A host for the tracepoint core in a program: each thread is a CPU. For tests and for the bench;
 * include it in one source of a program.
 */
#ifndef TESTS_CORE_HOST_H
#define TESTS_CORE_HOST_H

#include <cairn/kernel/comm_cache.h>
#include <cairn/kernel/host.h>
#include <cairn/kernel/control.h>
#include <cairn/kernel/trace_buffer.h>

#include <linux/membarrier.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* What the thread is to be: set it before the thread's first event. */
struct core_host_cpu {
    uint32_t cpu;
    uint32_t tid;
    uint8_t flags;
    uint8_t preempt_count;
    const char *comm;
    uint32_t entered; /* sections that it is in */
};

static __thread struct core_host_cpu core_host_cpu;

/* 0: the clock goes. Else each event is 1 us later than the one before. */
static uint64_t core_host_time_ns;

/* So many allocations succeed before one fails; negative: all. One thread. */
static int core_host_allocations_left = -1;
static long core_host_allocated; /* and not yet released */

static inline uint64_t core_host_now(void)
{
    if (__atomic_load_n(&core_host_time_ns, __ATOMIC_RELAXED))
        return __atomic_fetch_add(&core_host_time_ns, 1000, __ATOMIC_RELAXED);
#if defined(__x86_64__)
    return __builtin_ia32_rdtsc();
#else
    struct timespec now;

    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
#endif
}

/* The clock comes last: on x86-64 whatever comes behind it waits for it. */
static void core_host_enter(struct cairn_host_context *ret_context)
{
    struct core_host_cpu *cpu = &core_host_cpu;

    ret_context->cpu = cpu->cpu;
    ret_context->pid = cpu->tid;
    ret_context->tid = cpu->tid;
    ret_context->flags = cpu->flags;
    ret_context->preempt_count = cpu->preempt_count;
    cpu->entered++;
    __atomic_signal_fence(__ATOMIC_SEQ_CST);
    ret_context->time_ns = core_host_now();
}

static void core_host_leave(void)
{
    core_host_cpu.entered--;
}

static void core_host_comm(char comm[16])
{
    memset(comm, 0, 16);
    strncpy(comm, core_host_cpu.comm ? core_host_cpu.comm : "test", 15);
}

static void *core_host_allocate(size_t size_bytes)
{
    if (core_host_allocations_left == 0)
        return NULL;
    if (core_host_allocations_left > 0)
        core_host_allocations_left--;
    __atomic_add_fetch(&core_host_allocated, 1, __ATOMIC_RELAXED);
    return malloc(size_bytes);
}

static void core_host_release(void *memory)
{
    __atomic_sub_fetch(&core_host_allocated, 1, __ATOMIC_RELAXED);
    free(memory);
}

static void core_host_relax(void)
{
    sched_yield();
}

/* All threads are interrupted; it registers the process with the kernel at first. */
static void core_host_sync_cores(void)
{
    if (syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0)) {
        syscall(SYS_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0, 0);
        syscall(SYS_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
    }
}

#define CORE_HOST_INIT                                                                          \
    {                                                                                           \
        .enter = core_host_enter, .leave = core_host_leave, .comm = core_host_comm,             \
        .allocate = core_host_allocate, .release = core_host_release, .relax = core_host_relax, \
        .keys = {.sync_cores = core_host_sync_cores},                                           \
    }

/* A trace of this program's tracepoints, with all that it needs. */
struct core_host {
    struct cairn_host host;
    struct cairn_trace trace;
    struct cairn_trace_buffer buffer;
    struct cairn_comm_cache comms;
    void *ring_memory;
    void *comm_memory;
    void *table_memory;
};

static inline void *core_host_memory(size_t size_bytes)
{
    return aligned_alloc(4096, (size_bytes + 4095) & ~(size_t)4095);
}

/* Of the events from start to stop. Returns what cairn_trace_init does. */
static inline int core_host_open(struct core_host *core, uint32_t cpu_count, size_t bytes_per_cpu,
                                 enum cairn_trace_mode mode, struct cairn_trace_event *const *start,
                                 struct cairn_trace_event *const *stop)
{
    const uint32_t spare_events = 8;
    size_t ring_bytes = cairn_trace_buffer_memory_bytes(cpu_count, bytes_per_cpu);
    size_t comm_bytes = cairn_comm_cache_memory_bytes(128);
    size_t table_bytes = cairn_trace_table_memory_bytes((uint32_t)(stop - start) + spare_events);
    struct cairn_trace_config config = {.host = &core->host,
                                        .buffer = &core->buffer,
                                        .comms = &core->comms,
                                        .table_bytes = table_bytes};

    core->ring_memory = core_host_memory(ring_bytes);
    core->comm_memory = core_host_memory(comm_bytes);
    core->table_memory = config.table_memory = core_host_memory(table_bytes);
    if (cairn_trace_buffer_init(&core->buffer, core->ring_memory, ring_bytes, cpu_count, mode) ||
        cairn_comm_cache_init(&core->comms, core->comm_memory, comm_bytes))
        abort();
    return cairn_trace_init(&core->trace, &config, start, stop);
}

/* Takes the events out, so that another trace may have them. */
static inline void core_host_close(struct core_host *core, struct cairn_trace_event *const *start,
                                   struct cairn_trace_event *const *stop)
{
    (void)cairn_trace_file_truncate(&core->trace, "error_log");
    (void)cairn_trace_remove(&core->trace, start, stop);
    (void)cairn_trace_synchronize(&core->trace);
    free(core->ring_memory);
    free(core->comm_memory);
    free(core->table_memory);
}

#endif
