/* SPDX-License-Identifier: MIT */
/* The machine of a recording: it may be that of another recording, too. */
#ifndef PERF_DATA_MACHINE_H
#define PERF_DATA_MACHINE_H

#include <stdbool.h>
#include <stdint.h>
#include <string.h>

/* Clocks of one machine differ by at most this: the time of day may have been adjusted between two
 * recordings. */
#define PERF_DATA_SAME_CLOCK_NS 1000000000

/* The name and the clock of a machine, by its recording. */
struct perf_data_machine {
    const char *hostname; /* "": not known */
    int32_t clockid;
    uint64_t time_ns; /* of the clock ... */
    uint64_t wall_ns; /* ... at this time of day; 0: not known, and the machine is no other's */
};

/* True if the clocks began to count at the same time of day, on machines of one name. */
static inline bool perf_data_is_same_machine(const struct perf_data_machine *a,
                                             const struct perf_data_machine *b)
{
    int64_t difference = (int64_t)((a->wall_ns - a->time_ns) - (b->wall_ns - b->time_ns));

    return a->wall_ns && b->wall_ns && a->clockid == b->clockid &&
           !strcmp(a->hostname, b->hostname) && difference > -PERF_DATA_SAME_CLOCK_NS &&
           difference < PERF_DATA_SAME_CLOCK_NS;
}

#endif
