/* SPDX-License-Identifier: MIT */
/*
 * The slow path of writing to a CPU's rings: ends of chunks, and sections in which one writer
 * interrupted another.
 *
 * Visibility. A reader must not see a record while an earlier one of the same CPU may still become
 * visible, and a nested writer commits before the writer that it interrupted. So records of a
 * nested writer carry the number of the section: chunk->section, with chunk->before, the bytes that
 * were there when the section began. A reader uses the bytes of a section only if cpu->sections
 * says that it has ended: one store shows all levels' records at once.
 *
 * Time. Records of later sections are never earlier: at its end a section leaves in published_ns
 * the last time of all its records, and commit raises times that are below that.
 */
#include "core/atomic.h"
#include "core/compact_record.h"
#include "core/pool.h"
#include "kernel/trace_buffer_reader.h"

_Static_assert(CAIRN_TRACE_RECORD_HEAD_BYTES == CORE_RECORD_HEAD_BYTES, "one head of records");

/* Before a chunk is released: the number of events that an overwriting writer counts as lost. */
static void note_events(const struct cairn_trace_level *level)
{
    struct cairn_chunk *chunk = level->writer.chunk;

    if (chunk)
        core_store_relaxed(&chunk->events, (uint32_t)(level->events - chunk->first_event));
}

static void close_level(struct cairn_trace_level *level)
{
    note_events(level);
    core_writer_close(&level->writer);
}

/*
 * Interrupts during the check of the writers of levels below KEPT use the levels above. A chunk of
 * a rarely used level that is older than a whole turn of the pool is older than all others: it is
 * released, to be overwritten next.
 */
static void retire_stale(struct cairn_trace_cpu *cpu, uint32_t level)
{
    uint64_t now = core_load_relaxed(&cpu->pool.header->last_sequence);

    if (level + 1 >= CAIRN_TRACE_LEVELS_KEPT)
        return;
    core_store_relaxed(&cpu->nest, CAIRN_TRACE_LEVELS_KEPT);
    core_interrupt_barrier();
    for (uint32_t i = level + 1; i < CAIRN_TRACE_LEVELS_KEPT; i++) {
        const struct cairn_chunk *chunk = cpu->levels[i].writer.chunk;

        if (chunk && now - chunk->sequence >= cpu->pool.chunk_count)
            close_level(&cpu->levels[i]);
    }
    core_interrupt_barrier();
    core_store_relaxed(&cpu->nest, level + 1);
}

/* A chunk begins with control records: no time is after this base, and no process is this one. The
 * space for them stays free: commit may need it at any record. */
static void begin_chunk(struct cairn_trace_level *level)
{
    level->base_ns = UINT64_C(1) << 63;
    level->pid = UINT32_MAX;
    level->writer.end -= KERNEL_TRACE_CONTROL_BYTES;
}

void *cairn_trace_cpu_reserve_slow(struct cairn_trace_cpu *cpu, uint32_t level, uint32_t raw_bytes)
{
    struct cairn_trace_level *mine = &cpu->levels[level];
    struct cairn_writer_name name = {.tid = level, .first_event = mine->events};

    if (raw_bytes > kernel_trace_raw_max(cpu)) {
        cairn_trace_cpu_drop(cpu);
        return NULL;
    }
    if (core_load_relaxed(&cpu->pool.overwrite))
        retire_stale(cpu, level);
    note_events(mine);
    if (!core_pool_reserve_slow(&cpu->pool, &mine->writer, &name,
                                core_record_padded(CORE_RECORD_HEAD_BYTES + raw_bytes)))
        return NULL;
    begin_chunk(mine);
    /*
     * Pairs with the acquire in the readers' search for chunks: this chunk can be found. Atomic: an
     * interrupt may claim one at this very instruction.
     */
    core_fetch_add_release(&cpu->claims, 1);
    return mine->writer.next + CORE_RECORD_HEAD_BYTES;
}

