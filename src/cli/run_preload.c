/* SPDX-License-Identifier: MIT */
/* cairn run by a library that is loaded into the program. */
#include "cli/program.h"
#include "cli/run_transport.h"
#include "cli/run_tree.h"
#include "engine/session.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#define LIBRARY "libcairn-run.so"

/*
 * Begins, or joins, the session whose events are the lines of tracefs's trace, and leaves its
 * descriptor to the library in the program: events that a shell's commands enable remain enabled
 * until the shell ends.
 */
static int hold_session(struct engine_registry *local)
{
    static const struct engine_session_request request = {
        .status_bit = ENGINE_STATUS_TEXT,
        .chunk_bytes = ENGINE_SHARED_CHUNK_BYTES,
        .chunk_count = ENGINE_SHARED_CHUNKS,
        .small_chunks = ENGINE_SHARED_SMALL_CHUNKS,
    };
    struct engine_session session;
    char path[PATH_MAX + 64];
    char number[16];
    int error = engine_session_share(local, &request, &session);

    if (error)
        return error;
    (void)snprintf(path, sizeof(path), "%s/sessions/%" PRIu64, local->directory.path,
                   session.generation);
    (void)snprintf(number, sizeof(number), "%d", session.liveness_fd);
    if (fcntl(session.liveness_fd, F_SETFD, 0) || setenv("CAIRN_RUN_SESSION", path, 1) ||
        setenv("CAIRN_RUN_FD", number, 1))
        error = errno;
    return error;
}

static int prepare(const struct cli_verb *verb)
{
    struct engine_registry local = {.lock_fd = -1};
    char library[PATH_MAX];
    int error;

    if (!cli_run_find_library(LIBRARY, library)) {
        cli_error(verb, "cannot find %s: reinstall cairn", library);
        return CLI_RUN_FAILED;
    }
    error = engine_registry_open(&local);
    if (!error)
        error = cli_run_set_directory(&local.directory);
    if (!error)
        cli_run_set_tree(local.directory.is_shared, getenv("CAIRN_TRACING_DIR"));
    if (!error)
        error = hold_session(&local);
    engine_registry_close(&local);
    if (error) {
        cli_directory_error(verb, error, "cannot use the tracing directory");
        return CLI_RUN_FAILED;
    }
    error = cli_run_add_preload("", library);
    if (error)
        cli_errno(verb, error, "cannot preload %s", library);
    return error ? CLI_RUN_FAILED : CLI_OK;
}

/* The names of programs that the library cannot serve are printed. */
static void warn(const struct cli_verb *verb, const char *name)
{
    char path[PATH_MAX];
    const char *reason;

    if (!cli_program_find(name, path))
        return; /* exec will fail */
    reason = cli_program_preload_obstacle(path);
    if (reason)
        cli_error(verb, "warning: %s %s: it runs without emulation", path, reason);
}

int cli_run_by_preload(const struct cli_verb *verb, const char *name, bool is_quiet)
{
    int status = prepare(verb);

    if (!status && !is_quiet)
        warn(verb, name);
    return status;
}
