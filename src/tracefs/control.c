/* SPDX-License-Identifier: MIT */
/* Writes to the served files. */
#include "tracefs/control.h"
#include "core/glob.h"
#include "engine/engine.h"
#include "tracefs/dynamic.h"
#include "tracefs/filter_files.h"
#include "tracefs/memory.h"
#include "tracefs/text_session.h"

#include <ctype.h>
#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define TEXT_MAX_BYTES 4096 /* the kernel's limit for a write */

/* Numbers as the kernel parses them: only one line break may follow. */
static int read_switch(const char *text, unsigned long most, bool *ret_on)
{
    char *end;
    unsigned long number;

    errno = 0;
    number = strtoul(text, &end, 10);
    if (!isdigit((unsigned char)text[text[0] == '+']))
        return EINVAL;
    if (errno)
        return ERANGE;
    if (end[*end == '\n'] || number > most)
        return EINVAL;
    *ret_on = number != 0;
    return 0;
}

/* ---- which events ---- */

static bool copy_name(uint32_t index, char name[CAIRN_COMMAND_MAX_BYTES], bool *is_multi)
{
    const struct engine_event_entry *entry = &engine_self.local.entries[index];

    memcpy(name, entry->command, CAIRN_COMMAND_MAX_BYTES);
    name[CAIRN_COMMAND_MAX_BYTES - 1] = 0;
    name[engine_command_name_length(name)] = 0;
    *is_multi = entry->flags & ENGINE_ENTRY_MULTI;
    return entry->generation != 0;
}

/* Enables or disables the events of a system whose names match. Returns 0; ENOENT none matches. */
static int choose_matching(uint32_t system, const char *pattern, bool wanted)
{
    const struct engine_registry *local = &engine_self.local;
    char name[CAIRN_COMMAND_MAX_BYTES];
    bool is_multi;
    int error = ENOENT;

    for (uint32_t i = 1; i < engine_registry_end(local); i++) {
        if (!copy_name(i, name, &is_multi) || !core_glob_match(pattern, name) ||
            (system != TRACEFS_SYSTEM_BOTH && is_multi != (system == TRACEFS_SYSTEM_MULTI)))
            continue;
        error = tracefs_text_session_choose(i, local->entries[i].generation, wanted);
    }
    return error == ENODEV ? 0 : error;
}

/* One word of set_event: [!][SYSTEM:]NAME, each with globs; SYSTEM: alone is all of it. */
static int set_event(char *word)
{
    bool wanted = *word != '!';
    char *colon;
    char *name;
    bool single;
    bool multi;

    word += !wanted;
    colon = strchr(word, ':');
    if (!colon) {
        if (strcmp(word, "user_events") != 0 && strcmp(word, "user_events_multi") != 0)
            return choose_matching(TRACEFS_SYSTEM_BOTH, word, wanted);
        colon = word + strlen(word);
    }
    name = *colon ? colon + 1 : colon;
    *colon = 0;
    single = core_glob_match(*word ? word : "*", "user_events");
    multi = core_glob_match(*word ? word : "*", "user_events_multi");
    if (!single && !multi)
        return EINVAL;
    return choose_matching(single && multi ? TRACEFS_SYSTEM_BOTH
                           : single        ? TRACEFS_SYSTEM_SINGLE
                                           : TRACEFS_SYSTEM_MULTI,
                           *name ? name : "*", wanted);
}

static int set_events(char *text)
{
    char *rest = NULL;
    int error = 0;

    for (char *word = strtok_r(text, " \t\n", &rest); word && !error;
         word = strtok_r(NULL, " \t\n", &rest))
        error = set_event(word);
    return error == ENOENT ? EINVAL : error;
}

/* ---- */

static int write_switch(const struct tracefs_file *file, const char *text)
{
    /* tracing_on accepts any number: all but 0 mean on. */
    const unsigned long most = file->kind == TRACEFS_FILE_ON ? ULONG_MAX : 1;
    bool on = false;
    int error = read_switch(text, most, &on);

    if (error)
        return error;
    if (file->kind == TRACEFS_FILE_ON)
        return tracefs_text_session_set_on(on);
    if (file->kind == TRACEFS_FILE_ENABLE)
        return tracefs_text_session_choose(file->index, file->generation, on);
    error = choose_matching(file->system, "*", on);
    return error == ENOENT ? 0 : error;
}

static int do_write(const struct tracefs_file *file, char *text, size_t size_bytes)
{
    switch (file->kind) {
    case TRACEFS_FILE_ON:
    case TRACEFS_FILE_ENABLE:
    case TRACEFS_FILE_ENABLE_ALL:
        return write_switch(file, text);
    case TRACEFS_FILE_SET:
        return set_events(text);
    case TRACEFS_FILE_FILTER:
    case TRACEFS_FILE_FILTER_ALL:
        return tracefs_filter_files_write(file, text, size_bytes);
    default:
        return EINVAL;
    }
}

bool tracefs_control_takes_writes(const struct tracefs_file *file)
{
    switch (file->kind) {
    case TRACEFS_FILE_ON:
    case TRACEFS_FILE_ENABLE:
    case TRACEFS_FILE_ENABLE_ALL:
    case TRACEFS_FILE_SET:
    case TRACEFS_FILE_DYNAMIC:
    case TRACEFS_FILE_TRACE:
    case TRACEFS_FILE_ERRORS:
    case TRACEFS_FILE_FILTER:
    case TRACEFS_FILE_FILTER_ALL:
        return true;
    default:
        return false;
    }
}

static int write_text(const struct tracefs_file *file, const struct tracefs_program *program,
                      const struct iovec *parts, int count, size_t *ret_size)
{
    char text[TEXT_MAX_BYTES + 2]; /* one more than is accepted */
    int error = tracefs_memory_gather(program, text, TEXT_MAX_BYTES + 1, parts, count, ret_size);

    if (!error && *ret_size > TEXT_MAX_BYTES)
        error = EINVAL;
    if (error)
        return error;
    text[*ret_size] = 0;
    return do_write(file, text, *ret_size);
}

/* Opening it for writing has emptied it; the bytes are ignored. */
static int write_nothing(const struct iovec *parts, int count, size_t *ret_size)
{
    *ret_size = 0;
    for (int i = 0; i < count; i++)
        *ret_size += parts[i].iov_len;
    return 0;
}

int tracefs_control_write(const struct tracefs_file *file, const struct tracefs_program *program,
                          const struct iovec *parts, int count, size_t *ret_size)
{
    int error;

    if (file->kind == TRACEFS_FILE_TRACE || file->kind == TRACEFS_FILE_ERRORS)
        return write_nothing(parts, count, ret_size);
    if (file->kind == TRACEFS_FILE_DYNAMIC)
        error = tracefs_dynamic_write(program, parts, count, ret_size);
    else
        error = write_text(file, program, parts, count, ret_size);
    tracefs_transport_update();
    return error;
}

int tracefs_control_truncate(const struct tracefs_file *file)
{
    switch (file->kind) {
    case TRACEFS_FILE_DYNAMIC:
        return tracefs_dynamic_clear();
    case TRACEFS_FILE_TRACE:
        return tracefs_text_session_clear();
    case TRACEFS_FILE_SET: {
        int error = choose_matching(TRACEFS_SYSTEM_BOTH, "*", false);

        tracefs_transport_update();
        return error == ENOENT ? 0 : error;
    }
    case TRACEFS_FILE_ERRORS:
        return tracefs_filter_files_clear_errors();
    default:
        return 0;
    }
}
