/* SPDX-License-Identifier: MIT */
/* Writes the times of events. */
#include "export/event_time.h"

#include "export/number.h"

/* Clocks of several recordings may differ: a difference can be negative. */
static char *put_delta(char *to, struct export_event_times *times, const struct cairn_event *event,
                       unsigned decimals)
{
    uint64_t delta_ns = times->has_previous ? event->time_ns - times->previous_ns : 0;

    if ((int64_t)delta_ns < 0) {
        *to++ = '-';
        delta_ns = -delta_ns;
    }
    times->previous_ns = event->time_ns;
    times->has_previous = true;
    return export_put_seconds(to, delta_ns, decimals);
}

char *export_put_event_time(char *to, struct export_event_times *times,
                            enum cairn_printer_time form, const struct cairn_event *event,
                            unsigned decimals)
{
    switch (form) {
    case CAIRN_PRINTER_TIME_UTC:
        return export_put_wall_time(to, &times->utc, event->wall_ns);
    case CAIRN_PRINTER_TIME_LOCAL:
        return export_put_local_time(to, &times->local, event->wall_ns);
    case CAIRN_PRINTER_TIME_DELTA:
        return put_delta(to, times, event, decimals);
    case CAIRN_PRINTER_TIME_EPOCH_NS:
        return export_put_unsigned(to,
                                   event->has & CAIRN_EVENT_WALL ? event->wall_ns : event->time_ns);
    default:
        return export_put_seconds(to, event->time_ns, decimals);
    }
}