static uint8_t *put_control(uint8_t *to, uint32_t kind, const void *value, uint32_t value_bytes)
{
    uint32_t size_bytes = CORE_RECORD_HEAD_BYTES + (uint32_t)sizeof(kind) + value_bytes;

    core_record_put_head(to, CORE_RECORD_CONTROL, size_bytes, 0);
    __builtin_memcpy(to + CORE_RECORD_HEAD_BYTES, &kind, sizeof(kind));
    __builtin_memcpy(to + CORE_RECORD_HEAD_BYTES + sizeof(kind), value, value_bytes);
    return to + size_bytes;
}

void cairn_i_trace_put_controls(struct cairn_trace_level *level,
                                const struct cairn_trace_stamp *stamp, uint32_t raw_bytes)
{
    uint8_t controls[KERNEL_TRACE_CONTROL_BYTES];
    uint8_t *record = level->writer.next + CORE_RECORD_HEAD_BYTES;
    uint8_t *end = controls;
    size_t bytes;

    if ((stamp->time_ns - level->base_ns) >> 32) {
        level->base_ns = stamp->time_ns;
        end = put_control(end, CORE_CONTROL_BASE_NS, &level->base_ns, sizeof(level->base_ns));
    }
    if (stamp->pid != level->pid) {
        level->pid = stamp->pid;
        end = put_control(end, CORE_CONTROL_PROCESS, &level->pid, sizeof(level->pid));
    }
    bytes = (size_t)(end - controls);
    __builtin_memmove(record + bytes, record, raw_bytes);
    __builtin_memcpy(level->writer.next, controls, bytes);
    level->writer.next += bytes;
}

/* The first record of a section in this chunk stores what was there before. */
static void mark_section(const struct cairn_trace_cpu *cpu, const struct cairn_writer *writer)
{
    struct cairn_chunk *chunk = writer->chunk;

    if (chunk->section == cpu->sections)
        return;
    /*
     * Release: a reader that sees `before` sees the bytes below it, and that their sections have
     * ended. /
     */
    core_store_release(&chunk->before, (uint32_t)(writer->next - writer->start));
    /* Pairs with the acquire in the reader's visible_bytes: it finds `before` of this section. */
    core_store_release(&chunk->section, cpu->sections);
}

void cairn_trace_cpu_commit_nested(struct cairn_trace_cpu *cpu, uint32_t level,
                                   struct cairn_trace_stamp *stamp, uint32_t raw_bytes)
{
    struct cairn_trace_level *mine = &cpu->levels[level];
    uint64_t last_ns = mine->last_ns > cpu->published_ns ? mine->last_ns : cpu->published_ns;

    if (stamp->time_ns < last_ns)
        stamp->time_ns = last_ns;
    mine->last_ns = stamp->time_ns;
    core_store_relaxed(&cpu->dirty, 1);
    mark_section(cpu, &mine->writer);
    if (!cairn_i_trace_follows(mine, stamp->time_ns, stamp->pid))
        cairn_i_trace_put_controls(mine, stamp, raw_bytes);
    /* Its release also publishes the section's number, before the section's bytes. */
    cairn_i_trace_commit(mine, *stamp, raw_bytes);
}

void cairn_trace_cpu_leave_deep(struct cairn_trace_cpu *cpu, uint32_t level)
{
    if (level < CAIRN_TRACE_LEVELS)
        close_level(&cpu->levels[level]);
}

static void publish_time(struct cairn_trace_cpu *cpu)
{
    for (uint32_t i = 0; i < CAIRN_TRACE_LEVELS; i++) {
        if (cpu->levels[i].last_ns > cpu->published_ns)
            cpu->published_ns = cpu->levels[i].last_ns;
    }
}

/*
 * Ends a section in which nested writers have committed. A nested writer that came after the
 * section's end, but before nest was 0, is in a section that nobody ends: an empty section ends it,
 * as often as needed.
 */
void cairn_trace_cpu_settle(struct cairn_trace_cpu *cpu)
{
    do {
        core_store_relaxed(&cpu->nest, 1);
        core_interrupt_barrier();
        core_store_relaxed(&cpu->dirty, 0);
        core_interrupt_barrier();
        publish_time(cpu);
        /* As in cairn_trace_cpu_leave. */
        core_store_release(&cpu->sections, cpu->sections + 1);
        core_interrupt_barrier();
        core_store_relaxed(&cpu->nest, 0);
        core_interrupt_barrier();
    } while (core_load_relaxed(&cpu->dirty));
}
