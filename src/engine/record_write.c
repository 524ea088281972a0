/* SPDX-License-Identifier: MIT */
/* Writes control records: the base of times and the processor, where they change. */
#include "engine/emit.h"
#include "engine/watch.h"

#include <string.h>

/* A control record of one value. */
static uint8_t *put(uint8_t *to, uint32_t kind, const void *value, uint32_t value_bytes)
{
    uint32_t size_bytes = CORE_RECORD_HEAD_BYTES + (uint32_t)sizeof(kind) + value_bytes;

    core_record_put_head(to, CORE_RECORD_CONTROL, size_bytes, 0);
    memcpy(to + CORE_RECORD_HEAD_BYTES, &kind, sizeof(kind));
    memcpy(to + CORE_RECORD_HEAD_BYTES + sizeof(kind), value, value_bytes);
    return to + size_bytes;
}

uint8_t *engine_record_put_controls(struct engine_baseline *baseline, uint8_t *record,
                                    uint8_t **end, const struct engine_timestamp *timestamp)
{
    uint8_t controls[ENGINE_CONTROL_BYTES];
    uint8_t *to = controls;
    size_t bytes;

    if (timestamp->unit != baseline->unit || (timestamp->counter - baseline->base) >> 32) {
        bool is_ns = timestamp->unit == ENGINE_UNIT_NS;

        baseline->unit = timestamp->unit;
        baseline->base = timestamp->counter;
        to = put(to, is_ns ? CORE_CONTROL_BASE_NS : CORE_CONTROL_BASE, &baseline->base,
                 sizeof(baseline->base));
        baseline->cpu = ~timestamp->cpu;
    }
    if (timestamp->cpu != baseline->cpu) {
        baseline->cpu = timestamp->cpu;
        to = put(to, CORE_CONTROL_CPU, &baseline->cpu, sizeof(baseline->cpu));
    }
    bytes = (size_t)(to - controls);
    memmove(record + bytes, record, (size_t)(*end - record));
    memcpy(record, controls, bytes);
    *end += bytes;
    return record + bytes;
}

uint32_t engine_record_put_stack(struct engine_thread *thread, uint8_t *record, uint8_t **end,
                                 const void *caller)
{
    uint64_t addresses[CORE_STACK_FRAMES_MAX];
    uint32_t kind = CORE_CONTROL_STACK;
    uint32_t count = 0;
    uint32_t bytes;

    if (!thread->is_other)
        count = os_stack_walk(&thread->stack, caller, addresses, CORE_STACK_FRAMES_MAX);
    if (!count)
        return 0;
    bytes = CORE_CONTROL_STACK_HEAD + count * (uint32_t)sizeof(*addresses);
    memmove(record + bytes, record, (size_t)(*end - record));
    core_record_put_head(record, CORE_RECORD_CONTROL, bytes, 0);
    memcpy(record + CORE_RECORD_HEAD_BYTES, &kind, sizeof(kind));
    memcpy(record + CORE_CONTROL_STACK_HEAD, addresses, count * sizeof(*addresses));
    *end += bytes;
    return bytes;
}

/* A thread that writes to one chunk for a long time does not use the general path. It checks for
 * dead recorders here, when the lower half of the counter wraps around. */
static int commit_late(struct engine_thread *thread, uint8_t *end, uint32_t id, uint64_t ticks,
                       uint32_t stack_bytes)
{
    struct engine_thread_recent *recent = &thread->recent;
    const struct engine_timestamp timestamp = {
        .counter = ticks, .unit = ENGINE_UNIT_TICKS, .cpu = os_cpu_now(thread->cpu)};
    bool has_rules = recent->of->has_rules;
    uint8_t *record = recent->writer.next;

    if (!engine_clock_is_kept(thread->clock))
        engine_watch_heartbeats(os_clock_ns());
    if (has_rules)
        recent->baseline.cpu = recent->cpu;
    record = engine_record_put_controls(&recent->baseline, record, &end, &timestamp);
    if (has_rules) {
        recent->cpu = recent->baseline.cpu;
        recent->baseline.cpu = ENGINE_CPU_OTHER;
    }
    engine_record_end_short(&recent->writer, record + stack_bytes, end, id,
                            (uint32_t)(ticks - recent->baseline.base));
    core_interrupt_barrier();
    thread->depth = 0;
    return 0;
}

int engine_emit_commit_late(struct engine_thread *thread, uint8_t *end, uint32_t id, uint64_t ticks)
{
    return commit_late(thread, end, id, ticks, 0);
}

/* In a session that has rules, an event that is wanted: mostly without a control record, too. */
static int commit_wanted(struct engine_thread *thread, uint8_t *end, uint32_t id,
                         uint32_t stack_bytes)
{
    struct engine_thread_recent *recent = &thread->recent;
    uint64_t ticks = os_ticks();
    uint64_t time = ticks - recent->baseline.base;

    if (cairn_unlikely(time >> 32 || recent->baseline.unit != ENGINE_UNIT_TICKS ||
                       os_cpu_now(thread->cpu) != recent->cpu))
        return commit_late(thread, end, id, ticks, stack_bytes);
    engine_record_end_short(&recent->writer, recent->writer.next + stack_bytes, end, id,
                            (uint32_t)time);
    core_interrupt_barrier();
    thread->depth = 0;
    return 0;
}

int engine_emit_commit_other(struct engine_thread *thread, uint8_t *end, uint32_t id,
                             const void *caller)
{
    struct engine_thread_recent *recent = &thread->recent;
    uint32_t stack_bytes;

    if (id == ENGINE_ID_NONE) {
        engine_emit_abandon(thread);
        return ENOMEM;
    }
    if (!recent->of->has_rules)
        return engine_emit_commit_late(thread, end, id, os_ticks());
    switch (engine_filter_wants_next(thread, id, end)) {
    case ENGINE_WANTED_STACK:
        stack_bytes = engine_record_put_stack(thread, recent->writer.next, &end, caller);
        return commit_wanted(thread, end, id, stack_bytes);
    case ENGINE_WANTED:
        return commit_wanted(thread, end, id, 0);
    case ENGINE_WANTED_NOT:
        break;
    }
    engine_filter_count(thread, &recent->writer);
    engine_emit_abandon(thread);
    return 0;
}
