/* SPDX-License-Identifier: MIT */
/* Events of the C library: loads the library that writes them into a command. */
#include "cli/libc.h"

#include "cli/program.h"
#include "cli/run_transport.h"

#define LIBRARY "libcairn-libc.so"

int cli_libc_load(const struct cli_verb *verb, const char *command)
{
    char path[PATH_MAX];
    const char *obstacle;
    int error;

    if (!cli_run_find_library(LIBRARY, path)) {
        cli_error(verb, "cannot find %s: reinstall cairn", path);
        return CLI_FAILED;
    }
    error = cli_run_add_preload("", path);
    if (error) {
        cli_errno(verb, error, "cannot preload %s", path);
        return CLI_FAILED;
    }
    if (cli_program_find(command, path) && (obstacle = cli_program_preload_obstacle(path)) != NULL)
        cli_error(verb, "%s %s: --libc records nothing of it", command, obstacle);
    return CLI_OK;
}
