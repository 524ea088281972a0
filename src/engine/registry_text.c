/* SPDX-License-Identifier: MIT */
/* The registry as text, and commands of dynamic_events. */
#include "engine/registry_text.h"
#include "core/slice.h"
#include "engine/command_words.h"
#include "engine/event_entry.h"
#include "engine/sweep.h"

#include <cairn/schema.h>
#include <errno.h>
#include <string.h>

/* Shared memory is copied before it is read. False: there is no event of this number. */
static bool copy_entry(const struct engine_registry *local, uint32_t index,
                       struct engine_event_entry *entry)
{
    *entry = local->entries[index];
    entry->command[sizeof(entry->command) - 1] = 0;
    return entry->generation != 0;
}

/* ---- printing ---- */

void engine_registry_print_status(const struct engine_registry *local, struct engine_output *output)
{
    struct engine_event_entry entry;
    uint32_t active = 0;
    uint32_t busy = 0;

    for (uint32_t i = 1; i < engine_registry_end(local); i++) {
        uint8_t status = local->status[i];

        if (!copy_entry(local, i, &entry))
            continue;
        engine_output_print(
            output, "%u:%.*s%s%s%s\n", i, (int)engine_command_name_length(entry.command),
            entry.command, status ? " # Used by" : "", status & ENGINE_STATUS_TEXT ? " ftrace" : "",
            status & ENGINE_STATUS_RECORDER ? " perf" : "");
        active++;
        busy += status != 0;
    }
    engine_output_print(output, "\nActive: %u\nBusy: %u\nMax: %u\n", active, busy,
                        ENGINE_EVENT_MAX);
}

static void print_command(struct engine_output *output, const struct engine_event_entry *entry)
{
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    char text[ENGINE_WORDS_MAX_BYTES];
    struct cairn_schema schema;

    if (cairn_schema_parse_command(entry->command, fields, CAIRN_FIELDS_MAX, &schema, NULL))
        return;
    engine_command_write_fields(&schema, text);
    engine_output_print(output, "u:%.*s%s%s\n", (int)engine_entry_name_length(entry),
                        entry->command, *text ? " " : "", text);
}

void engine_registry_print_commands(const struct engine_registry *local,
                                    struct engine_output *output)
{
    struct engine_event_entry entry;

    for (uint32_t i = 1; i < engine_registry_end(local); i++) {
        if (copy_entry(local, i, &entry))
            print_command(output, &entry);
    }
}

void engine_registry_print_names(const struct engine_registry *local, uint64_t sessions,
                                 struct engine_output *output)
{
    struct engine_event_entry entry;

    for (uint32_t i = 1; i < engine_registry_end(local); i++) {
        if (copy_entry(local, i, &entry) && (sessions == UINT64_MAX || entry.sessions & sessions))
            engine_output_print(output, "user_events%s:%.*s\n",
                                entry.flags & ENGINE_ENTRY_MULTI ? "_multi" : "",
                                (int)engine_command_name_length(entry.command), entry.command);
    }
}

/* ---- commands ---- */

/* All formats of a name; with words, those that have these fields. */
static int delete_matching(struct engine_registry *local, const char *name, const char *words)
{
    uint32_t index = engine_registry_next(local, name, 0);
    bool found = false;
    int error = 0;

    for (uint32_t steps = 0; index && !error && steps < ENGINE_EVENT_MAX; steps++) {
        uint32_t next = engine_registry_next(local, name, index);

        if (!*words || engine_event_has_fields(local, index, words)) {
            error = engine_registry_delete(local, index);
            found = true;
        }
        index = next;
    }
    engine_registry_notify(local);
    if (error)
        return error;
    return found ? 0 : ENOENT;
}

/* [SYSTEM/]NAME: the name in a system of ours; NULL: of another system, or no name. */
static const char *skip_system(const char *text)
{
    const char *slash = strchr(text, '/');
    size_t length = slash ? (size_t)(slash - text) : 0;

    if (slash && (length != 11 || memcmp(text, "user_events", 11) != 0) &&
        (length != 17 || memcmp(text, "user_events_multi", 17) != 0))
        return NULL;
    text = slash ? slash + 1 : text;
    return strchr(text, ':') ? NULL : text;
}

/* "-:[SYSTEM/]NAME words" or "!u:[SYSTEM/]NAME words"; the kernel takes any letters for the u. */
static int delete_by_line(struct engine_registry *local, const char *line)
{
    char words[ENGINE_WORDS_MAX_BYTES];
    char *colon, *rest;
    const char *name;

    engine_command_join_words(line, false, words);
    rest = words + strcspn(words, " ");
    if (*rest)
        *rest++ = 0;
    colon = strchr(words, ':');
    if (!colon || !colon[1] || (words[0] == '-' && colon != words + 1))
        return EINVAL;
    name = skip_system(colon + 1);
    return name ? delete_matching(local, name, rest) : ENOENT;
}

int engine_registry_command(struct engine_registry *local, const char *line)
{
    if (*line == '-' || *line == '!') {
        engine_registry_sweep(local);
        return delete_by_line(local, line);
    }
    if (line[0] != 'u' || line[1] != ':')
        return EINVAL;
    line += 2;
    while (core_is_kernel_space(*line))
        line++;
    return engine_event_add(local, line, ENGINE_ENTRY_PERSIST);
}
