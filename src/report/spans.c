/* SPDX-License-Identifier: MIT */
/* Spans of a report: each is in a lane of its thread that no other open span is in. */
#include "report/report.h"

#include <errno.h>
#include <stdlib.h>

#define FIRST_OPEN 64u

/* An open span, or one in the list of free ones. Its number is the span's cookie. */
struct report_open_span {
    uint64_t event; /* the number of its first one */
    uint32_t thread;
    uint32_t lane;
    uint32_t kind;
    uint32_t next_free; /* number + 1 */
};

/* ---- open spans ---- */

static int grow(struct report_open_spans *open)
{
    uint32_t capacity = open->capacity ? 2 * open->capacity : FIRST_OPEN;
    struct report_open_span *list =
        (struct report_open_span *)realloc(open->list, capacity * sizeof(*list));

    if (!list)
        return ENOMEM;
    open->list = list;
    open->capacity = capacity;
    return 0;
}

static int take_number(struct report_open_spans *open, uint32_t *ret_number)
{
    if (open->first_free) {
        *ret_number = open->first_free - 1;
        open->first_free = open->list[*ret_number].next_free;
        return 0;
    }
    if (open->count == open->capacity && grow(open))
        return ENOMEM;
    *ret_number = open->count++;
    return 0;
}

void report_open_spans_free(struct report_open_spans *open)
{
    free(open->list);
}

/* ---- lanes ---- */

static uint32_t take_lane(struct report_thread *thread)
{
    uint32_t lane = 0;

    while (lane < REPORT_LANES - 1 && thread->lane_users[lane])
        lane++;
    thread->lane_users[lane]++;
    return lane;
}

static uint32_t track_of(const struct cairn_report *report, uint64_t cookie)
{
    const struct report_open_span *open = &report->open_spans.list[cookie];

    return report->threads.list[open->thread]->lanes[open->lane];
}

static void end(struct cairn_report *report, uint64_t cookie)
{
    struct report_open_span *open = &report->open_spans.list[cookie];

    report->threads.list[open->thread]->lane_users[open->lane]--;
    open->next_free = report->open_spans.first_free;
    report->open_spans.first_free = (uint32_t)cookie + 1;
}

static void forget(void *context, const struct timeline_span *span)
{
    end((struct cairn_report *)context, span->cookie);
}

static int begin(struct cairn_report *report, struct report_thread *thread,
                 const struct report_kind *kind, uint64_t *ret_cookie)
{
    uint32_t number;
    uint32_t lane;
    int err = take_number(&report->open_spans, &number);

    if (err)
        return err;
    lane = take_lane(thread);
    report->open_spans.list[number] = (struct report_open_span){
        .event = report->events, .thread = thread->number, .lane = lane, .kind = kind->number};
    *ret_cookie = number;
    if (thread->lanes[lane] == REPORT_NO_TRACK)
        err = report_pyramid_track(&report->pyramid, thread->number, REPORT_TRACK_SPANS, lane,
                                   &thread->lanes[lane]);
    return err;
}

/* ---- events ---- */

static void draw_arrow_from_parent(struct cairn_report *report, const struct cairn_event *event,
                                   const struct timeline_span *span)
{
    const struct timeline_span *parent =
        event->related_id ? timeline_spans_find(report->spans, event->related_id) : NULL;

    if (parent && parent != span &&
        report->open_spans.list[parent->cookie].thread !=
            report->open_spans.list[span->cookie].thread)
        report_arrow(report, REPORT_ARROW_PARENT, report->now_ns, 0,
                     track_of(report, parent->cookie), track_of(report, span->cookie));
}

static uint64_t since_base_ns(const struct cairn_report *report, uint64_t time_ns)
{
    return time_ns < report->base_ns ? 0 : time_ns - report->base_ns;
}

/* A span as it is drawn: a span that began before the first event is cut. */
static struct report_item item_of(const struct cairn_report *report,
                                  const struct timeline_span *span, uint64_t stop_ns)
{
    const struct report_open_span *open = &report->open_spans.list[span->cookie];
    uint64_t start_ns = since_base_ns(report, span->start.ns);

    return (struct report_item){.track = track_of(report, span->cookie),
                                .name = open->kind,
                                .event = open->event,
                                .start_ns = start_ns,
                                .stop_ns = stop_ns < start_ns ? start_ns : stop_ns};
}

static int add(struct cairn_report *report, const struct timeline_span *span)
{
    struct report_item item = item_of(report, span, since_base_ns(report, span->stop_ns));

    report_pyramid_item(&report->pyramid, &item);
    end(report, span->cookie);
    return stats_sketch_add_integer(&report->kinds.list[item.name]->durations,
                                    span->stop_ns - span->start.ns);
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
        end(report, before->cookie);
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
        return add(report, span);
    }
    return 0;
}

int report_spans_finish(struct cairn_report *report)
{
    const struct timeline_span *span;
    size_t cursor = 0;

    while ((span = timeline_spans_open(report->spans, &cursor))) {
        struct report_item item = item_of(report, span, report->now_ns);

        report->spans_open++;
        if (item.start_ns > report->now_ns)
            item.start_ns = report->now_ns;
        item.stop_ns = report->now_ns;
        report_pyramid_item(&report->pyramid, &item);
    }
    return 0;
}
