/* SPDX-License-Identifier: MIT */
/*
 * An event's state: what happens when it is hit. It is never changed but for functions of callbacks
 * that become NULL; it is replaced whole, by compare-and-swap, from any context. Whoever replaces
 * it is in a section meanwhile, so the old one's memory cannot come back as a new one's.
 */
#ifndef KERNEL_EVENT_STATE_H
#define KERNEL_EVENT_STATE_H

#include <cairn/filter.h>
#include <cairn/typed_tracepoint.h>

#include "core/errno.h"

/* Memory that is released after a grace period: the first member of what is in it. */
struct cairn_i_garbage {
    struct cairn_i_garbage *next;
};

struct cairn_trace_state {
    struct cairn_i_garbage garbage;
    uint32_t todo; /* enum cairn_trace_do */
    bool record;
    bool direct; /* recorded into the rings, and nothing else */
    uint16_t counts[CAIRN_TRACE_CALLBACK_KINDS];
    uint32_t filter_bytes;             /* with `filter` */
    uint32_t shown_length;             /* with `shown` */
    const struct cairn_filter *filter; /* NULL: all are taken */
    const char *shown;                 /* what the `filter` file shows of one that was refused */
    struct cairn_trace_callback *callbacks[]; /* by kind, then by priority, then by age */
};

/* The state of all events that are recorded and nothing else: enabling one takes no memory. */
extern const struct cairn_trace_state cairn_i_state_only_record
    __attribute__((visibility("hidden")));

_Static_assert(offsetof(struct cairn_trace_callback, next) == 0, "callbacks are garbage too");

/* A filter as it is set: none of both takes it away. */
struct cairn_i_filter_change {
    const struct cairn_filter *filter;
    const char *shown;
    uint32_t shown_length;
};

/* What is to be changed; what is NULL stays. */
struct cairn_i_change {
    const bool *record;
    const struct cairn_i_filter_change *filter;
    struct cairn_trace_callback *callback; /* to be added, as of `kind` */
    enum cairn_trace_callback_kind kind;
};

/*
 * Replaces an event's state by one with the changes, and without the callbacks that were taken
 * away. Returns 0; ENOMEM; EEXIST and ENOSPC of a callback.
 */
int cairn_i_state_change(struct cairn_trace_event *event, const struct cairn_i_change *change);

/* Takes the state away, callbacks and all. */
void cairn_i_state_drop(struct cairn_trace_event *event);

/* Where a kind's callbacks begin. */
static inline struct cairn_trace_callback *const *
cairn_i_state_callbacks(const struct cairn_trace_state *state, enum cairn_trace_callback_kind kind)
{
    uint32_t at = 0;

    for (uint32_t k = 0; k < (uint32_t)kind; k++)
        at += state->counts[k];
    return state->callbacks + at;
}

/*
 * The callback of a kind with that function and data, or NULL. In a section.
 */
struct cairn_trace_callback *cairn_i_state_find(const struct cairn_trace_state *state,
                                                enum cairn_trace_callback_kind kind,
                                                void (*function)(void), const void *data);

/* Calls an event's callbacks that get the record, which is whole. In a section. trace_write_slow.c
 */
void cairn_i_state_call_record(const struct cairn_trace_write *write);

/* ---- trace_due.c: what follows a change ---- */

/* NULL: the host has none, or never gives any. */
void *cairn_i_trace_allocate(const struct cairn_trace *trace, size_t size_bytes);

/* Memory that nobody is given any more, but somebody may still look at. */
void cairn_i_trace_retire(struct cairn_trace *trace, struct cairn_i_garbage *garbage);

/* Memory that nobody else has seen: released at once, or retired where the caller cannot wait. */
void cairn_i_trace_discard(struct cairn_trace *trace, void *memory);

/* Leaves the event's key for cairn_i_trace_follow. */
void cairn_i_trace_put_off(struct cairn_trace_event *event);

/* Changes the state, and leaves the event's key for cairn_i_trace_follow. Returns as
 * cairn_i_state_change. */
int cairn_i_trace_change(struct cairn_trace_event *event, const struct cairn_i_change *change);

/*
 * To be called, outside sections, after one change or many: static keys follow and memory is
 * released, now or, where the caller cannot wait, later. One round of patching and one grace period
 * at most. Returns 0, or the first error of a key: what the host's write_text returned.
 */
int cairn_i_trace_follow(struct cairn_trace *trace);

/* The same after the change of one event. Returns 0, or the error of that event's key. */
int cairn_i_trace_follow_one(struct cairn_trace_event *event);

/* Switches the static keys that were left for later. The caller may wait. Returns the first error.
 */
int cairn_i_trace_settle_due(struct cairn_trace *trace);

/* Waits until nobody switches the event's static key, though it may have been left to them. The
 * caller may wait. */
void cairn_i_trace_wait_for_settlers(const struct cairn_trace_event *event);

/* Waits for a grace period, and releases what was retired before it. The caller may wait. */
void cairn_i_trace_wait_and_collect(struct cairn_trace *trace);

#endif
