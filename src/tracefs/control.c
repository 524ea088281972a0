/* SPDX-License-Identifier: MIT */
/* Writes to the served files. */
#include "core/glob.h"
#include "engine/engine.h"
#include "engine/registry_text.h"
#include "engine/sweep.h"
#include "kernel/files.h"
#include "tracefs/event.h"
#include "tracefs/filters.h"
#include "tracefs/program.h"
#include "tracefs/text_session.h"

#include <errno.h>
#include <string.h>

/* The kernel's limit for a write, and its buffer for dynamic_events: no line may be longer. */
#define TEXT_MAX_BYTES  4096
#define PIECE_MAX_BYTES 4095

/* ---- which events ---- */

static int choose_all(uint32_t system, bool wanted)
{
    int error = 0;

    for (uint32_t i = 0; (i = tracefs_event_next(system, i));)
        error = tracefs_text_session_choose(tracefs_event_id(i), wanted);
    return error == ENODEV ? 0 : error;
}

/* An empty pattern matches everything. */
static bool matches(const char *pattern, const char *text)
{
    return !*pattern || core_glob_match(pattern, text);
}

static bool is_named(uint32_t index, const char *system, const char *name)
{
    bool is_multi = engine_self.local.entries[index].flags & ENGINE_ENTRY_MULTI;
    const char *its_system = is_multi ? "user_events_multi" : "user_events";
    char its_name[CAIRN_COMMAND_MAX_BYTES];

    tracefs_event_name(index, its_name);
    if (name)
        return matches(system, its_system) && matches(name, its_name);
    return !strcmp(system, its_system) || core_glob_match(system, its_name);
}

/* One word of set_event: [!][SYSTEM:]NAME, each with globs, or a system's name. */
static int set_event(char *word)
{
    bool wanted = *word != '!';
    char *system = word + !wanted;
    char *name = strchr(system, ':');
    int error = EINVAL;

    if (name)
        *name++ = 0;
    for (uint32_t i = 0; (i = tracefs_event_next(TRACEFS_SYSTEM_BOTH, i));) {
        if (is_named(i, system, name))
            error = tracefs_text_session_choose(tracefs_event_id(i), wanted);
    }
    return error == ENODEV ? 0 : error;
}

static int set_events(char *text)
{
    char *rest = NULL;
    int error = 0;

    for (char *word = strtok_r(text, " \t\n", &rest); word && !error;
         word = strtok_r(NULL, " \t\n", &rest))
        error = set_event(word);
    return error;
}

static int set_enabled(const struct tracefs_file *file, struct cairn_slice text)
{
    bool on;
    int error = kernel_file_bool(text, &on);

    if (error)
        return error;
    return file->event ? tracefs_text_session_choose(file->event, on)
                       : choose_all(file->system, on);
}

/* ---- dynamic_events ---- */

/* A line of white space, perhaps with a comment, does nothing. */
static int do_line(char *line)
{
    struct engine_registry *local = &engine_self.local;
    int error;

    line[strcspn(line, "#")] = 0;
    if (!line[strspn(line, " \t\v\f\r")])
        return 0;
    error = engine_registry_lock(local);
    if (error)
        return error;
    error = engine_registry_command(local, line);
    engine_registry_unlock(local);
    return error == ENOSPC ? EMFILE : error;
}

/*
 * Executes the complete lines of a piece, up to a NUL; the first that fails is the last. `ends`:
 * the text ends with the piece. Returns 0; EINVAL no line is complete; or the error of a line.
 */
static int do_lines(char *text, bool ends, size_t *ret_size)
{
    size_t at = 0;
    int error = 0;

    while (text[at] && !error) {
        char *line = text + at;
        size_t length = strcspn(line, "\n");

        if (line[length])
            line[length++] = 0;
        else if (!ends)
            break;
        at += length;
        error = do_line(line);
    }
    *ret_size = at;
    return error || at ? error : EINVAL;
}

/* Executes one part of a write, piece by piece. */
static int do_part(const struct iovec *part, size_t *ret_size)
{
    char text[PIECE_MAX_BYTES + 1];
    size_t done = 0;
    int error = 0;

    while (done < part->iov_len && !error) {
        size_t left = part->iov_len - done;
        struct iovec piece = {(char *)part->iov_base + done,
                              left < PIECE_MAX_BYTES ? left : PIECE_MAX_BYTES};
        size_t size = 0;
        size_t taken = 0;

        error = tracefs_memory_gather(text, piece.iov_len, &piece, 1, &size);
        if (!error && size != piece.iov_len)
            error = EFAULT;
        text[size] = 0;
        if (!error)
            error = do_lines(text, done + strlen(text) == part->iov_len, &taken);
        done += taken;
    }
    *ret_size = done;
    return error;
}

