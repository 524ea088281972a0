/* SPDX-License-Identifier: MIT */
/* The two transports by which a program under `cairn run` reaches the files of user_events. */
#ifndef CLI_RUN_TRANSPORT_H
#define CLI_RUN_TRANSPORT_H

#include "cli/cli.h"

#include <limits.h>

enum { CLI_RUN_FAILED = 125 };

/* The ways in which this process becomes the program. */
struct cli_run_options {
    bool may_preload;    /* where nothing can be mounted, a library serves the program */
    bool is_accelerated; /* under a mount */
    bool is_quiet;
};

/* Serves the files to this process, and to what it executes, by a mount. Returns CLI_OK; or
 * CLI_RUN_FAILED, and a message was printed. *ret_mounted is false if nothing can be mounted, and
 * options->may_preload. */
int cli_run_by_mount(const struct cli_verb *verb, const struct cli_run_options *options,
                     bool *ret_mounted);

/* The same by a library that is loaded into the program `name`. */
int cli_run_by_preload(const struct cli_verb *verb, const char *name, bool is_quiet);

/* ---- what both need ---- */

/*
 * Sets the absolute path of the tracing directory: the program may change its working directory.
 * Programs that use cairn register with the local engine only: with the emulated kernel too, their
 * events would be registered twice.
 * Returns 0 or an errno code.
 */
int cli_run_set_directory(void);

/* Finds a library of cairn's: where this program was built, or installed. False: it is not there,
 * and `path` is where it should be. */
bool cli_run_find_library(const char *name, char path[PATH_MAX]);

/* Adds a library, after a prefix, at the front of LD_PRELOAD. Returns 0; EINVAL its path has a
 * space or a colon, which cannot be quoted there; ENOMEM. */
int cli_run_add_preload(const char *prefix, const char *library);

#endif
