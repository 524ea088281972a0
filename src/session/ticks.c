/* SPDX-License-Identifier: MIT */
/* Converts the processor's counter to time, by the line that was in force. */
#include "session/ticks.h"

static const struct engine_clock_line *line_at(const struct session_ticks *ticks, uint64_t number)
{
    return &ticks->lines[number % SESSION_LINES_MAX];
}

enum session_ticks_change session_ticks_add(struct session_ticks *ticks,
                                            const struct engine_clock_line *line)
{
    enum session_ticks_change change = SESSION_TICKS_MORE;

    if (!line->ticks)
        return SESSION_TICKS_SAME;
    if (ticks->count && line->ticks <= line_at(ticks, ticks->count - 1)->ticks) {
        if (line->ticks == line_at(ticks, ticks->count - 1)->ticks)
            return SESSION_TICKS_SAME;
        ticks->count = 0;
        change = SESSION_TICKS_ANEW;
    }
    ticks->lines[ticks->count++ % SESSION_LINES_MAX] = *line;
    return change;
}

/* Nearly always the last one, or the one before. */
static const struct engine_clock_line *line_of(const struct session_ticks *ticks, uint64_t counter)
{
    uint64_t number = ticks->count - 1;
    uint64_t oldest = ticks->count > SESSION_LINES_MAX ? ticks->count - SESSION_LINES_MAX : 0;

    while (number > oldest && line_at(ticks, number)->ticks > counter)
        number--;
    return line_at(ticks, number);
}

bool session_ticks_time(const struct session_ticks *ticks, uint64_t counter, uint64_t *ret_ns)
{
    const struct engine_clock_line *line;
    __int128 passed;

    if (!ticks->count)
        return false;
    line = line_of(ticks, counter);
    passed = (int64_t)(counter - line->ticks);
    *ret_ns = line->time_ns + (uint64_t)(int64_t)(passed * line->mult >> 32);
    return true;
}

bool session_ticks_counter(const struct session_ticks *ticks, uint64_t time_ns,
                           uint64_t *ret_counter)
{
    const struct engine_clock_line *line;
    __int128 passed;

    if (!ticks->count)
        return false;
    line = line_at(ticks, ticks->count - 1);
    passed = (int64_t)(time_ns - line->time_ns);
    *ret_counter = line->ticks + (uint64_t)(int64_t)((passed << 32) / (__int128)line->mult);
    return true;
}
