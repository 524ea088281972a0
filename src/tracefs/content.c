/* SPDX-License-Identifier: MIT */
/* The content of the served files. */
#include "engine/engine.h"
#include "engine/registry_text.h"
#include "engine/sweep.h"
#include "kernel/trace_text_header.h"
#include "tracefs/event.h"
#include "tracefs/filters.h"
#include "tracefs/text_session.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

/* The state of several events, as the kernel prints it: all off, all on, or mixed. */
static void print_enabled(uint32_t system, struct engine_output *output)
{
    uint32_t seen = 0;

    for (uint32_t i = 0; (i = tracefs_event_next(system, i));)
        seen |= engine_self.local.status[i] & ENGINE_STATUS_TEXT ? 2 : 1;
    engine_output_print(output, "%c\n", "?01X"[seen]);
}

static void print_format(const struct tracefs_file *file, struct engine_output *output)
{
    struct tracefs_event event = {0};
    char text[CAIRN_FORMAT_MAX_BYTES];
    size_t length;

    if (tracefs_event_read(file->event, &event) &&
        !cairn_schema_write_format(&event.schema, (uint16_t)file->event, text, sizeof(text),
                                   &length))
        engine_output_write(output, text, length);
}

static void print_trace(struct tracefs_lines_file *lines, struct engine_output *output)
{
    tracefs_lines_drain(lines);
    engine_output_print(output, KERNEL_TRACE_HEADER, (unsigned long long)tracefs_lines_count(lines),
                        (unsigned long long)lines->entries,
                        (unsigned int)sysconf(_SC_NPROCESSORS_ONLN));
    tracefs_lines_print(lines, output);
}

static bool is_of_session(const struct tracefs_file *file)
{
    return file->kind == TRACEFS_FILE_TRACE || file->kind == TRACEFS_FILE_ON ||
           file->kind == TRACEFS_FILE_ERRORS || file->kind == TRACEFS_FILE_FILTER;
}

/* Under the registry's lock. `lines` is that of the text session, for its files. */
static void print(const struct tracefs_file *file, struct tracefs_lines_file *lines,
                  struct engine_output *output)
{
    const struct engine_registry *local = &engine_self.local;
    uint64_t sessions;

    switch (file->kind) {
    case TRACEFS_FILE_TRACE:
        print_trace(lines, output);
        break;
    case TRACEFS_FILE_ON:
        engine_output_print(output, "%d\n", !lines->is_off);
        break;
    case TRACEFS_FILE_ERRORS:
        tracefs_filters_print_errors(lines, output);
        break;
    case TRACEFS_FILE_FILTER:
        tracefs_filters_print(lines, file->event, output);
        break;
    case TRACEFS_FILE_STATUS:
        engine_registry_print_status(local, output);
        break;
    case TRACEFS_FILE_DYNAMIC:
        engine_registry_print_commands(local, output);
        break;
    case TRACEFS_FILE_EVENTS:
        engine_registry_print_names(local, UINT64_MAX, output);
        break;
    case TRACEFS_FILE_SET:
        engine_registry_print_names(local, engine_session_shared(local), output);
        break;
    case TRACEFS_FILE_ENABLE_ALL:
        print_enabled(file->system, output);
        break;
    case TRACEFS_FILE_ENABLE:
        sessions = local->entries[engine_sample_index(file->event)].sessions;
        engine_output_print(output, "%d\n", (sessions & engine_session_shared(local)) != 0);
        break;
    case TRACEFS_FILE_FORMAT:
        print_format(file, output);
        break;
    default: /* TRACEFS_FILE_ID */
        engine_output_print(output, "%u\n", (uint16_t)file->event);
        break;
    }
}

static int print_locked(const struct tracefs_file *file, struct engine_output *output)
{
    struct engine_registry *local = &engine_self.local;
    struct tracefs_lines_file *lines = NULL;
    int error =
        is_of_session(file) ? tracefs_text_session_lock(&lines) : engine_registry_lock(local);

    if (error)
        return error;
    if (!lines)
        engine_registry_sweep(local);
    if (file->event && !tracefs_event_is_there(file->event))
        error = ENODEV;
    else
        print(file, lines, output);
    engine_registry_unlock(local);
    return error;
}

int tracefs_content_renew(const struct tracefs_file *file, struct engine_output *output)
{
    int error = 0;

    output->size_bytes = 0;
    output->error = 0;
    if (file->kind == TRACEFS_FILE_FIXED)
        engine_output_print(output, "%s", file->text);
    else if (file->kind == TRACEFS_FILE_FILTER_ALL)
        engine_output_print(output, KERNEL_SYSTEM_FILTER);
    else
        error = print_locked(file, output);
    return error ? error : output->error;
}
