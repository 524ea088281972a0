/* SPDX-License-Identifier: MIT */
/* Events in the registry: found by name and fields, added. All under the lock. */
#ifndef ENGINE_EVENT_ENTRY_H
#define ENGINE_EVENT_ENTRY_H

#include "engine/registry.h"

/* Beside the flags of an entry: the caller has parsed the command, and it is good. */
#define CAIRN_EVENT_IS_PARSED 0x80000000u

/* Whether these are the words of an entry's fields, as cairn_command_join_words joins them. */
bool cairn_event_has_fields(const struct cairn_local *local, uint32_t index, const char *words);

/*
 * The entry of an event, found or made; `flags` are of enum cairn_entry_flag, or
 * CAIRN_EVENT_IS_PARSED besides. As in the kernel the
 * name is looked for first, and a command that makes no sense may be an event that is there.
 * Returns 0; EADDRINUSE the name is in use with other fields, and is not of several formats;
 * EINVAL, E2BIG a bad command; or as cairn_registry_add.
 */
int cairn_event_find_or_add(struct cairn_local *local, const char *command, uint32_t flags,
                            uint32_t *ret_index);

/* The same for an event that nobody uses yet. */
int cairn_event_add(struct cairn_local *local, const char *command, uint32_t flags);

#endif
