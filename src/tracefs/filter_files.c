/* SPDX-License-Identifier: MIT */
/* The files of filters, and the error log. */
#include "tracefs/filter_files.h"
#include "engine/engine.h"
#include "tracefs/filters.h"
#include "tracefs/lines_drain.h"
#include "tracefs/text_session.h"

#include <errno.h>
#include <string.h>

/* An event, and the memory that its schema points to. */
struct filter_files_event {
    struct tracefs_filters_event event;
    struct cairn_schema schema;
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    char command[CAIRN_COMMAND_MAX_BYTES];
};

static bool find_event(uint32_t index, struct filter_files_event *event)
{
    const struct engine_event_entry *entry = &engine_self.local.entries[index];

    if (!entry->generation)
        return false;
    memcpy(event->command, entry->command, sizeof(event->command));
    event->command[sizeof(event->command) - 1] = 0;
    event->event =
        (struct tracefs_filters_event){engine_sample_id(entry->generation, index), &event->schema};
    return !cairn_schema_parse_command(event->command, event->fields, CAIRN_FIELDS_MAX,
                                       &event->schema, NULL);
}

static int set_one(struct tracefs_lines_file *file, uint32_t index, const char *text, size_t length,
                   const struct cairn_filter_error *shown)
{
    struct filter_files_event event;

    return find_event(index, &event) ? tracefs_filters_set(file, &event.event, text, length, shown)
                                     : ENODEV;
}

/* Each event gets the filter, or its error: the write succeeds in any case. */
static int set_all(struct tracefs_lines_file *file, uint32_t system, const char *text,
                   size_t length)
{
    const struct engine_registry *local = &engine_self.local;
    const struct cairn_filter_error bad_system = {.kind = CAIRN_FILTER_BAD_SYSTEM};

    if (length >= CAIRN_FILTER_TEXT_MAX_BYTES)
        return EINVAL;
    for (uint32_t i = 1; i < engine_registry_end(local); i++) {
        bool is_multi = local->entries[i].flags & ENGINE_ENTRY_MULTI;
        int error;

        if (is_multi != (system == TRACEFS_SYSTEM_MULTI))
            continue;
        error = set_one(file, i, text, length, &bad_system);
        if (error && error != EINVAL && error != ENODEV)
            return error;
    }
    return 0;
}

static bool is_gone(const struct tracefs_file *file)
{
    return file->kind == TRACEFS_FILE_FILTER &&
           engine_self.local.entries[file->index].generation != file->generation;
}

/* Events that were written before are filtered by the previous filter. */
int tracefs_filter_files_write(const struct tracefs_file *file, const char *text, size_t length)
{
    struct tracefs_lines_file *lines;
    int error = tracefs_text_session_begin(&lines);

    if (error)
        return error;
    tracefs_lines_drain(lines);
    if (is_gone(file))
        error = ENODEV;
    else if (file->kind == TRACEFS_FILE_FILTER)
        error = set_one(lines, file->index, text, length, NULL);
    else
        error = set_all(lines, file->system, text, length);
    tracefs_text_session_end();
    return error;
}

static void print_of_system(struct tracefs_output *output)
{
    tracefs_output_print(output,
                         "### global filter ###\n"
                         "# Use this to set filters for multiple events.\n"
                         "# Only events with the given fields will be affected.\n"
                         "# If no events are modified, an error message will be displayed here\n");
}

int tracefs_filter_files_print(const struct tracefs_file *file, struct tracefs_output *output)
{
    struct tracefs_lines_file *lines;
    int error = tracefs_text_session_begin(&lines);

    if (error)
        return error;
    if (is_gone(file))
        error = ENODEV;
    else if (file->kind == TRACEFS_FILE_FILTER)
        tracefs_filters_print(lines, engine_sample_id(file->generation, file->index), output);
    else if (file->kind == TRACEFS_FILE_FILTER_ALL)
        print_of_system(output);
    else
        tracefs_filters_print_errors(lines, output);
    tracefs_text_session_end();
    return error;
}

int tracefs_filter_files_clear_errors(void)
{
    struct tracefs_lines_file *file;
    int error = tracefs_text_session_begin(&file);

    if (error)
        return error;
    tracefs_filters_clear_errors(file);
    tracefs_text_session_end();
    return 0;
}
