/* SPDX-License-Identifier: MIT */
/* Events in the registry: found by name and fields, added. All under the lock. */
#ifndef ENGINE_EVENT_ENTRY_H
#define ENGINE_EVENT_ENTRY_H

#include "engine/registry.h"

/* Together with the flags of an entry: the caller has parsed the command, and it is valid. */
#define ENGINE_EVENT_IS_PARSED 0x80000000u

/* Compares words with those of an entry's fields, as engine_command_join_words joins them. */
bool engine_event_has_fields(const struct engine_registry *local, uint32_t index,
                             const char *words);

/*
 * Finds or creates the entry of an event; `flags` are of enum engine_entry_flag and
 * ENGINE_EVENT_IS_PARSED. Of one that is found only ENGINE_ENTRY_BIT is added. As in the kernel the
 * name is looked up first, and an invalid command may name an event that is registered. Returns 0;
 * EADDRINUSE the name is in use with other fields, and has not several formats; EINVAL, E2BIG an
 * invalid command; or as engine_registry_add.
 */
int engine_event_find_or_add(struct engine_registry *local, const char *command, uint32_t flags,
                             uint32_t *ret_index);

/* The same for an event that is not in use yet. */
int engine_event_add(struct engine_registry *local, const char *command, uint32_t flags);

#endif
