/* SPDX-License-Identifier: MIT */
/*
 * Tracks: of processes and threads, and lanes for slices.
 *
 * Slices of a track must nest. A span whose parent is the last open slice of its thread is in the
 * parent's lane; another is in the thread's own track if that has no open slice, otherwise in a
 * lane that is a child of that track. If a span ends before one in it, the inner one is in two
 * parts.
 */
#include "exchange/perfetto.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

/* The upper byte of a track's uuid. */
#define KIND(n)      ((uint64_t)(n) << 56)
#define KIND_PROCESS KIND(1)
#define KIND_THREAD  KIND(2)
#define LOOSE_TRACK  KIND(3)

/* ---- processes and threads ---- */

static struct cairn_slice slice_of(const char *text)
{
    return (struct cairn_slice){text, (uint32_t)strlen(text)};
}

static uint64_t process_track(const struct exchange_thread *thread)
{
    return KIND_PROCESS | thread->pid;
}

static void describe_process(struct exchange_pf *pf, const struct exchange_thread *thread)
{
    ExchangePf__TrackDescriptor track = EXCHANGE_PF__TRACK_DESCRIPTOR__INIT;
    ExchangePf__ProcessDescriptor descriptor = EXCHANGE_PF__PROCESS_DESCRIPTOR__INIT;
    struct exchange_thread *process;

    if (exchange_threads_process_of(&pf->threads, thread, &process)) {
        pf->error = ENOMEM;
        return;
    }
    if (process->is_described)
        return;
    process->is_described = true;
    track.has_uuid = true;
    track.uuid = process_track(thread);
    track.process = &descriptor;
    descriptor.has_pid = true;
    descriptor.pid = (int32_t)process->pid;
    descriptor.has_process_name = *process->comm != 0;
    descriptor.process_name = exchange_pf_text(pf, slice_of(process->comm));
    exchange_pf_write_track(pf, &track);
}

static void describe_thread(struct exchange_pf *pf, const struct exchange_thread *thread,
                            uint64_t uuid)
{
    ExchangePf__TrackDescriptor track = EXCHANGE_PF__TRACK_DESCRIPTOR__INIT;
    ExchangePf__ThreadDescriptor descriptor = EXCHANGE_PF__THREAD_DESCRIPTOR__INIT;

    track.has_uuid = true;
    track.uuid = uuid;
    track.has_parent_uuid = true;
    track.parent_uuid = process_track(thread);
    track.thread = &descriptor;
    descriptor.has_pid = true;
    descriptor.pid = (int32_t)thread->pid;
    descriptor.has_tid = true;
    descriptor.tid = (int32_t)thread->tid;
    descriptor.has_thread_name = *thread->comm != 0;
    descriptor.thread_name = exchange_pf_text(pf, slice_of(thread->comm));
    exchange_pf_write_track(pf, &track);
}

static struct exchange_pf_thread *data_of(struct exchange_pf *pf, struct exchange_thread *thread)
{
    struct exchange_pf_thread *data = (struct exchange_pf_thread *)thread->data;

    if (data)
        return data;
    data = (struct exchange_pf_thread *)calloc(1, sizeof(*data));
    if (!data) {
        pf->error = ENOMEM;
        return NULL;
    }
    data->own.track = KIND_THREAD | thread->number;
    data->own.thread = thread;
    thread->data = data;
    return data;
}

/* The track of events without a thread. */
static uint64_t loose_track(struct exchange_pf *pf)
{
    ExchangePf__TrackDescriptor track = EXCHANGE_PF__TRACK_DESCRIPTOR__INIT;

    exchange_note(pf->exporter, CAIRN_EXPORTER_NO_THREAD);
    if (pf->has_loose_track)
        return LOOSE_TRACK;
    pf->has_loose_track = true;
    track.has_uuid = true;
    track.uuid = LOOSE_TRACK;
    track.has_name = true;
    track.name = exchange_pf_text(pf, slice_of("events without a thread"));
    exchange_pf_write_track(pf, &track);
    return LOOSE_TRACK;
}

uint64_t exchange_pf_track_of(struct exchange_pf *pf, const struct cairn_event *event,
                              struct exchange_thread **ret_thread)
{
    struct exchange_thread *thread;
    struct exchange_pf_thread *data;

    *ret_thread = NULL;
    if (!(event->has & CAIRN_EVENT_TID))
        return loose_track(pf);
    if (exchange_threads_of(&pf->threads, event, &thread)) {
        pf->error = ENOMEM;
        return 0;
    }
    data = data_of(pf, thread);
    if (!data)
        return 0;
    if (!thread->is_described) {
        describe_process(pf, thread);
        describe_thread(pf, thread, data->own.track);
        thread->is_described = true;
    }
    *ret_thread = thread;
    return data->own.track;
}

/* ---- lanes ---- */

