/* SPDX-License-Identifier: MIT */
/* The parts of the exporter for Perfetto: packets, arguments of events, tracks, slices. */
#ifndef EXCHANGE_PERFETTO_H
#define EXCHANGE_PERFETTO_H

#include "exchange/arena.h"
#include "exchange/classes.h"
#include "exchange/counters.h"
#include "exchange/format.h"
#include "exchange/lanes.h"
#include "exchange/pack.h"

#include "exchange/perfetto.pb-c.h"
#include "timeline/calls.h"
#include "timeline/sched_event.h"

/* Constants of Perfetto. */
enum {
    EXCHANGE_PF_SLICE_BEGIN = 1,
    EXCHANGE_PF_SLICE_END = 2,
    EXCHANGE_PF_INSTANT = 3,
    EXCHANGE_PF_COUNTER = 4,
    EXCHANGE_PF_STATE_CLEARED = 1,
    EXCHANGE_PF_NEEDS_STATE = 2,
    EXCHANGE_PF_CLOCK_REALTIME = 1,
    EXCHANGE_PF_CLOCK_MONOTONIC = 3,
    EXCHANGE_PF_CLOCK_BOOTTIME = 6,
};

/* The tracks of counters have numbers above those of threads. */
#define EXCHANGE_PF_COUNTER_TRACK (UINT64_C(5) << 56)

/* The data of a class. */
struct exchange_pf_class {
    uint64_t first_iid; /* of the names of its fields */
};

struct exchange_pf_stacks {
    struct timeline_calls calls;
    uint32_t interned_functions; /* of the list */
    uint8_t *interned;           /* a bit for each call that is a callstack */
    uint32_t interned_bytes;
};

struct exchange_pf {
    struct cairn_exporter *exporter;
    struct exchange_classes classes;
    struct exchange_lanes lanes;
    struct exchange_counters counters;
    struct timeline_sched_reader sched;
    struct exchange_pf_stacks stacks;
    struct exchange_pack pack;
    size_t described_counters;   /* of the list */
    struct exchange_arena arena; /* of the event */
    uint64_t next_iid;           /* of names of fields */
    uint64_t now_ns;             /* time of the event */
    int error;                   /* ENOMEM, or 0 */
    bool has_packets;
    bool has_loose_track; /* of events without a thread */
    bool has_snapshot;
    uint64_t snapshot_ns;
    int64_t wall_offset_ns; /* of the last snapshot */
};

/* ---- perfetto_packet.c ---- */

/* Returns memory for the event's messages; NULL: `error` is set. */
void *exchange_pf_take(struct exchange_pf *pf, size_t size_bytes);

/* Text of any bytes, copied to the event's memory. */
ProtobufCBinaryData exchange_pf_text(struct exchange_pf *pf, struct cairn_slice text);

/* The bytes that exporter->text has, copied to the event's memory. */
ProtobufCBinaryData exchange_pf_copy_text(struct exchange_pf *pf);

/* Writes a packet. */
void exchange_pf_write(struct exchange_pf *pf, const ExchangePf__Packet *packet);

/* Writes a track event. `interned` may be NULL. */
void exchange_pf_write_event(struct exchange_pf *pf, uint64_t ns, ExchangePf__TrackEvent *event,
                             ExchangePf__InternedData *interned);

void exchange_pf_write_track(struct exchange_pf *pf, ExchangePf__TrackDescriptor *track);

/* ---- perfetto_args.c ---- */

/* The names that are interned with the first event. */
void exchange_pf_intern_names(struct exchange_pf *pf, ExchangePf__InternedData *interned);

/* Sets the class's data and adds its names. */
void exchange_pf_intern_class(struct exchange_pf *pf, struct exchange_class *class,
                              const struct decode_layout *layout,
                              ExchangePf__InternedData *interned);

/* Sets the debug annotations of an event: its fields and its header. */
void exchange_pf_set_args(struct exchange_pf *pf, const struct cairn_event *event,
                          const struct exchange_pf_class *class, ExchangePf__TrackEvent *to);

/* Returns a name with its number, as interned data has it; NULL: `error` is set. */
ExchangePf__Interned *exchange_pf_intern(struct exchange_pf *pf, uint64_t iid,
                                         struct cairn_slice name);

/* Writes the value of a counter. */
exchange_counter_fn exchange_pf_write_counter;

/* ---- perfetto_stacks.c ---- */

/* Sets the stack of an event, if it has one. What is new of it is added to `interned`. */
void exchange_pf_set_stack(struct exchange_pf *pf, const struct cairn_event *event,
                           ExchangePf__TrackEvent *to, ExchangePf__InternedData *interned);

void exchange_pf_free_stacks(struct exchange_pf_stacks *stacks);

/* ---- perfetto_tracks.c ---- */

/* Sets the track, type and flows of an event, after the descriptors of its track. Returns its time
 * there. */
uint64_t exchange_pf_add_to_track(struct exchange_pf *pf, const struct cairn_event *event,
                                  ExchangePf__TrackEvent *to);

/* Writes the beginning or the end of a part of a slice. */
exchange_part_fn exchange_pf_write_part;

/* ---- perfetto_sched.c ---- */

/* Writes an event of the scheduler as an event of ftrace. False: it is none, or lacks fields. */
bool exchange_pf_write_sched(struct exchange_pf *pf, const struct cairn_event *event);

#endif
