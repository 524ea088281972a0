/* SPDX-License-Identifier: MIT */
/* The file at a path of the tracing directory: a fixed file, one of an event, or nothing that is
 * served. */
#include "tracefs/place.h"
#include "engine/engine.h"
#include "engine/sweep.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

static const struct {
    const char *path;
    uint32_t kind;
    uint32_t system;
} fixed[] = {
    {"user_events_data", TRACEFS_PLACE_DATA, 0},
    {"user_events_status", TRACEFS_PLACE_STATUS, 0},
    {"dynamic_events", TRACEFS_PLACE_DYNAMIC, 0},
    {"available_events", TRACEFS_PLACE_EVENTS, 0},
    {"set_event", TRACEFS_PLACE_SET, 0},
    {"tracing_on", TRACEFS_PLACE_ON, 0},
    {"trace", TRACEFS_PLACE_TRACE, 0},
    {"trace_pipe", TRACEFS_PLACE_PIPE, 0},
    {"events/enable", TRACEFS_PLACE_ENABLE_ALL, TRACEFS_SYSTEM_BOTH},
    {"events/user_events/enable", TRACEFS_PLACE_ENABLE_ALL, TRACEFS_SYSTEM_SINGLE},
    {"events/user_events_multi/enable", TRACEFS_PLACE_ENABLE_ALL, TRACEFS_SYSTEM_MULTI},
    {"events/user_events/filter", TRACEFS_PLACE_FILTER_ALL, TRACEFS_SYSTEM_SINGLE},
    {"events/user_events_multi/filter", TRACEFS_PLACE_FILTER_ALL, TRACEFS_SYSTEM_MULTI},
    {"error_log", TRACEFS_PLACE_ERRORS, 0},
};

static const struct {
    const char *name;
    uint32_t kind;
} of_event[] = {
    {"enable", TRACEFS_PLACE_ENABLE},
    {"filter", TRACEFS_PLACE_FILTER},
    {"format", TRACEFS_PLACE_FORMAT},
    {"id", TRACEFS_PLACE_ID},
};

static const struct {
    const char *name;
    const char *text;
} texts[] = {
    {"README", "tracefs as cairn serves it: user_events of the local engine\n"},
    {"available_tracers", "nop\n"},
    {"current_tracer", "nop\n"},
    {"trace_clock", "[mono]\n"},
};

bool tracefs_place_of_fixed(uint32_t number, const char **ret_path, struct tracefs_place *ret_place)
{
    if (number >= sizeof(fixed) / sizeof(*fixed))
        return false;
    *ret_path = fixed[number].path;
    *ret_place = (struct tracefs_place){.kind = fixed[number].kind, .system = fixed[number].system};
    return true;
}

bool tracefs_place_of_event_file(uint32_t number, const char **ret_name, uint32_t *ret_kind)
{
    if (number >= sizeof(of_event) / sizeof(*of_event))
        return false;
    *ret_name = of_event[number].name;
    *ret_kind = of_event[number].kind;
    return true;
}

bool tracefs_place_of_text(uint32_t number, const char **ret_name, const char **ret_text)
{
    if (number >= sizeof(texts) / sizeof(*texts))
        return false;
    *ret_name = texts[number].name;
    *ret_text = texts[number].text;
    return true;
}

static bool find_fixed(const char *path, struct tracefs_place *place)
{
    for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++) {
        if (strcmp(path, fixed[i].path) != 0)
            continue;
        *place = (struct tracefs_place){.kind = fixed[i].kind, .system = fixed[i].system};
        return true;
    }
    return false;
}

/* Under the registry's lock. `name` is the event's name, with its suffix if it is one of several
 * formats. */
static int find_event(const char *name, bool is_multi, struct tracefs_place *place)
{
    struct engine_registry *local = &engine_self.local;
    const char *dot = is_multi ? strrchr(name, '.') : NULL;
    char base[CAIRN_COMMAND_MAX_BYTES];
    uint32_t index = 0;

    (void)snprintf(base, sizeof(base), "%.*s", dot ? (int)(dot - name) : (int)strlen(name), name);
    engine_registry_sweep(local);
    for (uint32_t steps = 0; steps < ENGINE_EVENT_MAX; steps++) {
        const struct engine_event_entry *entry;

        index = engine_registry_next(local, base, index);
        entry = &local->entries[index];
        if (!index)
            return ENOENT;
        if (!(entry->flags & ENGINE_ENTRY_MULTI) != is_multi &&
            engine_command_name_length(entry->command) == strlen(name) &&
            !memcmp(entry->command, name, strlen(name))) {
            place->index = index;
            place->generation = entry->generation;
            return 0;
        }
    }
    return ENOENT;
}

