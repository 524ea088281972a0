/* SPDX-License-Identifier: MIT */
/* Spans of a report: each is in a lane of its thread that no other open span is in. */
#include "report/report.h"

/* The parts of a span's cookie: the number of its first event, its thread, its lane. */
#define LANE_BITS   5
#define THREAD_BITS 16
#define LANE_MASK   ((1u << LANE_BITS) - 1)
#define THREAD_MASK ((1u << THREAD_BITS) - 1)

_Static_assert(1u << LANE_BITS == REPORT_LANES, "a lane fits");
_Static_assert(1u << THREAD_BITS == REPORT_THREADS_MAX, "a thread's number fits");

static uint64_t cookie_of(uint64_t event, uint32_t thread, uint32_t lane)
{
    return event << (THREAD_BITS + LANE_BITS) | (uint64_t)thread << LANE_BITS | lane;
}

static struct report_thread *thread_of(const struct cairn_report *report, uint64_t cookie)
{
    return report->threads.list[cookie >> LANE_BITS & THREAD_MASK];
}

static uint32_t track_of(const struct cairn_report *report, uint64_t cookie)
{
    return thread_of(report, cookie)->lanes[cookie & LANE_MASK];
}

static uint32_t take_lane(struct report_thread *thread)
{
    uint32_t lane = thread->busy_lanes == UINT32_MAX ? REPORT_LANES - 1
                                                     : (uint32_t)__builtin_ctz(~thread->busy_lanes);

    thread->busy_lanes |= 1u << lane;
    return lane;
}

static void free_lane(const struct cairn_report *report, uint64_t cookie)
{
    thread_of(report, cookie)->busy_lanes &= ~(1u << (cookie & LANE_MASK));
}

static void forget(void *context, const struct timeline_span *span)
{
    const struct cairn_report *report = (const struct cairn_report *)context;

    free_lane(report, span->cookie);
}

static int begin(struct cairn_report *report, struct report_thread *thread,
                 const struct report_kind *kind, uint64_t *ret_cookie)
{
    uint32_t lane = take_lane(thread);
    int err = 0;

    if (thread->lanes[lane] == REPORT_NO_TRACK)
        err = report_pyramid_track(&report->pyramid, thread->number, REPORT_TRACK_SPANS, lane,
                                   &thread->lanes[lane]);
    if (err)
        return err;
    thread->lane_kinds[lane] = kind->number;
    *ret_cookie = cookie_of(report->events, thread->number, lane);
    return 0;
}

static void draw_arrow_from_parent(struct cairn_report *report, const struct cairn_event *event,
                                   const struct timeline_span *span)
{
    const struct timeline_span *parent =
        event->related_id ? timeline_spans_find(report->spans, event->related_id) : NULL;

    if (parent && parent != span &&
        thread_of(report, parent->cookie) != thread_of(report, span->cookie))
        report_arrow(report, REPORT_ARROW_PARENT, report->now_ns, 0,
                     track_of(report, parent->cookie), track_of(report, span->cookie));
}

static int add(struct cairn_report *report, const struct timeline_span *span, uint64_t stop_ns)
{
    struct report_thread *thread = thread_of(report, span->cookie);
    uint32_t lane = span->cookie & LANE_MASK;
    uint64_t start_ns = span->start_ns < report->base_ns ? 0 : span->start_ns - report->base_ns;
    struct report_item item = {.track = thread->lanes[lane],
                               .name = thread->lane_kinds[lane],
                               .event = span->cookie >> (THREAD_BITS + LANE_BITS),
                               .start_ns = start_ns,
                               .stop_ns = stop_ns < start_ns ? start_ns : stop_ns};

    report_pyramid_item(&report->pyramid, &item);
    free_lane(report, span->cookie);
    return stats_sketch_add_integer(&report->kinds.list[item.name]->durations,
                                    item.stop_ns - item.start_ns);
}

int report_spans_event(struct cairn_report *report, const struct cairn_event *event,
                       struct report_thread *thread, const struct report_kind *kind,
                       bool *ret_is_part)
{
    bool starts = event->activity_id && timeline_time_of(event) &&
                  event->type->opcode == CAIRN_OPCODE_ACTIVITY_START &&
                  !timeline_spans_is_repeated(report->spans, event);
    const struct timeline_span *before =
        starts ? timeline_spans_find(report->spans, event->activity_id) : NULL;
    enum timeline_change change;
    const struct timeline_span *span;
    uint64_t cookie = 0;
    int err = 0;

    if (before) /* it is forgotten, and its lane is free for the new one */
        free_lane(report, before->cookie);
    timeline_spans_set_forget(report->spans, before ? NULL : forget, report);
    if (starts)
        err = begin(report, thread, kind, &cookie);
    if (!err)
        err = timeline_spans_event(report->spans, event, cookie, &change, &span);
    if (err)
        return err;
    *ret_is_part = change == TIMELINE_SPAN_STARTED || change == TIMELINE_SPAN_STOPPED;
    if (change == TIMELINE_SPAN_STARTED)
        draw_arrow_from_parent(report, event, span);
    if (change == TIMELINE_SPAN_STOPPED) {
        report->spans_count++;
        return add(report, span, report->now_ns);
    }
    return 0;
}

int report_spans_finish(struct cairn_report *report)
{
    const struct timeline_span *span;
    size_t cursor = 0;

    while ((span = timeline_spans_open(report->spans, &cursor))) {
        struct report_thread *thread = thread_of(report, span->cookie);
        uint32_t lane = span->cookie & LANE_MASK;
        uint64_t start_ns = span->start_ns < report->base_ns ? 0 : span->start_ns - report->base_ns;

        report->spans_open++;
        report_pyramid_item(
            &report->pyramid,
            &(struct report_item){.track = thread->lanes[lane],
                                  .name = thread->lane_kinds[lane],
                                  .event = span->cookie >> (THREAD_BITS + LANE_BITS),
                                  .start_ns = start_ns < report->now_ns ? start_ns : report->now_ns,
                                  .stop_ns = report->now_ns});
    }
    return 0;
}
