/* SPDX-License-Identifier: MIT */
/* The state of a report. */
#ifndef REPORT_REPORT_H
#define REPORT_REPORT_H

#include "report/kinds.h"
#include "report/pyramid.h"
#include "report/stacks.h"
#include "report/threads.h"
#include "report/values.h"
#include "timeline/spans.h"
#include "timeline/states.h"

#include <cairn/report.h>

/* Properties of a row's event. */
enum report_row_flag {
    REPORT_ROW_SPAN = 1,  /* begins or ends one: it is no instant */
    REPORT_ROW_SCHED = 2, /* of the scheduler: it is part of the states */
    REPORT_ROW_DAMAGED = 4,
    REPORT_ROW_NO_TIME = 8, /* shown at the time of the event before */
};

enum report_arrow_kind {
    REPORT_ARROW_PARENT, /* a span began another one, in another thread */
    REPORT_ARROW_WAKE,   /* a thread woke another one */
};

/* A recording. */
struct report_source {
    char *name; /* owned; NULL: unknown */
    struct cairn_reader_counts counts;
    uint64_t events;
    struct timeline_states *states; /* of its threads; NULL: it has no events of the scheduler */
    struct report_states_context *context;
};

struct report_open_spans {
    struct report_open_span *list;
    uint32_t count;
    uint32_t capacity;
    uint32_t first_free; /* number + 1 */
};

#define REPORT_SOURCES_MAX 256u /* further ones share the last */

struct cairn_report {
    struct report_output output;
    char *title;
    bool is_finished;
    bool is_wall;     /* times are since 1970 */
    uint64_t base_ns; /* that times count from; that of the first event */
    uint64_t now_ns;  /* since then: the last event's */
    uint64_t events;
    uint64_t damaged;
    uint64_t spans_count;
    uint64_t spans_open; /* at the end */

    struct report_kinds kinds;
    struct report_threads threads;
    struct report_columns rows; /* times, threads, kinds, CPUs, flags */
    struct report_blocks row_blocks;
    struct report_values values;
    struct report_pyramid pyramid;
    struct report_columns arrows; /* times, delays, tracks from, tracks to, kinds */
    struct report_blocks arrow_blocks;
    struct report_stacks stacks;
    struct timeline_spans *spans;
    struct report_open_spans open_spans;
    struct report_source *sources;
    uint32_t source_count;
    struct export_print_output index; /* scratch: its text */
    struct cairn_report_counts counts;
};

/* Returns the track of a thread's events, which is made when it is first needed. */
int report_events_track(struct cairn_report *report, struct report_thread *thread,
                        uint32_t *ret_track);

/* Adds the arrow from a track to another one, `delay_ns` after time_ns. */
void report_arrow(struct cairn_report *report, enum report_arrow_kind kind, uint64_t time_ns,
                  uint64_t delay_ns, uint32_t from_track, uint32_t to_track);

/* Pairs an event with others: sets *ret_is_part if it begins or ends a span. Returns 0, ENOMEM. */
int report_spans_event(struct cairn_report *report, const struct cairn_event *event,
                       struct report_thread *thread, const struct report_kind *kind,
                       bool *ret_is_part);

/* Adds the spans that have not ended. Returns 0, ENOMEM. */
int report_spans_finish(struct cairn_report *report);

/* Accepts zeros. */
void report_open_spans_free(struct report_open_spans *open);

/* Passes an event of the scheduler. Returns 0, ENOMEM. */
int report_states_event(struct cairn_report *report, const struct cairn_event *event,
                        uint32_t source);

/* Adds the states that have not ended. Returns 0, ENOMEM. */
int report_states_finish(struct cairn_report *report);

/* Returns a recording of this number. NULL: no memory. */
struct report_source *report_source_of(struct cairn_report *report, size_t source);

/* Writes the index as JSON to `report->index`. */
void report_index_write(struct cairn_report *report);

#endif
