/* SPDX-License-Identifier: MIT */
/* Sets of layers: the global one, and those that threads enter. */
#ifndef TRACING_SUBSCRIBER_H
#define TRACING_SUBSCRIBER_H

#include "core/atomic.h"
#include "tracing/thread.h"

struct tracing_installed_layer;

struct cairn_subscriber {
    uint32_t layers; /* slots */
    uint32_t uses;   /* once as the global one, and once for each scope of a thread */
    /* Its layers are asked about call sites: it was in use when sites were matched last. Under the
     * registry's lock. */
    bool is_active;
    /* Sites have been matched with its layers since. Stays set when the last use ends, until sites
     * are matched again for another reason: otherwise a thread that enters it for each request
     * would have all sites matched each time. Changes under the lock. */
    bool is_matched;
};

extern struct cairn_subscriber *tracing_global_subscriber __attribute__((visibility("hidden")));

/* The slots of the layers of a thread's subscriber. Requires a read-side section. */
static inline uint32_t tracing_subscriber_layers(const struct tracing_thread *thread)
{
    const struct cairn_subscriber *subscriber =
        thread->scope_count ? thread->scopes[thread->scope_count - 1].subscriber
                            : core_load_acquire(&tracing_global_subscriber);

    return subscriber ? core_load_acquire(&subscriber->layers) : 0;
}

/* Makes it the subscriber of all threads that have none of their own. Requires the lock; after it
 * the caller waits for a grace period. */
void tracing_subscriber_replace_global(struct cairn_subscriber *subscriber);

/* The layer of cairn_tracing_init; NULL: none. Requires the lock. */
struct cairn_layer *tracing_init_layer(void);

/*
 * Replaces the filter of the layer in a slot; call sites are matched again by the caller. Requires
 * the lock. After a grace period the caller frees what was replaced.
 *
 * Returns 0; ENOENT the slot is free; ENOMEM, and the caller still owns the directives.
 */
int tracing_subscriber_replace_filter(uint32_t slot, struct cairn_directives *directives,
                                      struct tracing_installed_layer **ret_replaced);
void tracing_subscriber_free_replaced(struct tracing_installed_layer *replaced);

/* Ends the scopes of a thread that ends: the memory of the scopes may not exist any more. */
void tracing_subscriber_leave_all(struct tracing_thread *thread);

#endif
