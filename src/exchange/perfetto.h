/* SPDX-License-Identifier: MIT */
/* The parts of the exporter for Perfetto: packets, arguments of events, tracks, slices. */
#ifndef EXCHANGE_PERFETTO_H
#define EXCHANGE_PERFETTO_H

#include "exchange/arena.h"
#include "exchange/classes.h"
#include "exchange/format.h"
#include "exchange/threads.h"
#include "timeline/spans.h"

#include "exchange/perfetto.pb-c.h"

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

/* A counter of a class: a field, by its index in the layout. */
struct exchange_pf_counter {
    uint32_t field;
    uint64_t track;
};

/* The data of a class. */
struct exchange_pf_class {
    uint64_t first_iid; /* of the names of its fields */
    uint32_t counter_count;
    struct exchange_pf_counter counters[];
};

/* Slices of a lane nest; the lanes of a thread are its own track, and others for spans that
 * overlap. */
struct exchange_pf_lane {
    uint64_t track;
    struct exchange_pf_slice *top;
    struct exchange_pf_lane *next; /* of the thread */
    struct exchange_pf_lane *next_idle;
    struct exchange_thread *thread;
};

/* The data of a thread. */
struct exchange_pf_thread {
    struct exchange_pf_lane own;
    struct exchange_pf_lane *idle; /* lanes without a slice, except the thread's own */
};

/* An open slice: the cookie of its span. */
struct exchange_pf_slice {
    struct exchange_pf_slice *below;
    struct exchange_pf_lane *lane;
    uint64_t name; /* iids */
    uint64_t flow;
};

struct exchange_pf {
    struct cairn_exporter *exporter;
    struct exchange_classes classes;
    struct exchange_threads threads;
    struct exchange_arena arena; /* of the event */
    struct timeline_spans *spans;
    struct exchange_pf_slice *rest; /* slices to be begun again, the lowest first, by below */
    struct exchange_pf_lane *lanes; /* all but the threads' own, by next */
    uint64_t next_iid;              /* of names of fields */
    uint64_t next_track;            /* of lanes and counters */
    uint64_t now_ns;                /* time of the event */
    int error;                      /* ENOMEM, or 0 */
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

/* Writes a track event at the event's time. `interned` may be NULL. */
void exchange_pf_write_event(struct exchange_pf *pf, ExchangePf__TrackEvent *event,
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

/* Writes the values of counters. */
void exchange_pf_write_counters(struct exchange_pf *pf, const struct cairn_event *event,
                                const struct exchange_pf_class *class);

/* ---- perfetto_tracks.c ---- */

/* Returns the track of an event's thread, after its descriptor; and the thread, or NULL. */
uint64_t exchange_pf_track_of(struct exchange_pf *pf, const struct cairn_event *event,
                              struct exchange_thread **ret_thread);

/* Sets the track, type and flows of an event: a slice begins or ends, or an instant. */
void exchange_pf_place(struct exchange_pf *pf, const struct cairn_event *event,
                       ExchangePf__TrackEvent *to);

/* Writes the second parts of slices, after one below them ended. */
void exchange_pf_write_rest(struct exchange_pf *pf);

/* A span is forgotten: its slice ends. */
void exchange_pf_forget(void *context, const struct timeline_span *span);

void exchange_pf_free_tracks(struct exchange_pf *pf);

/* ---- perfetto_sched.c ---- */

/* Writes an event of the scheduler as an event of ftrace. False: it is none, or lacks fields. */
bool exchange_pf_write_sched(struct exchange_pf *pf, const struct cairn_event *event);

#endif
