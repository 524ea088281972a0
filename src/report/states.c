/* SPDX-License-Identifier: MIT */
/* States of threads in a report: one track for each thread of which the scheduler reported
 * something. */
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>

/* A recording's states know nothing of the report that they are for. */
struct report_states_context {
    struct cairn_report *report;
    uint32_t source;
};

static int make_track(struct cairn_report *report, struct report_thread *thread)
{
    return thread->states_track == REPORT_NO_TRACK
               ? report_pyramid_track(&report->pyramid, thread->number, REPORT_TRACK_STATES, 0,
                                      &thread->states_track)
               : 0;
}

static int find_thread(struct cairn_report *report, uint32_t source,
                       const struct timeline_state *state, struct report_thread **ret_thread)
{
    struct report_thread *thread = report_threads_find_tid(&report->threads, source, state->tid);
    int err = 0;

    if (!thread)
        err = report_threads_find(&report->threads, source, 0, state->tid, &thread);
    if (err)
        return err;
    if (!thread->comm[0])
        report_thread_set_comm(thread, state->comm);
    *ret_thread = thread;
    return make_track(report, thread);
}

/* From the thread that woke another one, to the time at which that one ran. */
static int draw_arrow_from_waker(struct cairn_report *report, uint32_t source,
                                 const struct timeline_state *state,
                                 const struct report_thread *thread, uint64_t start_ns,
                                 uint64_t stop_ns)
{
    struct report_thread *waker = report_threads_find_tid(&report->threads, source, state->waker);
    int err = waker ? make_track(report, waker) : 0;

    if (!err && waker && waker != thread)
        report_arrow(report, REPORT_ARROW_WAKE, start_ns, stop_ns - start_ns, waker->states_track,
                     thread->states_track);
    return err;
}

static int add(void *context, const struct timeline_state *state)
{
    const struct report_states_context *of = (const struct report_states_context *)context;
    struct cairn_report *report = of->report;
    struct report_thread *thread;
    uint64_t base_ns = report->base_ns;
    uint64_t start_ns = state->start.ns < base_ns ? 0 : state->start.ns - base_ns;
    uint64_t stop_ns = state->stop_ns < base_ns ? 0 : state->stop_ns - base_ns;
    int err = find_thread(report, of->source, state, &thread);

    if (err)
        return err;
    if (stop_ns < start_ns)
        stop_ns = start_ns;
    report_pyramid_item(&report->pyramid, &(struct report_item){.track = thread->states_track,
                                                                .name = state->kind,
                                                                .event = report->events,
                                                                .start_ns = start_ns,
                                                                .stop_ns = stop_ns});
    if (state->kind == TIMELINE_RUNNABLE && state->waker)
        err = draw_arrow_from_waker(report, of->source, state, thread, start_ns, stop_ns);
    return err;
}

static int open_states(struct cairn_report *report, struct report_source *source, uint32_t number)
{
    struct report_states_context *context =
        (struct report_states_context *)calloc(1, sizeof(*context));
    int err = context ? 0 : ENOMEM;

    if (!err) {
        *context = (struct report_states_context){report, number};
        err = timeline_states_create(add, context, &source->states);
    }
    if (err)
        free(context);
    else
        source->context = context;
    return err;
}

int report_states_event(struct cairn_report *report, const struct cairn_event *event,
                        uint32_t source)
{
    struct report_source *of = report_source_of(report, source);
    int err = of ? 0 : ENOMEM;

    if (!err && !of->states)
        err = open_states(report, of, source);
    return err ? err : timeline_states_event(of->states, event);
}

int report_states_finish(struct cairn_report *report)
{
    int err = 0;

    for (uint32_t n = 0; n < report->source_count && !err; n++) {
        if (report->sources[n].states)
            err = timeline_states_finish(report->sources[n].states);
    }
    return err;
}
