/* SPDX-License-Identifier: MIT */
/*
 * A tracepoint of a kernel, two u32: threads are CPUs, the rings discard, and another thread reads
 * them as a kernel's trace_pipe_raw would be read. With BENCH_FILTER a filter of two comparisons
 * takes every event.
 */
#define CAIRN_KERNEL
#include <cairn/typed_tracepoint.h>

#include "core_host.h"
#include "loops.h"

#include <pthread.h>
#include <stdio.h>

#define CPUS          2u
#define BYTES_PER_CPU (32u << 20)
#define READ_BYTES    (1u << 20)
#define READ_PAUSE_US 10000u /* as a recorder waits: it reads in the pauses between bursts */

#ifdef BENCH_FILTER
#define FILTER "number < 4000000000 && other != 7"
#else
#define FILTER "0"
#endif

CAIRN_TRACEPOINT(bench, TP_SYSTEM(cairn_bench), TP_PROTO(uint32_t number, uint32_t other),
                 TP_ARGS(number, other),
                 TP_STRUCT__entry(__field(uint32_t, number) __field(uint32_t, other)),
                 TP_fast_assign(__entry->number = number; __entry->other = other;),
                 TP_printk("number=%u other=%u", __entry->number, __entry->other));

static struct core_host core = {.host = CORE_HOST_INIT};
static pthread_t reader;
static bool reading = true;

static void *read_rings(void *memory)
{
    size_t length;

    while (__atomic_load_n(&reading, __ATOMIC_RELAXED)) {
        for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
            while (!cairn_trace_buffer_read(&core.buffer, cpu, memory, READ_BYTES, &length))
                ;
        }
        usleep(READ_PAUSE_US);
    }
    free(memory);
    return NULL;
}

static int open_core(void)
{
    int err = core_host_open(&core, CPUS, BYTES_PER_CPU, CAIRN_TRACE_DISCARD,
                             __start_cairn_trace_events, __stop_cairn_trace_events);

    if (!err)
        err = cairn_trace_event_filter_set(&cairn_event_bench, FILTER, strlen(FILTER), NULL);
    if (!err)
        err = cairn_trace_event_enable(&cairn_event_bench, true);
    if (!err)
        err = pthread_create(&reader, NULL, read_rings, malloc(READ_BYTES));
    return err;
}

/* A figure with losses is no figure. */
static void close_core(void)
{
    struct cairn_trace_stats stats;

    __atomic_store_n(&reading, false, __ATOMIC_RELAXED);
    pthread_join(reader, NULL);
    for (uint32_t cpu = 0; cpu < CPUS; cpu++) {
        if (cairn_trace_buffer_stats(&core.buffer, cpu, &stats) || stats.dropped) {
            fprintf(stderr, "writer-kernel: events were dropped\n");
            exit(1);
        }
    }
}

static bool event_enabled(void)
{
    return trace_bench_enabled();
}

static inline void emit_event(uint32_t number, const char *text)
{
    trace_bench(number, (uint32_t)(uintptr_t)text);
}

/* A thread's first burst makes it the next CPU. */
static void emit_on_cpu(uint64_t count)
{
    static uint32_t cpus;

    if (!core_host_cpu.tid) {
        core_host_cpu.cpu = __atomic_fetch_add(&cpus, 1, __ATOMIC_RELAXED);
        core_host_cpu.tid = core_host_cpu.cpu + 1;
    }
    emit_events(count);
}

int main(int argc, char **argv)
{
    static const struct bench_tracer kernel_tracer = {
        .open = open_core,
        .enabled = event_enabled,
        .close = close_core,
        .emit = emit_on_cpu,
        .work = work,
        .work_and_emit = work_and_emit,
    };

    return bench_main(&kernel_tracer, argc, argv);
}
