/* SPDX-License-Identifier: MIT */
/* Reduces the pairs of clocks of a trace file to one. */
#include "convert/one_clock.h"

#define SET_NS UINT64_C(1000000) /* smaller changes are adjustments */

/* Pairs that have nearly the same difference from the time of day. */
struct run {
    const struct trace_file_clock_pair *first;
    uint64_t duration_ns; /* up to the next run */
};

static uint64_t difference_ns(const struct trace_file_clock_pair *a,
                              const struct trace_file_clock_pair *b)
{
    uint64_t ns = (a->wall_ns - a->time_ns) - (b->wall_ns - b->time_ns);

    return (int64_t)ns < 0 ? 0 - ns : ns;
}

const struct trace_file_clock_pair *convert_one_clock(const struct trace_file_clocks *clocks)
{
    const struct trace_file_clock_pair *pairs = clocks->pairs;
    struct run longest = {.first = clocks->count ? pairs : NULL};
    struct run run = {0};

    for (uint32_t n = 0; n < clocks->count; n++) {
        if (!pairs[n].wall_ns || (run.first && pairs[n].domain != run.first->domain))
            continue;
        if (!run.first)
            longest.first = run.first = &pairs[n];
        run.duration_ns = pairs[n].time_ns - run.first->time_ns;
        if (run.duration_ns > longest.duration_ns)
            longest = run;
        if (difference_ns(&pairs[n], run.first) > SET_NS)
            run = (struct run){.first = &pairs[n]};
    }
    return longest.first;
}

uint64_t convert_one_clock_error_ns(const struct trace_file_clocks *clocks,
                                    const struct trace_file_clock_pair *pair)
{
    uint64_t error_ns = 0;

    for (uint32_t n = 0; n < clocks->count && pair->wall_ns; n++) {
        const struct trace_file_clock_pair *other = &clocks->pairs[n];

        if (other->wall_ns && difference_ns(other, pair) > error_ns)
            error_ns = difference_ns(other, pair);
    }
    return error_ns > SET_NS ? error_ns : 0;
}