static void describe_lane(struct exchange_pf *pf, const struct exchange_pf_lane *lane)
{
    const struct exchange_pf_thread *data = (const struct exchange_pf_thread *)lane->thread->data;
    ExchangePf__TrackDescriptor track = EXCHANGE_PF__TRACK_DESCRIPTOR__INIT;

    track.has_uuid = true;
    track.uuid = lane->track;
    track.has_parent_uuid = true;
    track.parent_uuid = data->own.track;
    track.has_name = true;
    track.name = exchange_pf_text(pf, slice_of("spans"));
    exchange_pf_write_track(pf, &track);
}

static struct exchange_pf_lane *add_lane(struct exchange_pf *pf, struct exchange_thread *thread)
{
    struct exchange_pf_lane *lane = (struct exchange_pf_lane *)calloc(1, sizeof(*lane));

    if (!lane) {
        pf->error = ENOMEM;
        return NULL;
    }
    lane->thread = thread;
    lane->track = pf->next_track++;
    lane->next = pf->lanes;
    pf->lanes = lane;
    describe_lane(pf, lane);
    return lane;
}

/* Returns a lane without a slice. */
static struct exchange_pf_lane *idle_lane(struct exchange_pf *pf, struct exchange_thread *thread)
{
    struct exchange_pf_thread *data = (struct exchange_pf_thread *)thread->data;
    struct exchange_pf_lane *lane = data->idle;

    if (!data->own.top)
        return &data->own;
    if (!lane)
        return add_lane(pf, thread);
    data->idle = lane->next_idle;
    return lane;
}

static void push(struct exchange_pf_lane *lane, struct exchange_pf_slice *slice)
{
    slice->lane = lane;
    slice->below = lane->top;
    lane->top = slice;
}

static void pop(struct exchange_pf_lane *lane)
{
    struct exchange_pf_thread *data = (struct exchange_pf_thread *)lane->thread->data;

    lane->top = lane->top->below;
    if (lane->top || lane == &data->own)
        return;
    lane->next_idle = data->idle;
    data->idle = lane;
}

/* ---- slices ---- */

