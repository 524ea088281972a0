/* SPDX-License-Identifier: MIT */
/* Events in the registry: found by name and fields, added. All under the lock. */
#ifndef LOCAL_EVENT_ENTRY_H
#define LOCAL_EVENT_ENTRY_H

#include "local/registry.h"

/* Returns 0 when an entry's event has these fields, whatever its name; else EADDRINUSE. */
int cairn_event_compare(const struct cairn_local *local, uint32_t index,
                        const struct cairn_schema *schema);

/*
 * The entry of an event, found or made; `schema` is the command's, `flags` are of
 * enum cairn_entry_flag. Returns 0; EADDRINUSE the name is in use with other fields, and is not of
 * several formats; or as cairn_registry_add.
 */
int cairn_event_find_or_add(struct cairn_local *local, const char *command,
                            const struct cairn_schema *schema, uint32_t flags, uint32_t *ret_index);

/* The same for an event that nobody uses yet. Returns also EINVAL, E2BIG a bad command. */
int cairn_event_add(struct cairn_local *local, const char *command, uint32_t flags);

#endif
