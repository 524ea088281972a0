/* SPDX-License-Identifier: MIT */
/*
 * Read-side sections, from the host's `enter` to its `leave`. Memory that was replaced stays valid
 * until all sections that may use it have ended: a grace period.
 */
#ifndef KERNEL_SECTION_H
#define KERNEL_SECTION_H

#include <cairn/kernel/host.h>
#include <cairn/kernel/control.h>
#include <cairn/kernel/trace_buffer.h>

/* A section in which nothing is written. */
struct kernel_section {
    const struct cairn_trace *trace;
    struct cairn_host_context context;
    struct cairn_trace_cpu *cpu; /* NULL: no rings */
    uint32_t level;
};

void kernel_section_enter(const struct cairn_trace *trace, struct kernel_section *section);
void kernel_section_leave(struct kernel_section *section);

/*
 * True if a caller with this context may wait for other CPUs: a task that has interrupts, softirqs
 * and preemption on. (A task that cannot migrate may wait.)
 */
static inline bool kernel_context_can_wait(const struct cairn_host_context *context)
{
    const uint8_t busy = CAIRN_TRACE_FLAG_IRQS_OFF | CAIRN_TRACE_FLAG_HARDIRQ |
                         CAIRN_TRACE_FLAG_SOFTIRQ | CAIRN_TRACE_FLAG_NMI | CAIRN_TRACE_FLAG_BH_OFF;
    const uint8_t preempt_depth = 0x0f;

    return !(context->flags & busy) && !(context->preempt_count & preempt_depth);
}

/* True if the caller may wait: it is in no section, and its context allows it. */
bool kernel_trace_can_wait(const struct cairn_trace *trace);

/* Returns the host's time. Any context. */
uint64_t kernel_trace_now_ns(const struct cairn_trace *trace);

/* Returns when all sections that existed at the time of the call have ended. */
void kernel_trace_wait(const struct cairn_trace *trace);

#endif
