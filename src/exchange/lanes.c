/* SPDX-License-Identifier: MIT */
/* Slices of spans that nest. */
#include "exchange/lanes.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* ---- lanes ---- */

static struct exchange_lane_thread *data_of(const struct exchange_thread *thread)
{
    return (struct exchange_lane_thread *)thread->data;
}

static int prepare(struct exchange_thread *thread)
{
    struct exchange_lane_thread *data = data_of(thread);

    if (data)
        return 0;
    data = (struct exchange_lane_thread *)calloc(1, sizeof(*data));
    if (!data)
        return ENOMEM;
    data->own.thread = thread;
    thread->data = data;
    return 0;
}

static struct exchange_lane *add_lane(struct exchange_lanes *lanes, struct exchange_thread *thread)
{
    struct exchange_lane *lane = (struct exchange_lane *)calloc(1, sizeof(*lane));

    if (!lane)
        return NULL;
    lane->thread = thread;
    lane->number = ++lanes->count;
    lane->next = lanes->all;
    lanes->all = lane;
    return lane;
}

/* Returns a lane without a slice since a time; NULL: no memory. */
static struct exchange_lane *idle_lane(struct exchange_lanes *lanes, struct exchange_thread *thread,
                                       uint64_t since_ns)
{
    struct exchange_lane_thread *data = data_of(thread);
    struct exchange_lane **at = &data->idle;
    struct exchange_lane *lane;

    if (!data->own.top && data->own.changed_ns <= since_ns)
        return &data->own;
    while (*at && (*at)->changed_ns > since_ns)
        at = &(*at)->next_idle;
    lane = *at;
    if (!lane)
        return add_lane(lanes, thread);
    *at = lane->next_idle;
    return lane;
}

static void push(struct exchange_lane *lane, struct exchange_slice *slice, uint64_t now_ns)
{
    slice->lane = lane;
    slice->below = lane->top;
    lane->top = slice;
    lane->changed_ns = now_ns;
}

static void pop(struct exchange_lanes *lanes, struct exchange_lane *lane)
{
    struct exchange_lane_thread *data = data_of(lane->thread);

    lane->changed_ns = lanes->exporter->last_ns;
    lane->top = lane->top->below;
    if (lane->top || !lane->number)
        return;
    lane->next_idle = data->idle;
    data->idle = lane;
}

/* ---- the end of a slice ---- */

/* Ends the slices above one that ends: they continue elsewhere. */
static void move_away(struct exchange_lanes *lanes, const struct exchange_slice *slice)
{
    struct exchange_lane *lane = slice->lane;

    while (lane->top != slice) {
        struct exchange_slice *top = lane->top;

        exchange_note(lanes->exporter, CAIRN_EXPORTER_SPLIT);
        lanes->part(lanes->context, top, false);
        pop(lanes, lane);
        top->below = lanes->rest;
        lanes->rest = top;
    }
}

int exchange_lanes_resume(struct exchange_lanes *lanes)
{
    struct exchange_lane *lane = NULL;

    while (lanes->rest && !lanes->error) {
        struct exchange_slice *slice = lanes->rest;

        if (!lane)
            lane = idle_lane(lanes, slice->lane->thread, lanes->exporter->last_ns);
        if (!lane) {
            lanes->error = ENOMEM;
            break;
        }
        lanes->rest = slice->below;
        push(lane, slice, lanes->exporter->last_ns);
        lanes->part(lanes->context, slice, true);
    }
    return lanes->error;
}

static struct exchange_lane *stop(struct exchange_lanes *lanes, struct exchange_slice *slice)
{
    struct exchange_lane *lane = slice->lane;

    move_away(lanes, slice);
    pop(lanes, lane);
    free(slice);
    return lane;
}

/* A span is forgotten while it is open. */
static void forget(void *context, const struct timeline_span *span)
{
    struct exchange_lanes *lanes = (struct exchange_lanes *)context;
    struct exchange_slice *slice = (struct exchange_slice *)(uintptr_t)span->cookie;

    if (!slice)
        return;
    exchange_note(lanes->exporter, CAIRN_EXPORTER_UNFINISHED);
    move_away(lanes, slice);
    lanes->part(lanes->context, slice, false);
    (void)stop(lanes, slice);
    (void)exchange_lanes_resume(lanes);
}

/* ---- events ---- */

