/* SPDX-License-Identifier: MIT */
#include "local/registry_text.h"
#include "local/event_entry.h"
#include "local/sweep.h"

#include <cairn/schema.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct printer {
    cairn_text_sink *sink;
    void *arg;
};

static __attribute__((format(printf, 2, 3))) void print(const struct printer *to,
                                                        const char *format, ...)
{
    char text[CAIRN_COMMAND_MAX_BYTES + 128];
    va_list arguments;
    int length;

    va_start(arguments, format);
    length = vsnprintf(text, sizeof(text), format, arguments);
    va_end(arguments);
    if (length > 0)
        to->sink(to->arg, text, (size_t)length < sizeof(text) ? (size_t)length : sizeof(text) - 1);
}

/* Shared memory is copied before it is looked at. False: there is no event of this number. */
static bool copy_entry(const struct cairn_local *local, uint32_t index,
                       struct cairn_event_entry *entry)
{
    *entry = local->entries[index];
    entry->command[sizeof(entry->command) - 1] = 0;
    return entry->generation != 0;
}

/* ---- printing ---- */

void cairn_registry_print_status(const struct cairn_local *local, cairn_text_sink *sink, void *arg)
{
    const struct printer to = {sink, arg};
    struct cairn_event_entry entry;
    uint32_t active = 0;
    uint32_t busy = 0;

    for (uint32_t i = 1; i < cairn_registry_end(local); i++) {
        uint8_t status = local->status[i];

        if (!copy_entry(local, i, &entry))
            continue;
        print(&to, "%u:%.*s%s%s%s\n", i, (int)cairn_command_name_length(entry.command),
              entry.command, status ? " # Used by" : "",
              status & CAIRN_STATUS_TEXT ? " ftrace" : "",
              status & CAIRN_STATUS_RECORDER ? " perf" : "");
        active++;
        busy += status != 0;
    }
    print(&to, "\nActive: %u\nBusy: %u\nMax: %u\n", active, busy, CAIRN_EVENT_MAX);
}

static void print_command(const struct printer *to, const struct cairn_event_entry *entry)
{
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_schema schema;

    if (cairn_schema_parse_command(entry->command, fields, CAIRN_FIELDS_MAX, &schema, NULL))
        return;
    print(to, "u:%.*s", (int)cairn_entry_name_length(entry), entry->command);
    for (uint32_t i = 0; i < schema.field_count; i++) {
        const struct cairn_field *field = &fields[i];

        print(to, "%s %.*s", i ? ";" : "", (int)field->type.length, field->type.text);
        if (field->location == CAIRN_FIELD_INLINE && field->is_array)
            print(to, "[%u]", field->element_count);
        print(to, " %.*s", (int)field->name.length, field->name.text);
        if (field->kind == CAIRN_FIELD_STRUCT)
            print(to, " %u", field->size_bytes);
    }
    print(to, "\n");
}

void cairn_registry_print_commands(const struct cairn_local *local, cairn_text_sink *sink,
                                   void *arg)
{
    const struct printer to = {sink, arg};
    struct cairn_event_entry entry;

    for (uint32_t i = 1; i < cairn_registry_end(local); i++) {
        if (copy_entry(local, i, &entry))
            print_command(&to, &entry);
    }
}

void cairn_registry_print_names(const struct cairn_local *local, uint64_t sessions,
                                cairn_text_sink *sink, void *arg)
{
    const struct printer to = {sink, arg};
    struct cairn_event_entry entry;

    for (uint32_t i = 1; i < cairn_registry_end(local); i++) {
        if (copy_entry(local, i, &entry) && (sessions == UINT64_MAX || entry.sessions & sessions))
            print(&to, "user_events%s:%.*s\n", entry.flags & CAIRN_ENTRY_MULTI ? "_multi" : "",
                  (int)cairn_command_name_length(entry.command), entry.command);
    }
}

/* ---- commands ---- */

static int delete_matching(struct cairn_local *local, const char *command)
{
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    struct cairn_schema schema;
    bool any_fields = !command[cairn_command_name_length(command)];
    int error = cairn_schema_parse_command(command, fields, CAIRN_FIELDS_MAX, &schema, NULL);
    uint32_t index = error ? 0 : cairn_registry_next(local, command, 0);
    bool found = false;

    for (uint32_t steps = 0; index && !error && steps < CAIRN_EVENT_MAX; steps++) {
        uint32_t next = cairn_registry_next(local, command, index);

        if (any_fields || !cairn_event_compare(local, index, &schema)) {
            error = cairn_registry_delete(local, index);
            found = true;
        }
        index = next;
    }
    cairn_registry_notify(local);
    if (error)
        return error;
    return found ? 0 : ENOENT;
}

/* What follows "u:" or "-:", behind the name of a system of ours; NULL: of another system. */
static const char *skip_system(const char *text)
{
    size_t length = strcspn(text, "/ :");

    if (text[length] != '/')
        return text;
    if ((length == 11 && !memcmp(text, "user_events", 11)) ||
        (length == 17 && !memcmp(text, "user_events_multi", 17)))
        return text + length + 1;
    return NULL;
}

int cairn_registry_command(struct cairn_local *local, const char *line)
{
    const char *colon = strchr(line, ':');
    bool deletes = *line == '-' || *line == '!';
    const char *command;

    if (!colon || (!deletes && line[0] != 'u') || (*line == '-' && colon != line + 1) ||
        (*line != '-' && (colon != line + deletes + 1 || line[deletes] != 'u')))
        return EINVAL;
    if (!deletes)
        return cairn_event_add(local, colon + 1 + strspn(colon + 1, " \t"), CAIRN_ENTRY_PERSIST);
    cairn_registry_sweep(local);
    command = skip_system(colon + 1);
    return command ? delete_matching(local, command) : ENOENT;
}
