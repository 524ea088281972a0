/* SPDX-License-Identifier: MIT */
/* cairn run by a library that is loaded into the program. */
#include "cli/program.h"
#include "cli/run_transport.h"

#include <cairn/inspect.h>
#include <cairn/session.h>
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>

#define LIBRARY "libcairn-run.so"

/*
 * Begins, or joins, the session whose events are the lines of tracefs's trace, and leaves its
 * descriptor to the library in the program: events that a shell's commands enable remain enabled
 * until the shell ends.
 */
static int hold_session(void)
{
    char path[PATH_MAX];
    char number[16];
    int fd;
    int error = cairn_session_hold_text(path, sizeof(path), &fd);

    if (error)
        return error;
    (void)snprintf(number, sizeof(number), "%d", fd);
    if (fcntl(fd, F_SETFD, 0) || setenv("CAIRN_RUN_SESSION", path, 1) ||
        setenv("CAIRN_RUN_FD", number, 1))
        error = errno;
    return error;
}

static int prepare(const struct cli_verb *verb)
{
    char library[PATH_MAX];
    int error;

    if (!cli_run_find_library(LIBRARY, library)) {
        cli_error(verb, "cannot find %s: reinstall cairn", library);
        return CLI_RUN_FAILED;
    }
    error = cli_run_set_directory();
    if (!error)
        error = hold_session();
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
