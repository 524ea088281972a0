/* SPDX-License-Identifier: MIT */
/* The time of an event, for spans and for states of threads. */
#ifndef TIMELINE_TIME_H
#define TIMELINE_TIME_H

#include <cairn/decode.h>

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

#endif
