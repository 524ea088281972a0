/* SPDX-License-Identifier: MIT */
/* Writes to dynamic_events. */
#include "tracefs/dynamic.h"
#include "engine/engine.h"
#include "engine/registry_text.h"
#include "engine/sweep.h"
#include "tracefs/event.h"
#include "tracefs/program.h"

#include <errno.h>
#include <string.h>

#define PIECE_MAX_BYTES 4095 /* the size of the kernel's buffer: no line may be longer */

/* The length up to a comment; 0 for a line of white space. */
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

int tracefs_dynamic_write(const struct iovec *parts, int count, size_t *ret_size)
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

int tracefs_dynamic_clear(void)
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
