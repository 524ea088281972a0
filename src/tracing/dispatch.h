/* SPDX-License-Identifier: MIT */
/* Passes events and spans from the thread that emits to the layers that want them. */
#ifndef TRACING_DISPATCH_H
#define TRACING_DISPATCH_H

#include "core/atomic.h"
#include "tracing/registry.h"
#include "tracing/thread.h"

/* Begins to call layers, in a read-side section. False: this thread is already calling them. Ends
 * with cairn_dispatch_end. */
bool cairn_dispatch_begin(struct cairn_tracing_thread *thread);
void cairn_dispatch_end(struct cairn_tracing_thread *thread);

/* The slots of the layers that want the events of a site, in `span` or (NULL) in none. */
uint32_t cairn_dispatch_layers(const struct cairn_tracing_thread *thread,
                               const struct cairn_callsite *site, struct cairn_span *span);

static inline const struct cairn_installed_layer *cairn_dispatch_slot(uint32_t slot)
{
    return cairn_load_acquire(&cairn_i_layer_slots[slot]);
}

/* Counts one more event or span that was lost (cairn_tracing_lost). */
void cairn_dispatch_count_lost(void);

/* Removes the lowest slot from `mask` whose layer has taken the span, and returns the layer; NULL:
 * no slot is left. */
struct cairn_layer *cairn_dispatch_next(uint32_t *mask, const struct cairn_span *span);

#endif
