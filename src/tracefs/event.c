/* SPDX-License-Identifier: MIT */
/* The events of the registry. */
#include "tracefs/event.h"
#include "engine/engine.h"

#include <string.h>

uint64_t tracefs_event_id(uint32_t index)
{
    uint64_t generation = engine_self.local.entries[index].generation;

    return generation ? engine_sample_id(generation, index) : 0;
}

bool tracefs_event_is_there(uint64_t id)
{
    uint32_t index = engine_sample_index(id);

    return id && index < ENGINE_EVENT_MAX && tracefs_event_id(index) == id;
}

uint32_t tracefs_event_next(uint32_t system, uint32_t index)
{
    const struct engine_registry *local = &engine_self.local;

    while (++index < engine_registry_end(local)) {
        bool is_multi = local->entries[index].flags & ENGINE_ENTRY_MULTI;

        if (local->entries[index].generation &&
            (system == TRACEFS_SYSTEM_BOTH || is_multi == (system == TRACEFS_SYSTEM_MULTI)))
            return index;
    }
    return 0;
}

void tracefs_event_command(uint32_t index, char ret_command[CAIRN_COMMAND_MAX_BYTES])
{
    memcpy(ret_command, engine_self.local.entries[index].command, CAIRN_COMMAND_MAX_BYTES);
    ret_command[CAIRN_COMMAND_MAX_BYTES - 1] = 0;
}

void tracefs_event_name(uint32_t index, char ret_name[CAIRN_COMMAND_MAX_BYTES])
{
    tracefs_event_command(index, ret_name);
    ret_name[engine_command_name_length(ret_name)] = 0;
}

bool tracefs_event_read(uint64_t id, struct tracefs_event *event)
{
    if (id && event->id == id)
        return true;
    event->id = 0;
    if (!tracefs_event_is_there(id))
        return false;
    tracefs_event_command(engine_sample_index(id), event->command);
    if (engine_command_parse_taken(event->command, event->words, event->fields, &event->schema))
        return false;
    event->id = id;
    return true;
}
