/* SPDX-License-Identifier: MIT */
/* The content of the served files. */
#include "tracefs/content.h"
#include "engine/engine.h"
#include "engine/registry_text.h"
#include "engine/sweep.h"
#include "tracefs/filter_files.h"
#include "tracefs/output.h"
#include "tracefs/text_session.h"

#include <cairn/schema.h>
#include <errno.h>
#include <string.h>

static void sink(void *arg, const char *text, size_t size_bytes)
{
    tracefs_output_write(arg, text, size_bytes);
}

/* ---- under the registry's lock ---- */

/* The state of several events, as the kernel prints it: all off, all on, or mixed. */
static void print_enabled(const struct tracefs_file *file, struct tracefs_output *output)
{
    const struct engine_registry *local = &engine_self.local;
    uint32_t seen = 0;

    for (uint32_t i = 1; i < engine_registry_end(local); i++) {
        bool is_multi = local->entries[i].flags & ENGINE_ENTRY_MULTI;

        if (local->entries[i].generation && (file->system == TRACEFS_SYSTEM_BOTH ||
                                             is_multi == (file->system == TRACEFS_SYSTEM_MULTI)))
            seen |= local->status[i] & ENGINE_STATUS_TEXT ? 2 : 1;
    }
    tracefs_output_print(output, "%c\n", "?01X"[seen]);
}

static void print_format(const struct tracefs_file *file, struct tracefs_output *output)
{
    struct cairn_field fields[CAIRN_FIELDS_MAX];
    char command[CAIRN_COMMAND_MAX_BYTES];
    char text[CAIRN_FORMAT_MAX_BYTES];
    struct cairn_schema schema;
    size_t length;

    memcpy(command, engine_self.local.entries[file->index].command, sizeof(command));
    command[sizeof(command) - 1] = 0;
    if (!cairn_schema_parse_command(command, fields, CAIRN_FIELDS_MAX, &schema, NULL) &&
        !cairn_schema_write_format(&schema, ENGINE_TYPE_BASE + file->index, text, sizeof(text),
                                   &length))
        tracefs_output_write(output, text, length);
}

static uint64_t shared_sessions(void)
{
    uint64_t mask = 0;

    for (uint32_t i = 0; i < ENGINE_SESSION_MAX; i++) {
        const struct engine_session_slot *slot = &engine_self.local.slots[i];

        if (slot->generation && slot->flags & ENGINE_SESSION_SHARED)
            mask |= UINT64_C(1) << i;
    }
    return mask;
}

static void print_of_registry(const struct tracefs_file *file, struct tracefs_output *output)
{
    const struct engine_registry *local = &engine_self.local;

    switch (file->kind) {
    case TRACEFS_FILE_STATUS:
        engine_registry_print_status(local, sink, output);
        break;
    case TRACEFS_FILE_DYNAMIC:
        engine_registry_print_commands(local, sink, output);
        break;
    case TRACEFS_FILE_EVENTS:
        engine_registry_print_names(local, UINT64_MAX, sink, output);
        break;
    case TRACEFS_FILE_SET:
        engine_registry_print_names(local, shared_sessions(), sink, output);
        break;
    case TRACEFS_FILE_ENABLE_ALL:
        print_enabled(file, output);
        break;
    case TRACEFS_FILE_ENABLE:
        tracefs_output_print(output, "%d\n",
                             (local->entries[file->index].sessions & shared_sessions()) != 0);
        break;
    case TRACEFS_FILE_FORMAT:
        print_format(file, output);
        break;
    default: /* TRACEFS_FILE_ID */
        tracefs_output_print(output, "%u\n", ENGINE_TYPE_BASE + file->index);
        break;
    }
}

static bool is_of_event(uint32_t kind)
{
    return kind == TRACEFS_FILE_ENABLE || kind == TRACEFS_FILE_FORMAT || kind == TRACEFS_FILE_ID;
}

static int print_registry(const struct tracefs_file *file, struct tracefs_output *output)
{
    struct engine_registry *local = &engine_self.local;
    int error = engine_registry_lock(local);

    if (error)
        return error;
    engine_registry_sweep(local);
    if (is_of_event(file->kind) && local->entries[file->index].generation != file->generation)
        error = ENODEV;
    else
        print_of_registry(file, output);
    engine_registry_unlock(local);
    return error;
}

/* ---- */

int tracefs_content_renew(const struct tracefs_file *file, struct tracefs_output *output)
{
    int error = 0;

    output->size_bytes = 0;
    output->error = 0;
    switch (file->kind) {
    case TRACEFS_FILE_TRACE:
        error = tracefs_text_session_print(output);
        break;
    case TRACEFS_FILE_FILTER:
    case TRACEFS_FILE_FILTER_ALL:
    case TRACEFS_FILE_ERRORS:
        error = tracefs_filter_files_print(file, output);
        break;
    case TRACEFS_FILE_ON:
        tracefs_output_print(output, "%d\n", tracefs_text_session_is_on());
        break;
    default:
        error = print_registry(file, output);
        break;
    }
    return error ? error : output->error;
}
