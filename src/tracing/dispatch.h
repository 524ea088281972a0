/* SPDX-License-Identifier: MIT */
/* Passes events and spans from the thread that emits to the layers that want them. */
#ifndef TRACING_DISPATCH_H
#define TRACING_DISPATCH_H

#include "core/atomic.h"
#include "tracing/registry.h"
#include "tracing/thread.h"

/* The parts of begin and end that are rarely needed: for layers of others, and for memory that
 * layers have used. The thread is busy, so that an event of a signal handler does not interrupt
 * them. */
void tracing_dispatch_prepare(struct tracing_thread *thread);
void tracing_dispatch_restore(struct tracing_thread *thread);

/* Begins to call layers, in a read-side section. False: this thread is already calling them. Ends
 * with tracing_dispatch_end. */
static inline bool tracing_dispatch_begin(struct tracing_thread *thread)
{
    if (cairn_unlikely(thread->is_busy))
        return false;
    thread->is_busy = true;
    core_interrupt_barrier();
    if (cairn_unlikely(core_load_relaxed(&tracing_foreign_layers) || thread->scratch))
        tracing_dispatch_prepare(thread);
    user_events_read_section_enter_fast();
    return true;
}

static inline void tracing_dispatch_end(struct tracing_thread *thread)
{
    user_events_read_section_leave_fast();
    if (cairn_unlikely(thread->is_cancel_off))
        tracing_dispatch_restore(thread);
    core_interrupt_barrier();
    thread->is_busy = false;
}

/* The slots of the layers that want the events of a site, in `span` or (NULL) in none. */
uint32_t tracing_dispatch_layers(const struct tracing_thread *thread,
                                 const struct cairn_callsite *site, struct cairn_span *span);

static inline const struct tracing_installed_layer *tracing_dispatch_slot(uint32_t slot)
{
    return core_load_acquire(&tracing_layer_slots[slot]);
}

/* Counts one more event or span that was lost (cairn_tracing_lost). */
void tracing_dispatch_count_lost(void);

/* Removes the lowest slot from `mask` whose layer has taken the span, and returns the layer; NULL:
 * no slot is left. */
struct cairn_layer *tracing_dispatch_next(uint32_t *mask, const struct cairn_span *span);

#endif
