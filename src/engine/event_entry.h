/* SPDX-License-Identifier: MIT */
/* Events in the registry: found by name and fields, added. All under the lock. */
#ifndef ENGINE_EVENT_ENTRY_H
#define ENGINE_EVENT_ENTRY_H

#include "engine/registry.h"

/* Together with the flags of an entry: the caller has parsed the command, and it is valid. */
#define CAIRN_EVENT_IS_PARSED 0x80000000u

/* Compares words with those of an entry's fields, as cairn_command_join_words joins them. */
bool cairn_event_has_fields(const struct cairn_engine_registry *local, uint32_t index, const char *words);

/*
 * The entry of an event, found or created; `flags` are of enum cairn_entry_flag and
 * CAIRN_EVENT_IS_PARSED. As in the kernel the name is looked up first, and an invalid command may
 * name an event that is registered. Returns 0; EADDRINUSE the name is in use with other fields, and
 * has not several formats; EINVAL, E2BIG an invalid command; or as cairn_registry_add.
 */
int cairn_event_find_or_add(struct cairn_engine_registry *local, const char *command, uint32_t flags,
                            uint32_t *ret_index);

/* The same for an event that nobody uses yet. */
int cairn_event_add(struct cairn_engine_registry *local, const char *command, uint32_t flags);

#endif
