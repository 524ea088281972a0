/* SPDX-License-Identifier: MIT */
#ifndef TRACING_SUBSCRIBER_H
#define TRACING_SUBSCRIBER_H

#include "tracing/thread.h"

struct cairn_subscriber {
    uint32_t layers; /* slots */
    uint32_t uses;   /* as the global one, and by threads. Under the registry's lock */
};

extern struct cairn_subscriber *cairn_i_global_subscriber __attribute__((visibility("hidden")));

/* The slots of the layers that a thread's events and spans go to. In a readers' section. */
static inline uint32_t cairn_subscriber_layers(const struct cairn_tracing_thread *thread)
{
    const struct cairn_subscriber *subscriber =
        thread->scope ? thread->scope->subscriber
                      : __atomic_load_n(&cairn_i_global_subscriber, __ATOMIC_ACQUIRE);

    return subscriber ? __atomic_load_n(&subscriber->layers, __ATOMIC_ACQUIRE) : 0;
}

#endif
