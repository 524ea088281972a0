/* SPDX-License-Identifier: MIT */
/* Activities that began and have not ended: for their durations. */
#ifndef STATS_ACTIVITIES_H
#define STATS_ACTIVITIES_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define STATS_ACTIVITY_ID_BYTES 16u

/* If more are open, a new one may replace another one. */
#define STATS_ACTIVITIES_MAX 262144u /* a power of two */

struct stats_group;

struct stats_activity {
    uint8_t id[STATS_ACTIVITY_ID_BYTES];
    uint64_t begin_ns;
    struct stats_group *group; /* of its name; NULL: the slot is free */
};

struct stats_activities {
    struct stats_activity *slots; /* slot_count, a power of two */
    uint32_t slot_count;
    uint64_t open;      /* now */
    uint64_t forgotten; /* replaced while they were open */
    uint64_t unknown;   /* ends without a begin */
};

/* Begins an activity. If it is open already, it begins again. Returns 0, ENOMEM. */
int stats_activities_begin(struct stats_activities *activities, const uint8_t *id, uint64_t time_ns,
                           struct stats_group *group);

/* Ends it. False: it is not known. */
bool stats_activities_end(struct stats_activities *activities, const uint8_t *id, uint64_t time_ns,
                          struct stats_group **ret_group, uint64_t *ret_duration_ns);

/* Accepts zeros. */
void stats_activities_free(struct stats_activities *activities);

#endif
