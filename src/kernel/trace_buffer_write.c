/* SPDX-License-Identifier: MIT */
/*
 * Writing to a CPU's rings, where it is not the plain case: chunks that end, and sections in which
 * one writer interrupted another.
 *
 * Visibility. A reader must not see a record while an earlier one of the same CPU may still come,
 * and a nested writer's records come before its interrupted one's are whole. So what a nested
 * writer commits carries the number of the section: chunk->section, with chunk->before, the bytes
 * that were there when the section began. A reader counts the bytes of a section only when
 * cpu->sections says that it has ended: one store shows all levels' records at once.
 *
 * Time. Records of later sections are never earlier: at its end a section leaves in published_ns
 * the last time of all its records, and commit raises times that are below that.
 */
#include "core/atomic.h"

#include <cairn/kernel/trace_buffer.h>

/* Before a chunk is given away: what whoever overwrites it has to count. */
static void note_events(const struct cairn_trace_level *level)
{
    struct cairn_chunk *chunk = level->writer.chunk;

    if (chunk)
        cairn_store_relaxed(&chunk->events, (uint32_t)(level->events - chunk->first_event));
}

static void close_level(struct cairn_trace_level *level)
{
    note_events(level);
    cairn_writer_close(&level->writer);
}

/*
 * Interrupts that come while we look at the writers of levels below KEPT use those above. A chunk
 * that a rare level holds for so long that the whole pool went round since is older than all
 * others: it is given away, to be the next that is overwritten.
 */
static void retire_stale(struct cairn_trace_cpu *cpu, uint32_t level)
{
    uint64_t now = cairn_load_relaxed(&cpu->pool.header->last_sequence);

    if (level + 1 >= CAIRN_TRACE_LEVELS_KEPT)
        return;
    cairn_store_relaxed(&cpu->nest, CAIRN_TRACE_LEVELS_KEPT);
    cairn_interrupt_barrier();
    for (uint32_t i = level + 1; i < CAIRN_TRACE_LEVELS_KEPT; i++) {
        const struct cairn_chunk *chunk = cpu->levels[i].writer.chunk;

        if (chunk && now - chunk->sequence >= cpu->pool.chunk_count)
            close_level(&cpu->levels[i]);
    }
    cairn_interrupt_barrier();
    cairn_store_relaxed(&cpu->nest, level + 1);
}

struct cairn_record_head *cairn_trace_buffer_reserve_slow(struct cairn_trace_cpu *cpu,
                                                          uint32_t level, uint32_t size_bytes)
{
    struct cairn_trace_level *mine = &cpu->levels[level];
    struct cairn_writer_name name = {.tid = level, .first_event = mine->events};
    void *room;

    if (cairn_load_relaxed(&cpu->pool.overwrite))
        retire_stale(cpu, level);
    note_events(mine);
    room = cairn_pool_reserve_slow(&cpu->pool, &mine->writer, &name, size_bytes);
    if (room) {
        /* Pairs with the acquire in the readers' look for chunks: this one is there to be found.
         * Atomic: an interrupt may claim one at this very instruction. */
        cairn_fetch_add_release(&cpu->claims, 1);
    }
    return room;
}

/* The first record of a section in this chunk says what was there before. */
static void mark_section(const struct cairn_trace_cpu *cpu, const struct cairn_writer *writer)
{
    struct cairn_chunk *chunk = writer->chunk;

    if (chunk->section == cpu->sections)
        return;
    /* Release: whoever sees `before` sees the bytes below it, and that their sections have ended.
     */
    cairn_store_release(&chunk->before, (uint32_t)(writer->next - writer->start));
    /* Pairs with the acquire in the reader's visible_bytes: it finds `before` of this section. */
    cairn_store_release(&chunk->section, cpu->sections);
}

void cairn_trace_buffer_commit_nested(struct cairn_trace_cpu *cpu, uint32_t level,
                                      uint32_t size_bytes)
{
    struct cairn_trace_level *mine = &cpu->levels[level];
    struct cairn_record_head *head = (struct cairn_record_head *)(void *)mine->writer.next;
    uint64_t last_ns = mine->last_ns > cpu->published_ns ? mine->last_ns : cpu->published_ns;

    if (head->time_ns < last_ns)
        head->time_ns = last_ns;
    mine->last_ns = head->time_ns;
    cairn_store_relaxed(&cpu->dirty, 1);
    mark_section(cpu, &mine->writer);
    cairn_store_relaxed(&mine->events, mine->events + 1);
    /* Its release is also that of the section's number: bytes of it come after that. */
    cairn_pool_commit(&mine->writer, size_bytes);
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
 * Nested writers have committed. One that came after our section's end, but before nest was 0, is
 * in a section that nobody ends: an empty one of ours does. And again, if it comes to that.
 */
void cairn_trace_cpu_settle(struct cairn_trace_cpu *cpu)
{
    do {
        cairn_store_relaxed(&cpu->nest, 1);
        cairn_interrupt_barrier();
        cairn_store_relaxed(&cpu->dirty, 0);
        cairn_interrupt_barrier();
        publish_time(cpu);
        /* As in cairn_trace_cpu_leave. */
        cairn_store_release(&cpu->sections, cpu->sections + 1);
        cairn_interrupt_barrier();
        cairn_store_relaxed(&cpu->nest, 0);
        cairn_interrupt_barrier();
    } while (cairn_load_relaxed(&cpu->dirty));
}
