/* SPDX-License-Identifier: MIT */
/* Entries of events, found by name and fields. */
#include "engine/event_entry.h"
#include "engine/command_words.h"
#include "engine/session.h"

#include <cairn/schema.h>
#include <errno.h>
#include <string.h>

bool engine_event_has_fields(const struct engine_registry *local, uint32_t index, const char *words)
{
    char command[CAIRN_COMMAND_MAX_BYTES];
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_schema schema;

    memcpy(command, local->entries[index].command, sizeof(command));
    command[sizeof(command) - 1] = 0; /* it may be anything, and change */
    return !cairn_schema_parse_command(command, fields, CAIRN_FIELDS_MAX, &schema, NULL) &&
           engine_command_words_match(words, &schema);
}

/* Returns the format with these fields among several, or 0. */
static uint32_t find_format(const struct engine_registry *local, const char *command,
                            const char *words)
{
    uint32_t index = 0;

    for (uint32_t steps = 0; steps < ENGINE_EVENT_MAX; steps++) {
        index = engine_registry_next(local, command, index);
        if (!index || (local->entries[index].flags & ENGINE_ENTRY_MULTI &&
                       engine_event_has_fields(local, index, words)))
            return index;
    }
    return 0;
}

/* Returns 0, with the index 0 when there is none; EADDRINUSE. */
static int find(const struct engine_registry *local, const char *command, uint32_t flags,
                uint32_t *ret_index)
{
    char words[ENGINE_WORDS_MAX_BYTES];

    if (!(flags & ENGINE_ENTRY_MULTI)) {
        *ret_index = engine_registry_find(local, command);
        if (!*ret_index)
            return 0;
    }
    engine_command_join_words(engine_command_arguments(command), true, words);
    if (flags & ENGINE_ENTRY_MULTI) {
        *ret_index = find_format(local, command, words);
        return 0;
    }
    return engine_event_has_fields(local, *ret_index, words) ? 0 : EADDRINUSE;
}

static int add(struct engine_registry *local, const char *command, uint32_t flags,
               uint32_t *ret_index)
{
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_schema schema;
    int error = 0;

    if (!(flags & ENGINE_EVENT_IS_PARSED))
        error = cairn_schema_parse_command(command, fields, CAIRN_FIELDS_MAX, &schema, NULL);
    return error ? error
                 : engine_registry_add(local, command, flags & ~ENGINE_EVENT_IS_PARSED, ret_index);
}

int engine_event_find_or_add(struct engine_registry *local, const char *command, uint32_t flags,
                             uint32_t *ret_index)
{
    uint32_t index = 0;
    int error = flags & ENGINE_EVENT_IS_PARSED ? 0 : engine_command_check_head(command);

    if (!error)
        error = find(local, command, flags, &index);
    if (!error && !index)
        error = add(local, command, flags, &index);
    if (error)
        return error;
    local->entries[index].flags |= flags & ENGINE_ENTRY_BIT;
    *ret_index = index;
    return 0;
}

int engine_event_add(struct engine_registry *local, const char *command, uint32_t flags)
{
    uint32_t index;
    int error = engine_event_find_or_add(local, command, flags, &index);

    if (error)
        return error;
    engine_session_match_entry(local, index);
    engine_registry_notify(local);
    return 0;
}