/*
 * Executes lines: each part is a write of its own, as in the kernel. Returns 0, with the number of
 * bytes that were accepted; EFAULT; EINVAL a line that is too long, or has a NUL in it; EMFILE no
 * more events; or as engine_registry_command.
 */
static int write_commands(const struct iovec *parts, int count, size_t *ret_size)
{
    size_t done = 0;

    for (int i = 0; i < count; i++) {
        size_t size = 0;
        int error = do_part(&parts[i], &size);

        /* The bytes before count as written, and the failure is reported for the next write. */
        if (error && !done)
            return error;
        if (error)
            break;
        done += size;
    }
    *ret_size = done;
    return 0;
}

/* Deletes all events, or none: EBUSY. */
static int delete_all(void)
{
    struct engine_registry *local = &engine_self.local;
    int error = engine_registry_lock(local);

    if (error)
        return error;
    engine_registry_sweep(local);
    for (uint32_t i = 0; (i = tracefs_event_next(TRACEFS_SYSTEM_BOTH, i));) {
        if (local->entries[i].references || local->entries[i].sessions)
            error = EBUSY;
    }
    for (uint32_t i = 0; !error && (i = tracefs_event_next(TRACEFS_SYSTEM_BOTH, i));)
        (void)engine_registry_delete(local, i);
    engine_registry_notify(local);
    engine_registry_unlock(local);
    return error;
}

/* ---- the text session ---- */

/* Events that were written before are as before: in the text, and filtered by the former filter. */
static int change_session(const struct tracefs_file *file, struct cairn_slice text)
{
    struct tracefs_lines_file *lines;
    uint64_t number = 0;
    int error = tracefs_text_session_lock(&lines);

    if (error)
        return error;
    tracefs_lines_drain(lines);
    switch (file->kind) {
    case TRACEFS_FILE_TRACE:
        lines->taken = lines->written;
        lines->entries = 0;
        break;
    case TRACEFS_FILE_ERRORS:
        lines->errors_from = lines->errors_end;
        break;
    case TRACEFS_FILE_ON: /* any number but 0 means on */
        error = kernel_file_number(text, &number);
        if (!error)
            lines->is_off = !number;
        break;
    case TRACEFS_FILE_FILTER:
        error = tracefs_filters_set(lines, file->event, text, NULL);
        break;
    default: /* TRACEFS_FILE_FILTER_ALL */
        error = tracefs_filters_set_all(lines, file->system, text);
        break;
    }
    engine_registry_unlock(&engine_self.local);
    return error;
}

/* ---- */

static int write_text(const struct tracefs_file *file, const struct iovec *parts, int count,
                      size_t *ret_size)
{
    char text[TEXT_MAX_BYTES + 2]; /* one more than is accepted */
    int error = tracefs_memory_gather(text, TEXT_MAX_BYTES + 1, parts, count, ret_size);
    const struct cairn_slice written = {text, (uint32_t)*ret_size};

    if (!error && *ret_size > TEXT_MAX_BYTES)
        error = EINVAL;
    if (error)
        return error;
    text[*ret_size] = 0;
    switch (file->kind) {
    case TRACEFS_FILE_ENABLE:
    case TRACEFS_FILE_ENABLE_ALL:
        return set_enabled(file, written);
    case TRACEFS_FILE_SET:
        return set_events(text);
    case TRACEFS_FILE_ON:
    case TRACEFS_FILE_FILTER:
    case TRACEFS_FILE_FILTER_ALL:
        return change_session(file, written);
    default: /* only root can have opened it for writing */
        return EINVAL;
    }
}

int tracefs_control_write(const struct tracefs_file *file, const struct iovec *parts, int count,
                          size_t *size_bytes)
{
    int error;

    /* Opening it for writing has emptied it; the bytes are ignored. */
    if (file->kind == TRACEFS_FILE_TRACE || file->kind == TRACEFS_FILE_ERRORS)
        return 0;
    if (file->kind == TRACEFS_FILE_DYNAMIC)
        error = write_commands(parts, count, size_bytes);
    else
        error = write_text(file, parts, count, size_bytes);
    tracefs_transport_update();
    return error;
}

int tracefs_control_truncate(const struct tracefs_file *file)
{
    int error = 0;

    switch (file->kind) {
    case TRACEFS_FILE_DYNAMIC:
        return delete_all();
    case TRACEFS_FILE_TRACE:
    case TRACEFS_FILE_ERRORS:
        return change_session(file, (struct cairn_slice){0});
    case TRACEFS_FILE_SET:
        error = choose_all(TRACEFS_SYSTEM_BOTH, false);
        tracefs_transport_update();
        return error;
    default:
        return 0;
    }
}
