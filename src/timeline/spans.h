/* SPDX-License-Identifier: MIT */
/*
 * Spans: what an activity's start event and its stop event make together. EventHeader events whose
 * opcode is activity_start begin one, by their activity id; activity_stop ends it.
 */
#ifndef TIMELINE_SPANS_H
#define TIMELINE_SPANS_H

#include "timeline/time.h"

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define TIMELINE_ID_BYTES 16u

/* If more are open, a new one may replace another one. */
#define TIMELINE_SPANS_MAX 262144u /* a power of two */

struct timeline_span {
    uint8_t id[TIMELINE_ID_BYTES];
    uint8_t parent_id[TIMELINE_ID_BYTES]; /* zeros: none */
    const char *name; /* of the start: "Provider:Event", as recorded; valid until destroy */
    struct timeline_moment start;
    uint64_t stop_ns; /* the start's ns plus the duration; not set while it is open */
    uint32_t pid;     /* of the start; 0: unknown */
    uint32_t tid;
    uint32_t stop_tid;
    uint32_t depth; /* of the ancestors that were open at the start */
    uint64_t
        child_ns; /* the sum of the durations of its children that have stopped while it was open */
    uint64_t cookie; /* as the caller passed it with the start */
    bool is_late;    /* its start was recorded when it was open already, and has its age */
    uint8_t missed;  /* looks that did not find its process (timeline_spans_look_for_ended) */
};

enum timeline_change {
    TIMELINE_SPAN_UNCHANGED, /* the event neither starts nor stops a span */
    TIMELINE_SPAN_STARTED,
    TIMELINE_SPAN_STOPPED,
    TIMELINE_SPAN_STOP_ALONE, /* the start was not seen, or was forgotten */
};

struct timeline_spans_counts {
    uint64_t open;        /* now */
    uint64_t forgotten;   /* replaced while they were open, or started again */
    uint64_t stops_alone; /* stops of unknown spans */
};

/* Receives a span that is forgotten while it is open, for what belongs to its cookie. */
typedef void timeline_span_fn(void *context, const struct timeline_span *span);

struct timeline_spans;

/* Destroyed by the caller. Returns 0, ENOMEM. */
int timeline_spans_create(struct timeline_spans **ret_spans);

/* Accepts NULL. */
void timeline_spans_destroy(struct timeline_spans *spans);

/* Sets the function for spans that are forgotten, before the first event. */
void timeline_spans_set_forget(struct timeline_spans *spans, timeline_span_fn *forget,
                               void *context);

/* The start of a span that was open when its recorder began. */
struct timeline_late_start {
    uint64_t age_ns; /* since the span began */
    uint32_t tid;    /* of the thread that began it */
};

/* False: an event is none of these; *ret_late is undefined. */
bool timeline_late_start(const struct cairn_event *event, struct timeline_late_start *ret_late);

/*
 * Returns when the span began whose start an event is.
 *
 * now_ns   time of the event
 * ret_tid  the thread that began it
 */
uint64_t timeline_start_of(const struct cairn_event *event, uint64_t now_ns, uint32_t *ret_tid);

/* True if an event is the start of a span that is open already, and for which the facade has
 * written, or now writes, a second start because a recorder has begun. It changes nothing. */
bool timeline_spans_is_repeated(const struct timeline_spans *spans,
                                const struct cairn_event *event);

/*
 * Passes the next event, in the order of time.
 *
 * cookie      stored in the span that the event starts
 * ret_change  what the event did
 * ret_span    the span that started or stopped, valid until the next call; otherwise NULL
 *
 * Returns 0, ENOMEM.
 */
int timeline_spans_event(struct timeline_spans *spans, const struct cairn_event *event,
                         uint64_t cookie, enum timeline_change *ret_change,
                         const struct timeline_span **ret_span);

/* Finds an open span: the one that an event belongs to, by its activity id. NULL: it is not open.
 */
const struct timeline_span *timeline_spans_find(const struct timeline_spans *spans,
                                                const uint8_t id[TIMELINE_ID_BYTES]);

/* Goes through the open spans, in no order. *cursor begins with 0. Returns NULL after the last. */
const struct timeline_span *timeline_spans_open(const struct timeline_spans *spans, size_t *cursor);

/* Asks of each open span whether its process is still there. One whose process was missing three
 * times is forgotten: events of a process may follow for some time after its end. */
void timeline_spans_look_for_ended(struct timeline_spans *spans,
                                   bool (*has_process)(void *context, uint32_t pid), void *context);

/* Returns the counts so far; the next call updates them. */
const struct timeline_spans_counts *timeline_spans_counts(struct timeline_spans *spans);

#endif
