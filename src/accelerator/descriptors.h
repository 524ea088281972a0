/* SPDX-License-Identifier: MIT */
/*
 * The descriptors whose events are written here: a table by number. Any thread; what is looked up
 * can be looked up in any signal handler.
 */
#ifndef ACCELERATOR_DESCRIPTORS_H
#define ACCELERATOR_DESCRIPTORS_H

#include "core/atomic.h"
#include "tracefs/data.h"

#include <stdbool.h>

#define ACCELERATOR_FD_MAX 65536u

extern struct tracefs_data *accelerator_descriptors[ACCELERATOR_FD_MAX];

/* The events of a descriptor by their write index, or NULL. */
static inline struct tracefs_data *accelerator_data_of(int fd)
{
    if ((unsigned int)fd >= ACCELERATOR_FD_MAX)
        return NULL;
    /* Pairs with the release in accelerator_descriptors_know: its memory is initialized. */
    return core_load_acquire(&accelerator_descriptors[fd]);
}

/* From now on the descriptor is known; its events are used by any thread until it is forgotten, and
 * a moment longer: their memory must stay. */
void accelerator_descriptors_know(int fd, struct tracefs_data *data);

/* From now on the descriptors of a range are unknown. Before they are closed. */
void accelerator_descriptors_forget(unsigned int first, unsigned int last);

/* From now on no descriptor is known in this process. */
void accelerator_stop(void);

/* True if system calls pass a filter. At the start it is that of a container or a service, which
 * permits what a program needs to start. */
bool accelerator_is_filtered(void);

/* A filter of system calls may forbid any of them from now on. Each library defines it. */
void accelerator_enter_sandbox(void);

#endif
