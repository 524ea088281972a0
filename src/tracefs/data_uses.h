/* SPDX-License-Identifier: MIT */
/*
 * The events that were registered through an opening of user_events_data, by their write index. All
 * under the engine's lock, but for cairn_data_use.
 */
#ifndef TRACEFS_DATA_USES_H
#define TRACEFS_DATA_USES_H

#include "core/atomic.h"
#include "engine/abi.h"
#include "tracefs/use.h"

struct cairn_data {
    uint32_t count;
    struct cairn_use *uses[CAIRN_EVENT_MAX]; /* by write index; NULL: registering it failed */
    uint32_t by_event[CAIRN_EVENT_MAX];      /* a candidate for the write index of each event */
};

/* Adds a use, which may be NULL, at the next write index; there is space for it. */
void cairn_data_put(struct cairn_data *data, struct cairn_use *use);

/* Finds the write index of the event that a use is of. */
bool cairn_data_find_index(const struct cairn_data *data, const struct cairn_use *use,
                           uint32_t *ret_index);

/* Finds or assigns the write index of a use. The use then belongs to the opening, or is released if
 * the opening has the event. Returns 0; EMFILE no more indexes. */
int cairn_data_add(struct cairn_data *data, struct cairn_use *use, uint32_t *ret_index);

/* Releases all uses. */
void cairn_data_release(struct cairn_data *data);

/* The use of a write index, or NULL. Any thread, any signal handler. */
static inline struct cairn_use *cairn_data_use(struct cairn_data *data, uint32_t index)
{
    /* Pairs with the releases in cairn_data_put and cairn_data_release. */
    if (index < cairn_load_acquire(&data->count))
        return data->uses[index];
    return NULL;
}

#endif
