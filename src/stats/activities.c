/* SPDX-License-Identifier: MIT */
/* A hash table of open activities. An id can be in one of eight slots; the table grows up to its
 * limit. */
#include "stats/activities.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

#define WAYS 8u

static uint32_t set_of(const struct stats_activities *activities, const uint8_t *id)
{
    uint64_t words[2];

    memcpy(words, id, sizeof(words));
    words[0] = (words[0] ^ words[1] * 0x9e3779b97f4a7c15u) * 0xff51afd7ed558ccdu;
    return (uint32_t)(words[0] >> 32) & (activities->slot_count - 1) & ~(WAYS - 1);
}

static struct stats_activity *find(const struct stats_activities *activities, const uint8_t *id)
{
    struct stats_activity *set = activities->slots + set_of(activities, id);

    for (uint32_t n = 0; n < WAYS; n++) {
        if (set[n].group && !memcmp(set[n].id, id, STATS_ACTIVITY_ID_BYTES))
            return &set[n];
    }
    return NULL;
}

/* Returns a free slot, or that of the activity that has been open for longest. */
static struct stats_activity *make_place(struct stats_activities *activities, const uint8_t *id)
{
    struct stats_activity *set = activities->slots + set_of(activities, id);
    struct stats_activity *oldest = &set[0];

    for (uint32_t n = 0; n < WAYS; n++) {
        if (!set[n].group)
            return &set[n];
        if (set[n].begin_ns < oldest->begin_ns)
            oldest = &set[n];
    }
    return oldest;
}

static void put(struct stats_activities *activities, const struct stats_activity *activity)
{
    struct stats_activity *place = make_place(activities, activity->id);

    if (place->group)
        activities->forgotten++;
    else
        activities->open++;
    *place = *activity;
}

static int grow(struct stats_activities *activities)
{
    struct stats_activities bigger = {.forgotten = activities->forgotten,
                                      .unknown = activities->unknown};

    bigger.slot_count = activities->slot_count ? 4 * activities->slot_count : 1024;
    bigger.slots = (struct stats_activity *)calloc(bigger.slot_count, sizeof(*bigger.slots));
    if (!bigger.slots)
        return ENOMEM;
    for (uint32_t n = 0; n < activities->slot_count; n++) {
        if (activities->slots[n].group)
            put(&bigger, &activities->slots[n]);
    }
    free(activities->slots);
    *activities = bigger;
    return 0;
}

int stats_activities_begin(struct stats_activities *activities, const uint8_t *id, uint64_t time_ns,
                           struct stats_group *group)
{
    struct stats_activity activity = {.begin_ns = time_ns, .group = group};
    struct stats_activity *open;

    if (2 * activities->open >= activities->slot_count &&
        activities->slot_count < STATS_ACTIVITIES_MAX && grow(activities))
        return ENOMEM;
    memcpy(activity.id, id, sizeof(activity.id));
    open = find(activities, id);
    if (open)
        *open = activity;
    else
        put(activities, &activity);
    return 0;
}

bool stats_activities_end(struct stats_activities *activities, const uint8_t *id, uint64_t time_ns,
                          struct stats_group **ret_group, uint64_t *ret_duration_ns)
{
    struct stats_activity *open = activities->slot_count ? find(activities, id) : NULL;

    if (!open || time_ns < open->begin_ns) {
        activities->unknown++;
        return false;
    }
    *ret_group = open->group;
    *ret_duration_ns = time_ns - open->begin_ns;
    open->group = NULL;
    activities->open--;
    return true;
}

void stats_activities_free(struct stats_activities *activities)
{
    free(activities->slots);
    *activities = (struct stats_activities){0};
}
