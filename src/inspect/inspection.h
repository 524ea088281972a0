/* SPDX-License-Identifier: MIT */
/* Snapshots of the tracing directory: what they are made of. */
#ifndef INSPECT_INSPECTION_H
#define INSPECT_INSPECTION_H

#include "engine/registry.h"

#include <cairn/inspect.h>

/* An event, copied out of shared memory. */
struct inspect_item {
    char name[CAIRN_COMMAND_MAX_BYTES];
    char fields[CAIRN_COMMAND_MAX_BYTES];
    uint32_t number;
    uint32_t listeners;
    uint32_t registrations;
};

/* ---- events.c ---- */

struct inspect_events {
    struct inspect_item *items;
    uint32_t count;
    const char *const *patterns;
    size_t pattern_count;
};

/* Appends the events of a registry, under its lock. Returns 0, ENOMEM. */
int inspect_events_of_own(struct inspect_events *events, const struct engine_registry *local);

/* Appends the events of other users of a shared directory, sorts all by name, and merges equal
 * ones. Directories that cannot be read are left out. Returns 0, ENOMEM. */
int inspect_events_of_others(struct inspect_events *events, const struct engine_directory *own);

/* ---- sessions.c ---- */

struct inspect_session {
    struct cairn_inspected_session shown;
    char texts[ENGINE_SESSION_PATTERNS + 1]; /* of the patterns, which point to it */
    const char *patterns[ENGINE_SESSION_PATTERNS / 2 + 1];
};

struct inspect_sessions {
    struct inspect_session *sessions;
    uint32_t session_count;
    struct cairn_inspected_buffer *buffers;
    uint32_t buffer_count;
};

/* Reads the sessions of a registry, with their buffers and losses; to be freed in any case. Needs
 * no lock: without it, one that begins or ends meanwhile may be left out. Returns 0, ENOMEM. */
int inspect_sessions_read(const struct engine_registry *local,
                          struct inspect_sessions *ret_sessions);

void inspect_sessions_free(struct inspect_sessions *sessions);

#endif
