/* SPDX-License-Identifier: MIT */
/*
 * The time of events: programs write the processor's counter, and the session converts it. It keeps
 * the lines of its calibrations, each valid from its counter on up to the next one's.
 *
 * Each line begins after the records were read that the one before converts: an event has the same
 * time whenever it is read, and time does not go back.
 */
#ifndef SESSION_TICKS_H
#define SESSION_TICKS_H

#include "engine/clock.h"

#define SESSION_LINES_MAX 1024u

/* Starts as zeros. */
struct session_ticks {
    struct engine_clock_line lines[SESSION_LINES_MAX]; /* a ring: line i is at i % its size */
    uint64_t count;
};

enum session_ticks_change { SESSION_TICKS_SAME, SESSION_TICKS_MORE, SESSION_TICKS_ANEW };

/* Adds a line, if it is not the last one. If the counter has begun anew, the earlier ones are
 * forgotten. */
enum session_ticks_change session_ticks_add(struct session_ticks *ticks,
                                            const struct engine_clock_line *line);

/* Returns the counter at a time, by the last line. False: there is none. */
bool session_ticks_counter(const struct session_ticks *ticks, uint64_t time_ns,
                           uint64_t *ret_counter);

/* Returns the time of CLOCK_MONOTONIC in ns. False: there is no line. */
bool session_ticks_time(const struct session_ticks *ticks, uint64_t counter, uint64_t *ret_ns);

#endif
