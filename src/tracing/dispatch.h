/* SPDX-License-Identifier: MIT */
/* From the thread that traces to the layers that want it. */
#ifndef TRACING_DISPATCH_H
#define TRACING_DISPATCH_H

#include "tracing/registry.h"
#include "tracing/thread.h"

/*
 * Begins to hand something to layers, in a readers' section: false when this thread is already
 * doing so. Ends with cairn_dispatch_end.
 */
bool cairn_dispatch_begin(struct cairn_tracing_thread *thread);
void cairn_dispatch_end(struct cairn_tracing_thread *thread);

/* The slots of the layers that take what a site makes, in `span` or in none. */
uint32_t cairn_dispatch_layers(const struct cairn_tracing_thread *thread,
                               const struct cairn_callsite *site, struct cairn_span *span);

static inline const struct cairn_installed_layer *cairn_dispatch_slot(uint32_t slot)
{
    return __atomic_load_n(&cairn_i_layer_slots[slot], __ATOMIC_ACQUIRE);
}

/* One thing more that was left out (cairn_tracing_lost). */
void cairn_dispatch_count_lost(void);

/* The layer of the lowest slot in `mask` that has taken the span, and its bit taken out of the
 * mask; NULL: none is left. */
struct cairn_layer *cairn_dispatch_next(uint32_t *mask, const struct cairn_span *span);

#endif
