/* SPDX-License-Identifier: MIT */
/*
 * What was registered through an opening of user_events_data: uses of events by their write index.
 *
 * It stands in the opening's memory file, in the order of write indexes: whoever inherits the
 * descriptor, by fork or through exec, finds it there.
 */
#ifndef PRELOAD_DATA_USES_H
#define PRELOAD_DATA_USES_H

#include "engine/abi.h"
#include "preload/use.h"

struct cairn_data {
    uint32_t count;
    struct cairn_use *uses[CAIRN_EVENT_MAX]; /* by write index; NULL: it could not be had */
    uint32_t
        by_event[CAIRN_EVENT_MAX]; /* a write index, where it may be, of the event of a number */
};

/* ---- under the engine's lock ---- */

/* Makes the state of an opening, or makes the one that is there fit for another. Returns 0; ENOMEM.
 */
int cairn_data_take(struct cairn_data **data, int fd);
void cairn_data_release(struct cairn_data *data);

/* The write index of a use, which is the opening's afterwards, or given back. `flags` are those it
 * was taken with. Returns 0; EMFILE no more indexes; ENOMEM; or why the file cannot be written. */
int cairn_data_add(struct cairn_data *data, int fd, struct cairn_use *use, uint32_t flags,
                   uint32_t *ret_index);

/* ---- without it ---- */

/* The slow half of cairn_data_use. */
struct cairn_use *cairn_data_find_use(struct cairn_data *data, int fd, uint32_t index);

/* The use of a write index, or NULL. Any thread, any signal handler. */
static inline struct cairn_use *cairn_data_use(struct cairn_data *data, int fd, uint32_t index)
{
    /* Pairs with the releases where it grows. */
    if (index < __atomic_load_n(&data->count, __ATOMIC_ACQUIRE))
        return data->uses[index];
    return cairn_data_find_use(data, fd, index);
}

#endif
