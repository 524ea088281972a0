/* SPDX-License-Identifier: MIT */
/* The rings of all CPUs: their memory and their counts; clearing them. */
#include "core/atomic.h"
#include "core/errno.h"
#include "core/pool.h"
#include "kernel/trace_buffer_reader.h"

#define PAGE_BYTES        4096u
#define CPUS_MAX          4096u
#define CPU_BYTES_MIN     (48u << 10)
#define CPU_BYTES_MAX     (1u << 30)
#define CHUNKS_WANTED     64u
#define CHUNK_BYTES_LARGE (128u << 10)

static size_t round_up(size_t bytes)
{
    return (bytes + PAGE_BYTES - 1) & ~(size_t)(PAGE_BYTES - 1);
}

/* The structs of all CPUs come first, then the pools. */
static size_t cpus_bytes(uint32_t cpu_count)
{
    return round_up((size_t)cpu_count * sizeof(struct cairn_trace_cpu));
}

/* Many small chunks rather than few large ones: one chunk is overwritten at a time. */
static uint32_t choose_chunk_bytes(size_t pool_bytes)
{
    uint32_t chunk_bytes = PAGE_BYTES;

    while ((chunk_bytes < CHUNK_BYTES_LARGE && pool_bytes / (2 * chunk_bytes) > CHUNKS_WANTED) ||
           pool_bytes / chunk_bytes > CAIRN_POOL_CHUNK_COUNT_MAX)
        chunk_bytes *= 2;
    return chunk_bytes;
}

size_t cairn_trace_buffer_memory_bytes(uint32_t cpu_count, size_t bytes_per_cpu)
{
    size_t bytes = round_up(bytes_per_cpu);

    if (!cpu_count || cpu_count > CPUS_MAX || bytes_per_cpu < CPU_BYTES_MIN ||
        bytes_per_cpu > CPU_BYTES_MAX)
        return 0;
    bytes += choose_chunk_bytes(bytes);
    if (bytes > (SIZE_MAX - cpus_bytes(cpu_count)) / cpu_count)
        return 0; /* an address has 32 bits */
    return cpus_bytes(cpu_count) + cpu_count * bytes;
}

/* Memory of the size of a chunk stays free after the pool, for records outside the rings. */
static void choose_shape(size_t pool_bytes, uint32_t *ret_chunk_bytes, uint32_t *ret_chunk_count)
{
    uint32_t chunk_bytes = choose_chunk_bytes(pool_bytes);
    size_t count = pool_bytes / chunk_bytes;

    do
        count--;
    while (core_pool_size(chunk_bytes, (uint32_t)count + 1) > pool_bytes);
    *ret_chunk_bytes = chunk_bytes;
    *ret_chunk_count = (uint32_t)count;
}

/* Clears the pool's memory except the chunks, which are not read before they are written. */
static int init_cpu(struct cairn_trace_cpu *cpu, uint8_t *memory, size_t pool_bytes)
{
    uint32_t chunk_bytes;
    uint32_t chunk_count;

    choose_shape(pool_bytes, &chunk_bytes, &chunk_count);
    __builtin_memset(memory, 0,
                     core_pool_size(chunk_bytes, chunk_count) - (size_t)chunk_bytes * chunk_count);
    *cpu = (struct cairn_trace_cpu){.sections = 1};
    return core_pool_format(memory, chunk_bytes, chunk_count, 0, 0, &cpu->pool);
}

int cairn_trace_buffer_init(struct cairn_trace_buffer *buffer, void *memory, size_t memory_bytes,
                            uint32_t cpu_count, enum cairn_trace_mode mode)
{
    struct cairn_trace_buffer made = {.cpus = memory, .cpu_count = cpu_count, .on = 1};
    size_t pool_bytes;

    if (!cpu_count || cpu_count > CPUS_MAX || memory_bytes < cpus_bytes(cpu_count) ||
        (uintptr_t)memory % 64 || (mode != CAIRN_TRACE_OVERWRITE && mode != CAIRN_TRACE_DISCARD))
        return EINVAL;
    pool_bytes = (memory_bytes - cpus_bytes(cpu_count)) / cpu_count & ~(size_t)(PAGE_BYTES - 1);
    if (pool_bytes < CPU_BYTES_MIN + PAGE_BYTES || pool_bytes > 2 * (size_t)CPU_BYTES_MAX)
        return EINVAL;
    for (uint32_t i = 0; i < cpu_count; i++) {
        int err = init_cpu(&made.cpus[i],
                           (uint8_t *)memory + cpus_bytes(cpu_count) + i * pool_bytes, pool_bytes);

        if (err)
            return err;
    }
    cairn_trace_buffer_set_mode(&made, mode);
    *buffer = made;
    return 0;
}