static uint64_t flow_of(const uint8_t id[TIMELINE_ID_BYTES])
{
    uint64_t halves[2];

    memcpy(halves, id, sizeof(halves));
    return (halves[0] ^ halves[1] * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu | 1;
}

static struct exchange_slice *find(const struct exchange_lanes *lanes, const uint8_t *id)
{
    const struct timeline_span *span = id ? timeline_spans_find(lanes->spans, id) : NULL;

    return span ? (struct exchange_slice *)(uintptr_t)span->cookie : NULL;
}

static const struct exchange_slice *of_other_thread(const struct exchange_slice *slice,
                                                    const struct exchange_thread *thread)
{
    return slice && slice->lane->thread != thread ? slice : NULL;
}

static int start(struct exchange_lanes *lanes, const struct cairn_event *event,
                 struct exchange_slice *slice, struct exchange_lane_event *shown)
{
    struct exchange_slice *parent = find(lanes, event->related_id);
    struct exchange_thread *thread = slice->lane->thread;
    struct exchange_lane *lane = NULL;

    shown->cause = of_other_thread(parent, thread);
    if (parent && parent != slice && !shown->cause && parent->lane->top == parent &&
        parent->lane->changed_ns <= slice->start_ns)
        lane = parent->lane;
    else
        lane = idle_lane(lanes, thread, slice->start_ns);
    if (!lane)
        return ENOMEM;
    push(lane, slice, slice->start_ns);
    shown->kind = EXCHANGE_BEGIN;
    shown->ns = slice->start_ns;
    shown->lane = lane;
    shown->flow = slice->flow;
    return 0;
}

/* Sets *ret_slice to a slice for the span that the event begins; NULL: it begins none. */
static int create_slice(struct exchange_lanes *lanes, const struct cairn_event *event,
                        struct exchange_thread *thread, uint64_t name,
                        struct exchange_slice **ret_slice)
{
    struct exchange_slice *slice;
    uint64_t start_ns;
    uint32_t tid;
    int err = 0;

    *ret_slice = NULL;
    if (!thread || !event->activity_id || event->type->opcode != CAIRN_OPCODE_ACTIVITY_START)
        return 0;
    start_ns = timeline_start_of(event, lanes->exporter->last_ns, &tid);
    if (tid != thread->tid) /* another thread has written the start */
        err = exchange_threads_find(&lanes->threads, thread->pid, tid, &thread);
    err = err ? err : prepare(thread);
    if (err)
        return err;
    slice = (struct exchange_slice *)calloc(1, sizeof(*slice));
    if (!slice)
        return ENOMEM;
    slice->lane = &data_of(thread)->own; /* until it has a lane */
    slice->name = name;
    slice->flow = flow_of(event->activity_id);
    slice->start_ns = start_ns;
    *ret_slice = slice;
    return 0;
}

static int find_thread(struct exchange_lanes *lanes, const struct cairn_event *event,
                       struct exchange_thread **ret_thread)
{
    int err;

    *ret_thread = NULL;
    if (!(event->has & CAIRN_EVENT_TID))
        return 0;
    err = exchange_threads_of(&lanes->threads, event, ret_thread);
    return err ? err : prepare(*ret_thread);
}

static int add_event(struct exchange_lanes *lanes, const struct cairn_event *event, uint64_t name,
                     struct exchange_lane_event *shown)
{
    enum timeline_change change = TIMELINE_SPAN_UNCHANGED;
    const struct timeline_span *span = NULL;
    struct exchange_slice *slice;
    int err = find_thread(lanes, event, &shown->thread);

    if (!err)
        err = create_slice(lanes, event, shown->thread, name, &slice);
    if (err)
        return err;
    err = timeline_spans_event(lanes->spans, event, (uintptr_t)slice, &change, &span);
    if (!err && change == TIMELINE_SPAN_STARTED && slice)
        return start(lanes, event, slice, shown);
    free(slice); /* the event has no time */
    if (err)
        return err;
    if (change == TIMELINE_SPAN_STOPPED && span->cookie) {
        exchange_note_stop(lanes->exporter, span);
        shown->kind = EXCHANGE_END;
        shown->lane = stop(lanes, (struct exchange_slice *)(uintptr_t)span->cookie);
        return 0;
    }
    if (change == TIMELINE_SPAN_STOP_ALONE)
        exchange_note(lanes->exporter, CAIRN_EXPORTER_STOPS_ALONE);
    shown->cause = of_other_thread(find(lanes, event->activity_id), shown->thread);
    return 0;
}

int exchange_lanes_add(struct exchange_lanes *lanes, const struct cairn_event *event, uint64_t name,
                       struct exchange_lane_event *ret_shown)
{
    *ret_shown =
        (struct exchange_lane_event){.kind = EXCHANGE_INSTANT, .ns = lanes->exporter->last_ns};
    if (!lanes->error)
        lanes->error = add_event(lanes, event, name, ret_shown);
    return lanes->error;
}

/* ---- open and close ---- */

int exchange_lanes_open(struct exchange_lanes *lanes, struct cairn_exporter *exporter,
                        exchange_part_fn *part, void *context)
{
    int err;

    *lanes = (struct exchange_lanes){.exporter = exporter, .part = part, .context = context};
    err = timeline_spans_create(&lanes->spans);
    if (!err)
        timeline_spans_set_forget(lanes->spans, forget, lanes);
    return err;
}

void exchange_lanes_finish(struct exchange_lanes *lanes)
{
    lanes->exporter->counts.notes[CAIRN_EXPORTER_UNFINISHED] +=
        timeline_spans_counts(lanes->spans)->open;
}

static void free_slices(struct exchange_slice *slice)
{
    while (slice) {
        struct exchange_slice *below = slice->below;

        free(slice);
        slice = below;
    }
}

void exchange_lanes_close(struct exchange_lanes *lanes)
{
    for (uint32_t n = 0; n < lanes->threads.slot_count; n++) {
        const struct exchange_thread *thread = lanes->threads.slots[n];

        if (thread && thread->data)
            free_slices(data_of(thread)->own.top);
    }
    while (lanes->all) {
        struct exchange_lane *lane = lanes->all;

        lanes->all = lane->next;
        free_slices(lane->top);
        free(lane);
    }
    free_slices(lanes->rest);
    timeline_spans_destroy(lanes->spans);
    exchange_threads_free(&lanes->threads);
}
