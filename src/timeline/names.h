/* SPDX-License-Identifier: MIT */
/* The names of events as texts, each stored once. */
#ifndef TIMELINE_NAMES_H
#define TIMELINE_NAMES_H

#include <cairn/decode.h>

struct timeline_name;

struct timeline_names {
    struct timeline_name **buckets; /* bucket_count, a power of two */
    uint32_t bucket_count;
    uint32_t count;
};

/* ret_name  "Provider:Event", valid until free. Returns 0, ENOMEM. */
int timeline_names_find(struct timeline_names *names, const struct cairn_event_type *type,
                        const char **ret_name);

/* Accepts zeros. */
void timeline_names_free(struct timeline_names *names);

#endif
