/* SPDX-License-Identifier: MIT */
/* The time of an event, for spans and for states of threads. */
#ifndef TIMELINE_TIME_H
#define TIMELINE_TIME_H

#include "decode/layout.h"

/*
 * Returns an event's time in ns: since 1970 if the recording relates its clock to the time of day,
 * otherwise that of its clock. 0: unknown.
 */
static inline uint64_t timeline_time_of(const struct cairn_event *event)
{
    if (event->has & CAIRN_EVENT_WALL)
        return event->wall_ns;
    return event->has & CAIRN_EVENT_TIME ? event->time_ns : 0;
}

/* The time of an event, for the time from one event to another. */
struct timeline_moment {
    uint64_t ns;       /* as timeline_time_of */
    uint64_t clock_ns; /* of the clock of its decoder's recording; 0 without one */
    uint64_t decoder;  /* 0: unknown, or the event has no time of that clock */
};

static inline struct timeline_moment timeline_moment_of(const struct cairn_event *event)
{
    struct timeline_moment moment = {.ns = timeline_time_of(event)};

    if (event->has & CAIRN_EVENT_TIME) {
        moment.clock_ns = event->time_ns;
        moment.decoder = decode_layout_of(event->type)->decoder;
    }
    return moment;
}

/*
 * Returns the moment that was some ns before another one: the beginning if there was none. A
 * recording's clock may have begun later than that, and then has no such time.
 */
static inline struct timeline_moment timeline_moment_before(struct timeline_moment moment,
                                                            uint64_t age_ns)
{
    moment.ns -= age_ns < moment.ns ? age_ns : moment.ns;
    if (age_ns > moment.clock_ns)
        return (struct timeline_moment){.ns = moment.ns};
    moment.clock_ns -= age_ns;
    return moment;
}

/*
 * Sets *ret_ns to the time from a moment to another one: by the recording's clock, as the time of
 * day may be set meanwhile; by the time of day if they are of two recordings, whose clocks differ.
 *
 * False: the second one is before the first one.
 */
static inline bool timeline_duration(const struct timeline_moment *from,
                                     const struct timeline_moment *to, uint64_t *ret_ns)
{
    bool has_clock = from->decoder && from->decoder == to->decoder;
    uint64_t from_ns = has_clock ? from->clock_ns : from->ns;
    uint64_t to_ns = has_clock ? to->clock_ns : to->ns;

    if (to_ns < from_ns)
        return false;
    *ret_ns = to_ns - from_ns;
    return true;
}

#endif
