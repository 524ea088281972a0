/* SPDX-License-Identifier: MIT */
/* All call sites and all layers in use, and which layer wants which call site. One lock protects
 * changes. Threads that emit do not take it: they read a site's two words and the layers' slots in
 * a section of user_events/grace_period.h. */
#ifndef TRACING_REGISTRY_H
#define TRACING_REGISTRY_H

#include "tracing/directives.h"
#include "tracing/subscriber.h"

#include <cairn/tracing/layer.h>

/* A layer with its filter. Never changed: a new filter makes a new object. */
struct tracing_installed_layer {
    struct cairn_layer *layer;
    struct cairn_directives *directives; /* NULL: all */
    struct cairn_subscriber *subscriber;
};

/* NULL: free. Read in a read-side section. */
extern struct tracing_installed_layer *tracing_layer_slots[CAIRN_LAYERS_MAX]
    __attribute__((visibility("hidden")));

/* Slots of the layers that are not the library's own: their callbacks may contain cancellation
 * points. */
extern uint32_t tracing_foreign_layers __attribute__((visibility("hidden")));

/* Slots of the layers with a callback for entering or leaving a span. */
extern uint32_t tracing_enter_layers __attribute__((visibility("hidden")));

void tracing_registry_lock(void);
void tracing_registry_unlock(void);

/* Matches all sites, or one, with the active layers again. Requires the lock. */
void tracing_registry_ask_all(void);
void tracing_registry_ask(struct cairn_callsite *site);

/* Calls `look` for each known site. Requires the lock. */
void tracing_registry_each(void (*look)(const struct cairn_callsite *site, void *arg), void *arg);

/* Registers a site that is not in an object's section. */
void tracing_registry_meet(struct cairn_callsite *site);

#endif
