/* SPDX-License-Identifier: MIT */
#ifndef TRACING_SUBSCRIBER_H
#define TRACING_SUBSCRIBER_H

#include "tracing/thread.h"

struct cairn_subscriber {
    uint32_t layers; /* slots */
    uint32_t uses;   /* as the global one, and by threads */
    /* Call sites have been asked for its layers. It stays so when the last use ends, until sites
     * are asked again for another reason: a thread that enters it for each request would have all
     * sites asked each time. Changed under the registry's lock. */
    bool is_active;
};

extern struct cairn_subscriber *cairn_i_global_subscriber __attribute__((visibility("hidden")));

/* The slots of the layers that a thread's events and spans go to. In a readers' section. */
static inline uint32_t cairn_subscriber_layers(const struct cairn_tracing_thread *thread)
{
    const struct cairn_subscriber *subscriber =
        thread->scope_count ? thread->scopes[thread->scope_count - 1].subscriber
                            : __atomic_load_n(&cairn_i_global_subscriber, __ATOMIC_ACQUIRE);

    return subscriber ? __atomic_load_n(&subscriber->layers, __ATOMIC_ACQUIRE) : 0;
}

/* Makes it the subscriber of all threads that have none of their own. Under the lock; afterwards
 * the caller waits for readers. */
void cairn_subscriber_replace_global(struct cairn_subscriber *subscriber);

/* Ends the scopes that a thread is in, when it ends: what it entered them with may be gone. */
void cairn_subscriber_leave_all(struct cairn_tracing_thread *thread);

#endif
