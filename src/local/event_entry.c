/* SPDX-License-Identifier: MIT */
#include "local/event_entry.h"
#include "local/session.h"

#include <cairn/schema.h>
#include <errno.h>
#include <string.h>

int cairn_event_compare(const struct cairn_local *local, uint32_t index,
                        const struct cairn_schema *schema)
{
    char command[CAIRN_COMMAND_MAX_BYTES];
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_schema other;

    memcpy(command, local->entries[index].command, sizeof(command));
    command[sizeof(command) - 1] = 0; /* it may be anything, and change */
    if (cairn_schema_parse_command(command, fields, CAIRN_FIELDS_MAX, &other, NULL))
        return EADDRINUSE;
    other.name = schema->name; /* one of several formats has a suffix */
    return cairn_schema_equal(schema, &other) ? 0 : EADDRINUSE;
}

/* Of several formats the one with these fields, or 0. */
static uint32_t find_format(const struct cairn_local *local, const char *command,
                            const struct cairn_schema *schema)
{
    uint32_t index = 0;

    for (uint32_t steps = 0; steps < CAIRN_EVENT_MAX; steps++) {
        index = cairn_registry_next(local, command, index);
        if (!index || (local->entries[index].flags & CAIRN_ENTRY_MULTI &&
                       !cairn_event_compare(local, index, schema)))
            return index;
    }
    return 0;
}

int cairn_event_find_or_add(struct cairn_local *local, const char *command,
                            const struct cairn_schema *schema, uint32_t flags, uint32_t *ret_index)
{
    uint32_t index = flags & CAIRN_ENTRY_MULTI ? find_format(local, command, schema)
                                               : cairn_registry_find(local, command);
    int error = index ? cairn_event_compare(local, index, schema)
                      : cairn_registry_add(local, command, flags, &index);

    if (!error)
        *ret_index = index;
    return error;
}

int cairn_event_add(struct cairn_local *local, const char *command, uint32_t flags)
{
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_schema schema;
    uint32_t index;
    int error = cairn_schema_parse_command(command, fields, CAIRN_FIELDS_MAX, &schema, NULL);

    if (!error)
        error = cairn_event_find_or_add(local, command, &schema, flags, &index);
    if (error)
        return error;
    cairn_session_match_entry(local, index);
    cairn_registry_notify(local);
    return 0;
}
