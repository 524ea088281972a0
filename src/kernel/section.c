/* SPDX-License-Identifier: MIT */
/* Read-side sections and grace periods. */
#include "kernel/section.h"

#include "core/atomic.h"

void kernel_section_enter(const struct cairn_trace *trace, struct kernel_section *section)
{
    section->trace = trace;
    section->cpu = NULL;
    section->level = 0;
    trace->host->enter(&section->context);
    if (trace->buffer) {
        section->cpu = &trace->buffer->cpus[section->context.cpu];
        section->level = cairn_trace_cpu_enter(section->cpu);
    }
    if (trace->fence)
        core_fence_seq_cst(); /* as in cairn_trace_write_enter */
}

void kernel_section_leave(struct kernel_section *section)
{
    if (section->cpu)
        cairn_trace_cpu_leave(section->cpu, section->level);
    if (section->trace->host->leave)
        section->trace->host->leave();
}

bool kernel_trace_can_wait(const struct cairn_trace *trace)
{
    struct kernel_section section;

    if (!trace->buffer && trace->host->entered && trace->host->entered())
        return false;
    kernel_section_enter(trace, &section);
    kernel_section_leave(&section);
    return section.level == 0 && kernel_context_can_wait(&section.context);
}

uint64_t kernel_trace_now_ns(const struct cairn_trace *trace)
{
    struct kernel_section section;

    kernel_section_enter(trace, &section);
    kernel_section_leave(&section);
    return section.context.time_ns;
}

/* Waits until the CPU is in no section, or in a later one. */
static void wait_for_cpu(const struct cairn_host *host, const struct cairn_trace_cpu *cpu)
{
    uint64_t sections = core_load_acquire(&cpu->sections);

    /* Pair with the releases in cairn_trace_cpu_leave: the section's loads are complete. */
    while (core_load_acquire(&cpu->nest) && core_load_acquire(&cpu->sections) == sections) {
        if (host->relax)
            host->relax();
    }
}

void kernel_trace_wait(const struct cairn_trace *trace)
{
    const struct cairn_host *host = trace->host;

    if (host->synchronize) {
        host->synchronize();
        return;
    }
    /*
     * A CPU enters by a plain store to its nest counter, and loads the event's state then. After
     * the barrier on all CPUs, either it loads the current state, or its store is seen here.
     * Without a host function for that, each CPU executes its own barrier (trace->fence).
     */
    core_fence_seq_cst();
    if (host->keys.sync_cores)
        host->keys.sync_cores();
    for (uint32_t i = 0; i < trace->buffer->cpu_count; i++)
        wait_for_cpu(host, &trace->buffer->cpus[i]);
}
