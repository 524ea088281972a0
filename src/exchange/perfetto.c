/* SPDX-License-Identifier: MIT */
/*
 * The format of Perfetto: a sequence of packets in protobuf (perfetto.proto). Events are instants
 * of their threads, spans are slices, the scheduler's events are those of ftrace. Times are of the
 * recording's clock, which snapshots relate to the time of day.
 */
#include "exchange/perfetto.h"

#include <errno.h>
#include <stdlib.h>

/* A snapshot is written when the relation of the clocks changed, after at least so long. */
#define SNAPSHOT_NS UINT64_C(1000000000)

/* ---- clocks ---- */

/*
 * Perfetto's own clock is CLOCK_BOOTTIME. The recording's clock has its place, and is
 * CLOCK_MONOTONIC at the same time: recordings do not have the difference.
 */
static void write_snapshot(struct exchange_pf *pf, uint64_t wall_ns)
{
    static const uint32_t ids[] = {EXCHANGE_PF_CLOCK_BOOTTIME, EXCHANGE_PF_CLOCK_MONOTONIC,
                                   EXCHANGE_PF_CLOCK_REALTIME};
    ExchangePf__ClockSnapshot snapshot = EXCHANGE_PF__CLOCK_SNAPSHOT__INIT;
    ExchangePf__Packet packet = EXCHANGE_PF__PACKET__INIT;
    ExchangePf__ClockSnapshot__Clock clocks[3];
    ExchangePf__ClockSnapshot__Clock *list[3];

    for (size_t n = 0; n < 3; n++) {
        exchange_pf__clock_snapshot__clock__init(&clocks[n]);
        clocks[n].has_clock_id = clocks[n].has_timestamp = true;
        clocks[n].clock_id = ids[n];
        clocks[n].timestamp = ids[n] == EXCHANGE_PF_CLOCK_REALTIME ? wall_ns : pf->now_ns;
        list[n] = &clocks[n];
    }
    snapshot.n_clocks = 3;
    snapshot.clocks = list;
    packet.data_case = EXCHANGE_PF__PACKET__DATA_CLOCK_SNAPSHOT;
    packet.clock_snapshot = &snapshot;
    exchange_pf_write(pf, &packet);
}

static void relate_clocks(struct exchange_pf *pf, const struct cairn_event *event)
{
    int64_t offset_ns = (int64_t)(event->wall_ns - pf->now_ns);

    if (!(event->has & CAIRN_EVENT_WALL))
        return;
    if (pf->has_snapshot &&
        (offset_ns == pf->wall_offset_ns || pf->now_ns - pf->snapshot_ns < SNAPSHOT_NS))
        return;
    write_snapshot(pf, event->wall_ns);
    pf->has_snapshot = true;
    pf->snapshot_ns = pf->now_ns;
    pf->wall_offset_ns = offset_ns;
}

/* ---- events ---- */

/* Finds the class. A new one's names are in `interned`, which is to be written with the event. */
static struct exchange_class *find_class(struct exchange_pf *pf, const struct cairn_event *event,
                                         ExchangePf__InternedData *interned)
{
    const struct decode_layout *layout = decode_layout_of(event->type);
    struct exchange_class *class;

    if (exchange_classes_of(&pf->classes, layout, &class)) {
        pf->error = ENOMEM;
        return NULL;
    }
    if (!class->data) {
        if (!pf->next_iid)
            exchange_pf_intern_names(pf, interned);
        exchange_pf_intern_class(pf, class, layout, interned);
    }
    return class;
}

static void write_event(struct exchange_pf *pf, const struct cairn_event *event)
{
    ExchangePf__InternedData interned = EXCHANGE_PF__INTERNED_DATA__INIT;
    ExchangePf__TrackEvent to = EXCHANGE_PF__TRACK_EVENT__INIT;
    const struct exchange_class *class = find_class(pf, event, &interned);
    const struct exchange_pf_class *data;
    uint64_t name;
    uint64_t ns;

    if (pf->error)
        return;
    data = (const struct exchange_pf_class *)class->data;
    name = class->number + 1u;
    to.has_name_iid = true;
    to.name_iid = name;
    to.n_category_iids = 1;
    to.category_iids = &name;
    ns = exchange_pf_add_to_track(pf, event, &to);
    exchange_pf_set_args(pf, event, data, &to);
    if (event->stack)
        exchange_pf_set_stack(pf, event, &to, &interned);
    if (pf->error)
        return;
    exchange_pf_write_event(pf, ns, &to,
                            interned.n_event_names || interned.n_callstacks ? &interned : NULL);
    if (exchange_lanes_resume(&pf->lanes))
        pf->error = ENOMEM;
    if (exchange_counters_event(&pf->counters, pf->exporter, event, exchange_pf_write_counter, pf))
        pf->error = ENOMEM;
}

static int add_event(struct cairn_exporter *exporter, const struct cairn_event *event)
{
    struct exchange_pf *pf = (struct exchange_pf *)exporter->state;

    exchange_arena_reset(&pf->arena);
    pf->now_ns = exchange_time_of(exporter, event);
    relate_clocks(pf, event);
    if (!exchange_pf_write_sched(pf, event))
        write_event(pf, event);
    else if (event->stack) /* an event of ftrace has none */
        exchange_note(exporter, CAIRN_EXPORTER_STACKS_LEFT_OUT);
    return pf->error;
}

/* ---- begin and end ---- */

static int begin(struct cairn_exporter *exporter)
{
    struct exchange_pf *pf = (struct exchange_pf *)calloc(1, sizeof(*pf));

    if (!pf)
        return ENOMEM;
    exporter->state = pf;
    pf->exporter = exporter;
    return exchange_lanes_open(&pf->lanes, exporter, exchange_pf_write_part, pf);
}

static int finish(struct cairn_exporter *exporter)
{
    struct exchange_pf *pf = (struct exchange_pf *)exporter->state;

    exchange_lanes_finish(&pf->lanes);
    exporter->counts.notes[CAIRN_EXPORTER_STACKS_CUT] += pf->stacks.calls.cut;
    return 0;
}

static void destroy(struct cairn_exporter *exporter)
{
    struct exchange_pf *pf = (struct exchange_pf *)exporter->state;

    if (!pf)
        return;
    exchange_lanes_close(&pf->lanes);
    exchange_counters_close(&pf->counters);
    exchange_classes_free(&pf->classes);
    exchange_pf_free_stacks(&pf->stacks);
    exchange_arena_free(&pf->arena);
    exchange_pack_free(&pf->pack);
    free(pf);
}

const struct exchange_format exchange_format_perfetto = {
    .has_stacks = true,
    .begin = begin,
    .event = add_event,
    .finish = finish,
    .destroy = destroy,
};
