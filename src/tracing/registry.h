/* SPDX-License-Identifier: MIT */
/*
 * All call sites and all layers in use, and which wants which. One lock, for changes only; who
 * traces reads a site's two words and the layers' slots, in a section of
 * user_events/grace_period.h.
 */
#ifndef TRACING_REGISTRY_H
#define TRACING_REGISTRY_H

#include "tracing/directives.h"
#include "tracing/subscriber.h"

#include <cairn/tracing/layer.h>

/* A layer with its filter. Never changed: another filter is another one of these. */
struct cairn_installed_layer {
    struct cairn_layer *layer;
    struct cairn_directives *directives; /* NULL: all */
    struct cairn_subscriber *subscriber;
};

/* NULL: free. Read in a readers' section. */
extern struct cairn_installed_layer *cairn_i_layer_slots[CAIRN_LAYERS_MAX]
    __attribute__((visibility("hidden")));

/* The slots of layers that did not come with the library: their callbacks may be cancellation
 * points. */
extern uint32_t cairn_i_foreign_layers __attribute__((visibility("hidden")));

void cairn_registry_lock(void);
void cairn_registry_unlock(void);

/* Asks the active layers about all sites, or one, again. Under the lock. */
void cairn_registry_ask_all(void);
void cairn_registry_ask(struct cairn_callsite *site);

/* Calls `look` for each known site. Under the lock. */
void cairn_registry_each(void (*look)(const struct cairn_callsite *site, void *arg), void *arg);

/* Makes a site known that is in no object's section. */
void cairn_registry_meet(struct cairn_callsite *site);

#endif
