/* SPDX-License-Identifier: MIT */
/* Starts the recorder of a session in the background, and again if it has ended. */
#ifndef CLI_SESSION_START_H
#define CLI_SESSION_START_H

#include "cli/cli.h"

/*
 * Starts `cairn record --name NAME` with the arguments, and waits until it records. Without
 * arguments it is started as the last one of this name, in its directory, if that was not stopped.
 * Returns an exit status.
 */
int cli_session_start(const struct cli_verb *verb, const char *name, char **argv, int argc);

/* True if a recording that was started so can be continued after its process was killed. */
bool cli_session_can_continue(const char *name);

/* Prints what the recorder has said. */
void cli_session_print_log(const char *name);

/* Removes what is kept of a session that was stopped. */
void cli_session_forget(const char *name);

#endif
