/* SPDX-License-Identifier: MIT */
/* The times of events, in the forms of enum cairn_printer_time. */
#ifndef EXPORT_EVENT_TIME_H
#define EXPORT_EVENT_TIME_H

#include "export/wall_clock.h"

#include <cairn/export.h>

struct export_event_times {
    enum cairn_printer_time form;
    struct export_wall_clock utc;
    struct export_wall_clock local;
    uint64_t previous_ns; /* of the event before */
    bool has_previous;
};

/* Resolves the form for an event: DEFAULT, and the time of day if it is not known. */
static inline enum cairn_printer_time export_time_form(const struct export_event_times *times,
                                                       const struct cairn_event *event,
                                                       enum cairn_printer_time by_default)
{
    enum cairn_printer_time form = times->form ? times->form : by_default;

    if (form <= CAIRN_PRINTER_TIME_LOCAL && !(event->has & CAIRN_EVENT_WALL))
        return CAIRN_PRINTER_TIME_MONO;
    return form;
}

/* Writes the time of an event in a form that was resolved; seconds have 6 or 9 decimals. Returns
 * the address after it. Space: EXPORT_WALL_CLOCK_ROOM_BYTES. */
char *export_put_event_time(char *to, struct export_event_times *times,
                            enum cairn_printer_time form, const struct cairn_event *event,
                            unsigned decimals);

#endif
