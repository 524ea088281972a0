/* SPDX-License-Identifier: MIT */
/* Relates the clock of a recording to the time of day. */
#include "cairn/perf_data.h"

#include <errno.h>
#include <time.h>

#define TRIES 5

static uint64_t ns_of(struct timespec t)
{
    return (uint64_t)t.tv_sec * UINT64_C(1000000000) + (uint64_t)t.tv_nsec;
}

/*
 * The time of day is read between two readings of the clock; the closest of several pairs is used.
 */
int cairn_perf_clock_read(int32_t clockid, struct cairn_perf_clock *ret_clock)
{
    struct cairn_perf_clock clock = {.clockid = clockid, .wall_clock_known = true};
    struct timespec resolution;
    uint64_t best_ns = UINT64_MAX;

    if (clock_getres(clockid, &resolution))
        return EINVAL;
    clock.resolution_ns = ns_of(resolution);
    for (int i = 0; i < TRIES; i++) {
        struct timespec before;
        struct timespec wall;
        struct timespec after;
        uint64_t gap_ns;

        if (clock_gettime(clockid, &before) || clock_gettime(CLOCK_REALTIME, &wall) ||
            clock_gettime(clockid, &after))
            return EINVAL;
        gap_ns = ns_of(after) - ns_of(before);
        if (gap_ns < best_ns) {
            best_ns = gap_ns;
            clock.time_ns = ns_of(before) + gap_ns / 2;
            clock.wall_clock_ns = ns_of(wall);
        }
    }
    *ret_clock = clock;
    return 0;
}