static uint64_t flow_of(const uint8_t id[TIMELINE_ID_BYTES])
{
    uint64_t words[2];

    memcpy(words, id, sizeof(words));
    return (words[0] ^ words[1] * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu | 1;
}

static void set_track(ExchangePf__TrackEvent *to, int32_t type, uint64_t track)
{
    to->has_type = true;
    to->type = type;
    to->has_track_uuid = true;
    to->track_uuid = track;
}

/* Arrows lead from a span to what belongs to it in other threads. */
static void add_flow(struct exchange_pf *pf, ExchangePf__TrackEvent *to, uint64_t flow)
{
    uint64_t *flows = to->flow_ids;

    if (!flows)
        flows = (uint64_t *)exchange_pf_take(pf, 2 * sizeof(*flows));
    if (!flows)
        return;
    flows[to->n_flow_ids++] = flow;
    to->flow_ids = flows;
}

static struct exchange_pf_slice *slice_of_id(const struct exchange_pf *pf, const uint8_t *id)
{
    const struct timeline_span *span = id ? timeline_spans_find(pf->spans, id) : NULL;

    return span ? (struct exchange_pf_slice *)(uintptr_t)span->cookie : NULL;
}

static void write_end(struct exchange_pf *pf, const struct exchange_pf_slice *slice)
{
    ExchangePf__TrackEvent to = EXCHANGE_PF__TRACK_EVENT__INIT;

    set_track(&to, EXCHANGE_PF_SLICE_END, slice->lane->track);
    exchange_pf_write_event(pf, &to, NULL);
}

/* Ends the slices above one, which ends: they continue elsewhere. */
static void move_away(struct exchange_pf *pf, const struct exchange_pf_slice *slice)
{
    struct exchange_pf_lane *lane = slice->lane;

    while (lane->top != slice) {
        struct exchange_pf_slice *top = lane->top;

        exchange_note(pf->exporter, CAIRN_EXPORTER_SPLIT);
        write_end(pf, top);
        pop(lane);
        top->below = pf->rest;
        pf->rest = top;
    }
}

void exchange_pf_write_rest(struct exchange_pf *pf)
{
    struct exchange_pf_lane *lane = NULL;

    while (pf->rest) {
        struct exchange_pf_slice *slice = pf->rest;
        ExchangePf__TrackEvent to = EXCHANGE_PF__TRACK_EVENT__INIT;

        pf->rest = slice->below;
        if (!lane)
            lane = idle_lane(pf, slice->lane->thread);
        if (!lane) { /* no memory: it stays without a lane */
            free(slice);
            continue;
        }
        push(lane, slice);
        set_track(&to, EXCHANGE_PF_SLICE_BEGIN, lane->track);
        to.has_name_iid = true;
        to.name_iid = slice->name;
        to.n_category_iids = 1;
        to.category_iids = &slice->name;
        exchange_pf_write_event(pf, &to, NULL);
    }
}

static void start(struct exchange_pf *pf, const struct cairn_event *event,
                  struct exchange_thread *thread, struct exchange_pf_slice *slice,
                  ExchangePf__TrackEvent *to)
{
    struct exchange_pf_slice *parent = slice_of_id(pf, event->related_id);
    bool is_here = parent && parent->lane->thread == thread;
    struct exchange_pf_lane *lane =
        is_here && parent->lane->top == parent ? parent->lane : idle_lane(pf, thread);

    if (!lane)
        return;
    push(lane, slice);
    slice->name = to->name_iid;
    slice->flow = flow_of(event->activity_id);
    set_track(to, EXCHANGE_PF_SLICE_BEGIN, lane->track);
    add_flow(pf, to, slice->flow);
    if (parent && !is_here)
        add_flow(pf, to, parent->flow);
}

static void stop(struct exchange_pf *pf, struct exchange_pf_slice *slice,
                 ExchangePf__TrackEvent *to)
{
    struct exchange_pf_lane *lane = slice->lane;

    move_away(pf, slice);
    pop(lane);
    set_track(to, EXCHANGE_PF_SLICE_END, lane->track);
    free(slice);
}

void exchange_pf_forget(void *context, const struct timeline_span *span)
{
    struct exchange_pf *pf = (struct exchange_pf *)context;
    struct exchange_pf_slice *slice = (struct exchange_pf_slice *)(uintptr_t)span->cookie;
    ExchangePf__TrackEvent to = EXCHANGE_PF__TRACK_EVENT__INIT;

    if (!slice)
        return;
    exchange_note(pf->exporter, CAIRN_EXPORTER_UNFINISHED);
    stop(pf, slice, &to);
    exchange_pf_write_event(pf, &to, NULL);
    exchange_pf_write_rest(pf);
}

/* An event that is no slice: on the track of its thread, with an arrow from its span elsewhere. */
static void place_instant(struct exchange_pf *pf, const struct cairn_event *event,
                          const struct exchange_thread *thread, uint64_t track,
                          ExchangePf__TrackEvent *to)
{
    const struct exchange_pf_slice *slice = slice_of_id(pf, event->activity_id);

    set_track(to, EXCHANGE_PF_INSTANT, track);
    if (slice && slice->lane->thread != thread)
        add_flow(pf, to, slice->flow);
}

/* Returns a slice for the span that the event begins; NULL: it begins none. */
static struct exchange_pf_slice *new_slice(struct exchange_pf *pf, const struct cairn_event *event,
                                           const struct exchange_thread *thread)
{
    struct exchange_pf_slice *slice;

    if (!thread || !event->activity_id || event->type->opcode != CAIRN_OPCODE_ACTIVITY_START)
        return NULL;
    slice = (struct exchange_pf_slice *)calloc(1, sizeof(*slice));
    if (!slice)
        pf->error = ENOMEM;
    return slice;
}

void exchange_pf_place(struct exchange_pf *pf, const struct cairn_event *event,
                       ExchangePf__TrackEvent *to)
{
    struct exchange_thread *thread;
    uint64_t track = exchange_pf_track_of(pf, event, &thread);
    struct exchange_pf_slice *slice = pf->error ? NULL : new_slice(pf, event, thread);
    enum timeline_change change = TIMELINE_SPAN_UNCHANGED;
    const struct timeline_span *span = NULL;

    if (pf->error || timeline_spans_event(pf->spans, event, (uintptr_t)slice, &change, &span)) {
        free(slice);
        pf->error = ENOMEM;
        return;
    }
    if (change == TIMELINE_SPAN_STARTED && slice) {
        start(pf, event, thread, slice, to);
        return;
    }
    free(slice); /* the event has no time */
    if (change == TIMELINE_SPAN_STOPPED && span->cookie) {
        stop(pf, (struct exchange_pf_slice *)(uintptr_t)span->cookie, to);
        return;
    }
    if (change == TIMELINE_SPAN_STOP_ALONE)
        exchange_note(pf->exporter, CAIRN_EXPORTER_STOPS_ALONE);
    place_instant(pf, event, thread, track, to);
}

/* ---- the end ---- */

static void free_slices(struct exchange_pf_lane *lane)
{
    while (lane->top) {
        struct exchange_pf_slice *slice = lane->top;

        lane->top = slice->below;
        free(slice);
    }
}

void exchange_pf_free_tracks(struct exchange_pf *pf)
{
    for (uint32_t n = 0; n < pf->threads.slot_count; n++) {
        const struct exchange_thread *thread = pf->threads.slots[n];

        if (thread && thread->data)
            free_slices(&((struct exchange_pf_thread *)thread->data)->own);
    }
    while (pf->lanes) {
        struct exchange_pf_lane *lane = pf->lanes;

        pf->lanes = lane->next;
        free_slices(lane);
        free(lane);
    }
    exchange_threads_free(&pf->threads);
}
