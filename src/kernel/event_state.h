/* SPDX-License-Identifier: MIT */
/*
 * An event's state: what happens when it is hit. A state is immutable, except that functions of
 * callbacks become NULL; it is replaced as a whole, by compare-and-swap, from any context. A CPU
 * that replaces it is in a section, so the memory of the old state cannot be reused for a new one
 * (no ABA).
 */
#ifndef KERNEL_EVENT_STATE_H
#define KERNEL_EVENT_STATE_H

#include <cairn/filter.h>
#include <cairn/typed_tracepoint.h>

#include "core/errno.h"

/* The first member of memory that is released after a grace period. */
struct cairn_i_garbage {
    struct cairn_i_garbage *next;
};

struct cairn_trace_state {
    struct cairn_i_garbage garbage;
    uint32_t todo; /* enum cairn_trace_do */
    bool record;
    bool direct; /* recorded into the rings, and nothing else */
    uint16_t counts[CAIRN_TRACE_CALLBACK_KINDS];
    uint32_t filter_bytes;                    /* with `filter` */
    uint32_t shown_length;                    /* with `shown` */
    const struct cairn_filter *filter;        /* NULL: all records pass */
    const char *shown;                        /* contents of the `filter` file after an error */
    struct cairn_trace_callback *callbacks[]; /* by kind, then by priority, then by age */
};

/* The state of all events that are recorded and nothing else: enabling one takes no memory. */
extern const struct cairn_trace_state kernel_state_only_record
    __attribute__((visibility("hidden")));

_Static_assert(offsetof(struct cairn_trace_callback, next) == 0, "callbacks are garbage too");

/* A new filter, or the text of an error; neither removes the filter. */
struct kernel_filter_change {
    const struct cairn_filter *filter;
    const char *shown;
    uint32_t shown_length;
};

/* Changes of a state; NULL: unchanged. */
struct kernel_change {
    const bool *record;
    const struct kernel_filter_change *filter;
    struct cairn_trace_callback *callback; /* to be added to those of `kind` */
    enum cairn_trace_callback_kind kind;
};

/*
 * Replaces an event's state by one with the changes, and without the callbacks that were removed.
 * Returns 0; ENOMEM; EEXIST and ENOSPC of a callback.
 */
int kernel_state_change(struct cairn_trace_event *event, const struct kernel_change *change);

/* Removes the state, with all callbacks. */
void kernel_state_drop(struct cairn_trace_event *event);

/* Index of the first callback of a kind. */
static inline struct cairn_trace_callback *const *
kernel_state_callbacks(const struct cairn_trace_state *state, enum cairn_trace_callback_kind kind)
{
    uint32_t at = 0;

    for (uint32_t k = 0; k < (uint32_t)kind; k++)
        at += state->counts[k];
    return state->callbacks + at;
}

/*
 * The callback of a kind with that function and data, or NULL. In a section.
 */
struct cairn_trace_callback *kernel_state_find(const struct cairn_trace_state *state,
                                               enum cairn_trace_callback_kind kind,
                                               void (*function)(void), const void *data);

/* Calls an event's record callbacks with a complete record. In a section. event_write_slow.c / */
void kernel_state_call_record(const struct cairn_trace_write *write);

/* ---- deferred.c: work after a change ---- */

/* Returns NULL if there is no memory, or the host has no `allocate`. */
void *kernel_trace_allocate(const struct cairn_trace *trace, size_t size_bytes);

/* Releases memory after a grace period: it is not reachable any more, but may still be in use. */
void kernel_trace_retire(struct cairn_trace *trace, struct cairn_i_garbage *garbage);

/*
 * Releases memory that was never reachable: at once, or after a grace period if the caller cannot
 * wait.
 */
void kernel_trace_discard(struct cairn_trace *trace, void *memory);

/* Leaves the event's key to kernel_trace_apply. */
void kernel_trace_defer(struct cairn_trace_event *event);

/*
 * Changes the state, and leaves the event's key to kernel_trace_apply. Returns as
 * kernel_state_change.
 */
int kernel_trace_change(struct cairn_trace_event *event, const struct kernel_change *change);

/*
 * To be called, outside sections, after one change or many: switches static keys and releases
 * memory, now or, if the caller cannot wait, later. One round of patching and one grace period at
 * most. Returns 0, or the first error of a key: what the host's write_text returned.
 */
int kernel_trace_apply(struct cairn_trace *trace);

/* The same after the change of one event. Returns 0, or the error of that event's key. */
int kernel_trace_apply_one(struct cairn_trace_event *event);

/* Switches the static keys that were left for later. The caller may wait. Returns the first error.
 */
int kernel_trace_switch_deferred(struct cairn_trace *trace);

/* Waits until no CPU is switching the event's static key. The caller may wait. */
void kernel_trace_wait_for_switches(const struct cairn_trace_event *event);

/* Waits for a grace period, and releases what was retired before it. The caller may wait. */
void kernel_trace_wait_and_collect(struct cairn_trace *trace);

#endif
