/* SPDX-License-Identifier: MIT */
/* The descriptors that are openings of the mount's user_events_data. Any thread; what is looked up
 * can be looked up in any signal handler. */
#ifndef ACCELERATOR_OPENINGS_H
#define ACCELERATOR_OPENINGS_H

#include "core/atomic.h"
#include "engine/abi.h"
#include "tracefs/use.h"

#include <stdbool.h>
#include <stddef.h>

#define ACCELERATOR_FD_MAX 4096u

/* Its memory is used again once the descriptor is unknown, and never freed. */
struct accelerator_opening {
    struct accelerator_opening *next;           /* among all */
    int fd;                                     /* the last descriptor that it was of */
    uint32_t count;                             /* write indexes that were asked for */
    struct tracefs_use *uses[ENGINE_EVENT_MAX]; /* NULL: the mount writes it */
};

extern struct accelerator_opening *accelerator_openings[ACCELERATOR_FD_MAX];

/* The opening of a descriptor, or NULL. */
static inline struct accelerator_opening *accelerator_opening_of(int fd)
{
    if ((unsigned int)fd >= ACCELERATOR_FD_MAX)
        return NULL;
    /* Pairs with the release of accelerator_opening_learn: its memory is initialized. */
    return core_load_acquire(&accelerator_openings[fd]);
}

/* The use of a write index, or NULL. */
static inline struct tracefs_use *accelerator_use_of(struct accelerator_opening *opening,
                                                     uint32_t index)
{
    /* Pairs with the release of learning. */
    return index < core_load_acquire(&opening->count) ? core_load_relaxed(&opening->uses[index])
                                                      : NULL;
}

/* An event was registered through a descriptor: asks the mount for what is new. */
void accelerator_opening_learn(int fd);

/* From now on the descriptors of a range are unknown. Before they are closed. */
void accelerator_openings_forget(unsigned int first, unsigned int last);

/* From now on no write is accelerated in this process. */
void accelerator_stop(void);

#endif
