/* SPDX-License-Identifier: MIT */
/* The registry as text, as the user_events document and tracefs have it. All under the lock. */
#ifndef ENGINE_REGISTRY_TEXT_H
#define ENGINE_REGISTRY_TEXT_H

#include "core/private_api.h"
#include "engine/output.h"
#include "engine/registry.h"

/* "INDEX:NAME [# Used by ftrace perf]" for each event, then how many are active, busy, and
 * possible.
 */
void engine_registry_print_status(const struct engine_registry *local,
                                  struct engine_output *output);

/* "u:NAME type field; type field" for each event: what dynamic_events takes. */
void engine_registry_print_commands(const struct engine_registry *local,
                                    struct engine_output *output);

/* "user_events:NAME" for each event that a session of the mask has taken; ~0: for each event. */
void engine_registry_print_names(const struct engine_registry *local, uint64_t sessions,
                                 struct engine_output *output);

/*
 * Executes a line of dynamic_events: "u:NAME [fields]" adds an event that persists;
 * "-:[SYSTEM/]NAME [fields]" and "!u:[SYSTEM/]NAME [fields]" delete it, if it has these fields when
 * there are any. Returns 0; EINVAL a malformed line, or an invalid command; E2BIG; EADDRINUSE;
 * ENOENT; EBUSY it is in use; ENOSPC.
 */
int engine_registry_command(struct engine_registry *local, const char *line)
    CORE_PRIVATE_API(engine_registry_command);

#endif
