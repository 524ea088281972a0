/* SPDX-License-Identifier: MIT */
/*
 * The arguments of a session's recorder, for one that takes its place. They are kept in the tracing
 * directory, in NAME.args~ next to the recorder's socket: the working directory, and the arguments
 * of cairn record, each NUL-terminated. Its messages are in NAME.log~.
 */
#ifndef CLI_SESSION_ARGS_H
#define CLI_SESSION_ARGS_H

#include "cli/cli.h"

#define CLI_SESSION_PATH_BYTES 4200u

struct cli_session_args {
    char directory[CLI_SESSION_PATH_BYTES]; /* to run in */
    char **argv;
    int argc;
    char *kept; /* memory of kept arguments; NULL: they are the caller's */
};

/* The path of a file of the session. False: the tracing directory cannot be used, which was
 * reported if `verb` is not NULL. */
bool cli_session_path(const struct cli_verb *verb, const char *name, const char *suffix,
                      char path[CLI_SESSION_PATH_BYTES]);

/* Keeps other commands from changing sessions until the descriptor is closed. Negative: the
 * directory cannot be locked, which was reported. */
int cli_session_lock(const struct cli_verb *verb, const char *name);

/* False: they could not be written, which was reported. */
bool cli_session_args_write(const struct cli_verb *verb, const char *name,
                            const struct cli_session_args *args);

/* False: nothing is kept. To be freed in any case. */
bool cli_session_args_read(const struct cli_verb *verb, const char *name,
                           struct cli_session_args *args);
void cli_session_args_free(struct cli_session_args *args);

/* An event was added to a session, or removed from it: a recorder that takes the place of this one
 * has it, too. Without kept arguments there will be no such recorder. Returns an exit status. */
int cli_session_args_change(const struct cli_verb *verb, const char *name, bool is_added,
                            const char *event, const char *filter);

#endif
