/* SPDX-License-Identifier: MIT */
/* Holding the session of tracefs's trace, for the commands of cairn run. */
#include "engine/session.h"

#include <cairn/session.h>
#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

/* The longest name of a session's file in the tracing directory. */
#define NAME_MAX_BYTES sizeof("/sessions/18446744073709551615")

int cairn_session_hold_text(char *path, size_t size_bytes, int *ret_fd)
{
    struct engine_registry local = {.lock_fd = -1, .lock_tries = ENGINE_LOCK_TRIES_LONG};
    struct engine_session session;
    int error = engine_registry_open(&local);

    if (!error && strlen(local.directory.path) + NAME_MAX_BYTES > size_bytes)
        error = ERANGE; /* a session could not be taken back as long as this process lives */
    if (!error)
        error = engine_session_share(&local, &session);
    if (!error) {
        (void)snprintf(path, size_bytes, "%s/sessions/%" PRIu64, local.directory.path,
                       session.generation);
        *ret_fd = session.liveness_fd;
    }
    engine_registry_close(&local);
    return error;
}
