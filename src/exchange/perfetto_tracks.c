/* SPDX-License-Identifier: MIT */
/* Tracks: of processes, of threads and their lanes; events are put on them. */
#include "exchange/perfetto.h"

#include <errno.h>
#include <string.h>

/* The upper byte of a track's uuid. */
#define KIND(n)      ((uint64_t)(n) << 56)
#define KIND_PROCESS KIND(1)
#define KIND_THREAD  KIND(2)
#define KIND_LANE    KIND(3)
#define LOOSE_TRACK  KIND(4)

/* ---- descriptors ---- */

static struct cairn_slice slice_of(const char *text)
{
    return (struct cairn_slice){text, (uint32_t)strlen(text)};
}

static void describe_process(struct exchange_pf *pf, const struct exchange_thread *thread)
{
    ExchangePf__TrackDescriptor track = EXCHANGE_PF__TRACK_DESCRIPTOR__INIT;
    ExchangePf__ProcessDescriptor descriptor = EXCHANGE_PF__PROCESS_DESCRIPTOR__INIT;
    struct exchange_thread *process;

    if (exchange_threads_process_of(&pf->lanes.threads, thread, &process)) {
        pf->error = ENOMEM;
        return;
    }
    if (process->is_described)
        return;
    process->is_described = true;
    track.has_uuid = true;
    track.uuid = KIND_PROCESS | thread->pid;
    track.process = &descriptor;
    descriptor.has_pid = true;
    descriptor.pid = (int32_t)process->pid;
    descriptor.has_process_name = *process->comm != 0;
    descriptor.process_name = exchange_pf_text(pf, slice_of(process->comm));
    exchange_pf_write_track(pf, &track);
}

/* Returns the track of a thread, after its descriptor. */
static uint64_t track_of_thread(struct exchange_pf *pf, struct exchange_thread *thread)
{
    uint64_t uuid = KIND_THREAD | thread->number;
    ExchangePf__TrackDescriptor track = EXCHANGE_PF__TRACK_DESCRIPTOR__INIT;
    ExchangePf__ThreadDescriptor descriptor = EXCHANGE_PF__THREAD_DESCRIPTOR__INIT;

    if (thread->is_described)
        return uuid;
    thread->is_described = true;
    describe_process(pf, thread);
    track.has_uuid = true;
    track.uuid = uuid;
    track.has_parent_uuid = true;
    track.parent_uuid = KIND_PROCESS | thread->pid;
    track.thread = &descriptor;
    descriptor.has_pid = true;
    descriptor.pid = (int32_t)thread->pid;
    descriptor.has_tid = true;
    descriptor.tid = (int32_t)thread->tid;
    descriptor.has_thread_name = *thread->comm != 0;
    descriptor.thread_name = exchange_pf_text(pf, slice_of(thread->comm));
    exchange_pf_write_track(pf, &track);
    return uuid;
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

static uint64_t track_of_lane(struct exchange_pf *pf, struct exchange_lane *lane)
{
    uint64_t own = track_of_thread(pf, lane->thread);
    ExchangePf__TrackDescriptor track = EXCHANGE_PF__TRACK_DESCRIPTOR__INIT;

    if (!lane->number)
        return own;
    track.has_uuid = true;
    track.uuid = KIND_LANE | lane->number;
    if (lane->is_described)
        return track.uuid;
    lane->is_described = true;
    track.has_parent_uuid = true;
    track.parent_uuid = own;
    track.has_name = true;
    track.name = exchange_pf_text(pf, slice_of("spans"));
    exchange_pf_write_track(pf, &track);
    return track.uuid;
}

/* ---- events ---- */

static void set_track(ExchangePf__TrackEvent *to, int32_t type, uint64_t track)
{
    to->has_type = true;
    to->type = type;
    to->has_track_uuid = true;
    to->track_uuid = track;
}

static int32_t type_of(enum exchange_lane_event_kind kind)
{
    if (kind == EXCHANGE_INSTANT)
        return EXCHANGE_PF_INSTANT;
    return kind == EXCHANGE_BEGIN ? EXCHANGE_PF_SLICE_BEGIN : EXCHANGE_PF_SLICE_END;
}

/* Arrows lead from a span to what belongs to it in other threads. */
static void set_flows(struct exchange_pf *pf, const struct exchange_lane_event *shown,
                      ExchangePf__TrackEvent *to)
{
    uint64_t *flows = (uint64_t *)exchange_pf_take(pf, 2 * sizeof(*flows));

    if (!flows)
        return;
    to->flow_ids = flows;
    if (shown->flow)
        flows[to->n_flow_ids++] = shown->flow;
    if (shown->cause)
        flows[to->n_flow_ids++] = shown->cause->flow;
}

uint64_t exchange_pf_add_to_track(struct exchange_pf *pf, const struct cairn_event *event,
                                  ExchangePf__TrackEvent *to)
{
    struct exchange_lane_event shown;
    uint64_t track;

    if (exchange_lanes_add(&pf->lanes, event, to->name_iid, &shown)) {
        pf->error = ENOMEM;
        return 0;
    }
    if (shown.lane)
        track = track_of_lane(pf, shown.lane);
    else if (shown.thread)
        track = track_of_thread(pf, shown.thread);
    else
        track = loose_track(pf);
    set_track(to, type_of(shown.kind), track);
    set_flows(pf, &shown, to);
    return shown.ns;
}

void exchange_pf_write_part(void *context, const struct exchange_slice *slice, bool begins)
{
    struct exchange_pf *pf = (struct exchange_pf *)context;
    ExchangePf__TrackEvent to = EXCHANGE_PF__TRACK_EVENT__INIT;
    uint64_t name = slice->name;

    set_track(&to, begins ? EXCHANGE_PF_SLICE_BEGIN : EXCHANGE_PF_SLICE_END,
              track_of_lane(pf, slice->lane));
    if (begins) {
        to.has_name_iid = true;
        to.name_iid = name;
        to.n_category_iids = 1;
        to.category_iids = &name;
    }
    exchange_pf_write_event(pf, pf->now_ns, &to, NULL);
}