int tracefs_place_find_event(const char *name, bool is_multi, struct tracefs_place *place)
{
    int error = engine_registry_lock(&engine_self.local);

    if (error)
        return error;
    error = find_event(name, is_multi, place);
    engine_registry_unlock(&engine_self.local);
    return error;
}

/* events/SYSTEM/NAME/FILE: the event's name, or false. */
static bool split(const char *path, struct tracefs_place *place, char name[CAIRN_COMMAND_MAX_BYTES])
{
    static const char single[] = "events/user_events/";
    static const char multi[] = "events/user_events_multi/";
    bool is_multi = !strncmp(path, multi, sizeof(multi) - 1);
    const char *file;
    size_t length;

    if (!is_multi && strncmp(path, single, sizeof(single) - 1) != 0)
        return false;
    path += is_multi ? sizeof(multi) - 1 : sizeof(single) - 1;
    length = strcspn(path, "/");
    file = path + length;
    for (size_t i = 0; *file && i < sizeof(of_event) / sizeof(*of_event); i++) {
        if (!strcmp(file + 1, of_event[i].name))
            place->kind = of_event[i].kind;
    }
    if (!place->kind || length >= CAIRN_COMMAND_MAX_BYTES)
        return false;
    place->system = is_multi ? TRACEFS_SYSTEM_MULTI : TRACEFS_SYSTEM_SINGLE;
    memcpy(name, path, length);
    name[length] = 0;
    return true;
}

bool tracefs_place_name(const char *path, struct tracefs_place *place)
{
    char name[CAIRN_COMMAND_MAX_BYTES];

    *place = (struct tracefs_place){0};
    return find_fixed(path, place) || split(path, place, name);
}

/* events/SYSTEM/NAME/FILE */
static int find_file_of_event(const char *path, struct tracefs_place *ret_place)
{
    struct tracefs_place place = {0};
    char name[CAIRN_COMMAND_MAX_BYTES];
    int error;

    if (!split(path, &place, name))
        return 0;
    error = tracefs_place_find_event(name, place.system == TRACEFS_SYSTEM_MULTI, &place);
    if (!error)
        *ret_place = place;
    return error;
}

int tracefs_place_find(const char *path, struct tracefs_place *ret_place)
{
    int error = engine_attach();

    engine_check_process();
    *ret_place = (struct tracefs_place){0};
    if (error)
        return error;
    return find_fixed(path, ret_place) ? 0 : find_file_of_event(path, ret_place);
}

static bool find_path_of_event_file(const struct tracefs_place *place, const char *file,
                                    tracefs_place_path ret_path)
{
    const struct engine_event_entry *entry = &engine_self.local.entries[place->index];
    char command[CAIRN_COMMAND_MAX_BYTES];

    memcpy(command, entry->command, sizeof(command));
    command[sizeof(command) - 1] = 0;
    if (entry->generation != place->generation)
        return false;
    (void)snprintf(ret_path, sizeof(tracefs_place_path), "events/user_events%s/%.*s/%s",
                   place->system == TRACEFS_SYSTEM_MULTI ? "_multi" : "",
                   (int)engine_command_name_length(command), command, file);
    return true;
}

bool tracefs_place_find_path(const struct tracefs_place *place, tracefs_place_path ret_path)
{
    for (size_t i = 0; i < sizeof(of_event) / sizeof(*of_event); i++) {
        if (place->kind == of_event[i].kind)
            return find_path_of_event_file(place, of_event[i].name, ret_path);
    }
    for (size_t i = 0; i < sizeof(fixed) / sizeof(*fixed); i++) {
        if (place->kind != fixed[i].kind || place->system != fixed[i].system)
            continue;
        (void)snprintf(ret_path, sizeof(tracefs_place_path), "%s", fixed[i].path);
        return true;
    }
    return false;
}

unsigned int tracefs_place_mode(uint32_t kind)
{
    switch (kind) {
    case TRACEFS_PLACE_STATUS:
    case TRACEFS_PLACE_EVENTS:
    case TRACEFS_PLACE_FORMAT:
    case TRACEFS_PLACE_ID:
    case TRACEFS_PLACE_PIPE:
        return 0440;
    default:
        return 0640;
    }
}
