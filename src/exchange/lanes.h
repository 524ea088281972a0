/* SPDX-License-Identifier: MIT */
/*
 * Slices of spans that nest, for formats that draw a thread as a stack of slices.
 *
 * A span whose parent is the last open slice of the same thread is in the parent's lane. Another is
 * in the thread's own lane if that has no open slice, otherwise in an additional lane. One that
 * began before its event is in a lane in which no slice began or ended since. If a span
 * ends before one in it, the inner one has two slices.
 */
#ifndef EXCHANGE_LANES_H
#define EXCHANGE_LANES_H

#include "exchange/format.h"
#include "exchange/threads.h"
#include "timeline/spans.h"

struct exchange_slice {
    struct exchange_slice *below;
    struct exchange_lane *lane;
    uint64_t name;     /* as the format passed it */
    uint64_t flow;     /* number of the span, not 0 */
    uint64_t start_ns; /* of the span */
};

struct exchange_lane {
    uint64_t number; /* 0: the thread's own; otherwise unique */
    struct exchange_slice *top;
    struct exchange_thread *thread;
    uint64_t changed_ns; /* when its last slice began or ended */
    bool is_described;   /* for the format */
    struct exchange_lane *next;
    struct exchange_lane *next_idle;
};

/* The data of a thread. */
struct exchange_lane_thread {
    struct exchange_lane own;
    struct exchange_lane *idle; /* without a slice, except the thread's own */
};

enum exchange_lane_event_kind {
    EXCHANGE_INSTANT,
    EXCHANGE_BEGIN,
    EXCHANGE_END,
};

/* An event as the lanes show it. */
struct exchange_lane_event {
    enum exchange_lane_event_kind kind;
    struct exchange_thread *thread; /* of the event; NULL: unknown */
    struct exchange_lane *lane;     /* of a slice; otherwise NULL */
    uint64_t flow;                  /* of the span that begins; otherwise 0 */
    uint64_t
        ns; /* when it is shown: a span that was open when its recorder began, before its event */
    const struct exchange_slice *cause; /* of another thread: the parent, or the event's span */
};

/* Writes the beginning or the end of a part of a slice, at the event's time. */
typedef void exchange_part_fn(void *context, const struct exchange_slice *slice, bool begins);

struct exchange_lanes {
    struct cairn_exporter *exporter;
    struct exchange_threads threads;
    struct timeline_spans *spans;
    struct exchange_lane *all; /* but the threads' own */
    uint64_t count;
    struct exchange_slice *rest; /* slices that have a second part, the lowest first */
    exchange_part_fn *part;
    void *context;
    int error;
};

/* Returns 0, ENOMEM. Close it also after a failure. */
int exchange_lanes_open(struct exchange_lanes *lanes, struct cairn_exporter *exporter,
                        exchange_part_fn *part, void *context);

/* Accepts zeros. */
void exchange_lanes_close(struct exchange_lanes *lanes);

/*
 * Finds how the next event is shown. Slices that cannot stay in their lane end before.
 *
 * name  stored in the slice that the event begins
 *
 * Returns 0, ENOMEM.
 */
int exchange_lanes_add(struct exchange_lanes *lanes, const struct cairn_event *event, uint64_t name,
                       struct exchange_lane_event *ret_shown);

/* After the event was written: begins the second parts of slices. Returns 0, ENOMEM. */
int exchange_lanes_resume(struct exchange_lanes *lanes);

/* Counts the spans that did not end. */
void exchange_lanes_finish(struct exchange_lanes *lanes);

#endif
