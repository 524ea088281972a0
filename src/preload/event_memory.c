/* SPDX-License-Identifier: MIT */
/* Memory for the events that are too large for a stack: some places for the whole process. Pages
 * that no event has used cost nothing. */
#include "preload/event_memory.h"
#include "tracefs/data.h"

#include "core/atomic.h"

#include <pthread.h>
#include <stddef.h>

#define PLACES 8 /* threads that write a large event at the same moment */

static struct {
    pthread_t owner; /* 0: nobody */
    uint8_t bytes[TRACEFS_DATA_MAX_BYTES + 64];
} places[PLACES];

uint8_t *preload_event_memory_take(void)
{
    pthread_t self = pthread_self();

    for (size_t i = 0; i < PLACES; i++) {
        pthread_t nobody = 0;

        /* pairs with the release of preload_event_memory_give: the last event's reads come before
         */
        if (core_compare_exchange_acquire(&places[i].owner, &nobody, self))
            return places[i].bytes;
    }
    return NULL;
}

void preload_event_memory_give(const uint8_t *memory)
{
    for (size_t i = 0; i < PLACES; i++)
        if (memory == places[i].bytes)
            core_store_release(&places[i].owner, 0);
}

/* Our own thread's stay: fork may have been called by a signal handler amid a write. */
void preload_event_memory_check_process(void)
{
    pthread_t self = pthread_self();

    for (size_t i = 0; i < PLACES; i++)
        if (core_load_relaxed(&places[i].owner) != self)
            core_store_relaxed(&places[i].owner, 0);
}
