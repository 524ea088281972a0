/* SPDX-License-Identifier: MIT */
/*
 * References to the events that were registered through an opening of user_events_data, by their
 * write index. All under the engine's lock, but for tracefs_data_reference.
 */
#ifndef TRACEFS_DATA_REFERENCES_H
#define TRACEFS_DATA_REFERENCES_H

#include "core/atomic.h"
#include "engine/abi.h"
#include "tracefs/reference.h"

struct tracefs_data {
    uint32_t count;
    struct tracefs_reference
        *references[ENGINE_EVENT_MAX];   /* by write index; NULL: it is not in use */
    uint32_t by_event[ENGINE_EVENT_MAX]; /* a candidate for the write index of each event */
};

/* Stores a reference, which may be NULL, at a write index that is not in use. */
void tracefs_data_set(struct tracefs_data *data, struct tracefs_reference *reference,
                      uint32_t index);

/* Finds or assigns the write index of a reference. The reference then belongs to the opening, or is
 * released if the opening has the event. `as_event`: a new index is the event's number in the
 * registry, if no other event has that. Returns 0; EMFILE no more indexes. */
int tracefs_data_add(struct tracefs_data *data, struct tracefs_reference *reference, bool as_event,
                     uint32_t *ret_index);

/* Releases all references. */
void tracefs_data_release(struct tracefs_data *data);

/* The reference at a write index, or NULL. Any thread, any signal handler. */
static inline struct tracefs_reference *tracefs_data_reference(struct tracefs_data *data,
                                                               uint32_t index)
{
    /* Both pair with the releases in tracefs_data_add, tracefs_data_set and
     * tracefs_data_release. */
    if (index < core_load_acquire(&data->count))
        return core_load_acquire(&data->references[index]);
    return NULL;
}

#endif
