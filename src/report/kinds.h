/* SPDX-License-Identifier: MIT */
/* The kinds of events: one for each layout, with its name, its fields, and what is counted of it.
 */
#ifndef REPORT_KINDS_H
#define REPORT_KINDS_H

#include "decode/layout.h"
#include "export/output.h"
#include "stats/sketch.h"
#include "timeline/sched_event.h"

#define REPORT_KINDS_MAX 16384u /* further ones share the last */

struct report_kind {
    uint64_t serial; /* of the layout */
    uint32_t number;
    bool is_others; /* of the kinds that are too many */
    enum timeline_sched_kind sched;
    struct cairn_slice text; /* "provider":...,"event":...,...,"fields":[...], as JSON; owned */
    uint64_t count;
    uint64_t bytes;
    uint64_t damaged;
    struct stats_sketch durations; /* of spans that it begins, in ns */
};

struct report_kinds {
    struct report_kind **list;
    uint32_t count;
    uint32_t capacity;
    uint32_t *slots; /* number + 1 by the layout's serial number; slot_count, a power of two */
    uint32_t slot_count;
};

/* Finds the kind of an event, or adds it. Returns 0, ENOMEM. */
int report_kinds_find(struct report_kinds *kinds, const struct cairn_event_type *type,
                      struct report_kind **ret_kind);

/* Accepts zeros. */
void report_kinds_free(struct report_kinds *kinds);

#endif
