/* SPDX-License-Identifier: MIT */
/*
 * user_events_data: the events that were registered through an opening, by their write index;
 * registering by ioctl in each of its layouts (data_ioctl.c); and events from bytes that were
 * written. The functions return 0 or the kernel's errno code for the same mistake.
 */
#ifndef TRACEFS_DATA_H
#define TRACEFS_DATA_H

#include "core/atomic.h"
#include "engine/abi.h"
#include "tracefs/program.h"
#include "tracefs/reference.h"

/* An opening. All under the engine's lock, but for tracefs_data_reference. */
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

/* The program that calls, and the opening. */
struct tracefs_data_caller {
    const struct tracefs_program *program;
    struct tracefs_data *data;
};

/* Under the engine's lock. Returns ENOTTY also for a request that is not of this file. */
int tracefs_data_ioctl(const struct tracefs_data_caller *caller, unsigned long request,
                       uint64_t argument);

/* The largest write: an index and a payload. */
#define TRACEFS_DATA_MAX_BYTES (sizeof(int32_t) + CAIRN_PAYLOAD_MAX_BYTES)

/* The write index that bytes begin with; `size_bytes` of what was written are readable. Returns 0;
 * EFAULT; EINVAL. This function and the next: without the lock; any thread, any signal handler. */
int tracefs_data_index(const uint8_t *bytes, size_t size_bytes, uint32_t *ret_index);

/*
 * Writes an event. `bytes` are the first `gathered` of size_bytes, at most TRACEFS_DATA_MAX_BYTES:
 * fewer if the rest was not readable. `reference` is that of the index, or NULL. An event that is
 * lost because there is no space is counted, and this returns 0, as the kernel does.
 */
int tracefs_data_write_event(const struct tracefs_reference *reference, const uint8_t *bytes,
                             size_t gathered, size_t size_bytes);

#endif