void cairn_trace_buffer_set_mode(struct cairn_trace_buffer *buffer, enum cairn_trace_mode mode)
{
    core_store_relaxed(&buffer->mode, mode);
    for (uint32_t i = 0; i < buffer->cpu_count; i++)
        core_store_relaxed(&buffer->cpus[i].pool.overwrite, mode == CAIRN_TRACE_OVERWRITE);
}

uint32_t cairn_trace_buffer_record_max_bytes(const struct cairn_trace_buffer *buffer)
{
    return kernel_trace_record_bytes(kernel_trace_raw_max(&buffer->cpus[0]));
}

static void copy_count(uint64_t *to, const uint64_t *count)
{
    core_store_relaxed(to, core_load_relaxed(count));
}

static void clear(struct cairn_trace_cpu *cpu)
{
    struct cairn_trace_reader reader;
    struct cairn_trace_stream *stream;

    kernel_trace_reader_open(&reader, cpu, 0, true, true);
    while ((stream = kernel_trace_reader_next(&reader)))
        (void)kernel_trace_reader_pass(&reader, stream, &cpu->cleared);
    copy_count(&cpu->overruns_before, &cpu->pool.header->overwritten);
    copy_count(&cpu->dropped_before, &cpu->pool.header->lost);
    copy_count(&cpu->read_before, &cpu->read_events);
    copy_count(&cpu->damaged_before, &cpu->damaged);
}

int cairn_trace_buffer_reset(struct cairn_trace_buffer *buffer, uint32_t cpu)
{
    if (cpu != CAIRN_TRACE_ALL_CPUS && cpu >= buffer->cpu_count)
        return EINVAL;
    for (uint32_t i = 0; i < buffer->cpu_count; i++) {
        if (cpu == CAIRN_TRACE_ALL_CPUS || cpu == i)
            clear(&buffer->cpus[i]);
    }
    return 0;
}

static uint64_t since(const uint64_t *now, const uint64_t *before)
{
    return core_load_relaxed(now) - core_load_relaxed(before);
}

/*
 * Events that were written and neither consumed nor overwritten. Counts that are read while they
 * change may be inconsistent.
 */
static uint64_t entries_of(const struct cairn_trace_cpu *cpu)
{
    uint64_t gone = core_load_relaxed(&cpu->pool.header->overwritten) +
                    core_load_relaxed(&cpu->read_events) + core_load_relaxed(&cpu->cleared) +
                    core_load_relaxed(&cpu->damaged);
    uint64_t written = 0;

    for (uint32_t i = 0; i < CAIRN_TRACE_LEVELS; i++)
        written += core_load_relaxed(&cpu->levels[i].events);
    return written > gone ? written - gone : 0;
}

/* The number of events that a snapshot would show now. */
static void measure(struct cairn_trace_cpu *cpu, struct cairn_trace_stats *stats)
{
    struct cairn_trace_reader reader;
    struct cairn_trace_stream *stream;

    kernel_trace_reader_open(&reader, cpu, 0, false, true);
    while ((stream = kernel_trace_reader_next(&reader))) {
        if (!stats->bytes)
            stats->oldest_ns = stream->head_ns;
        stats->bytes += stream->head_bytes;
        (void)kernel_trace_reader_pass(&reader, stream, NULL);
    }
}

int cairn_trace_buffer_stats(const struct cairn_trace_buffer *buffer, uint32_t cpu,
                             struct cairn_trace_stats *ret_stats)
{
    struct cairn_trace_stats stats = {0};
    struct cairn_trace_cpu *of;

    if (cpu >= buffer->cpu_count)
        return EINVAL;
    of = &buffer->cpus[cpu];
    stats.entries = entries_of(of);
    stats.overruns = since(&of->pool.header->overwritten, &of->overruns_before);
    stats.dropped = since(&of->pool.header->lost, &of->dropped_before);
    stats.read_events = since(&of->read_events, &of->read_before);
    stats.damaged = since(&of->damaged, &of->damaged_before);
    measure(of, &stats);
    *ret_stats = stats;
    return 0;
}
